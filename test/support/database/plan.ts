import type { Fragment } from "postgres";
import type { Pool } from "shared/db/connect";

/** What a statement did, as PostgreSQL tells it. */
export interface ExecutedPlan {
  /** Tables that were read from end to end although they hold rows. */
  scanned: string[];
  /** Rows of the log that were looked at, those thrown away included. */
  rowsRead: number;
  indexes: string[];
}

interface Node {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Node[];
}

/** Runs the statement and answers its plan. `query`: one that has not been awaited. */
export async function planOf(sql: Pool, query: Fragment): Promise<ExecutedPlan> {
  const [row] = await sql<[{ "QUERY PLAN": [{ Plan: Node }] }]>`explain (analyze, format json) ${query}`;
  const nodes = flatten(row["QUERY PLAN"][0].Plan);
  const onLog = nodes.filter((node) => /^(event|notification)/.test(node["Relation Name"] ?? ""));
  return {
    scanned: nodes
      .filter((node) => node["Node Type"] === "Seq Scan" && rowsOf(node) > 0 && onLog.includes(node))
      .map((node) => node["Relation Name"] ?? ""),
    rowsRead: onLog.reduce((sum, node) => sum + rowsOf(node), 0),
    indexes: [...new Set(nodes.flatMap((node) => node["Index Name"] ?? []))],
  };
}

/** Of all its loops; what PostgreSQL tells is that of one. */
const rowsOf = (node: Node): number => (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"];

const flatten = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(flatten)];
