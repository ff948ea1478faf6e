import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { BenchDatabase, Cluster } from "./cluster.ts";

const ticksPerSecond = 100;

/** CPU seconds that a process has used so far, user and system; NaN where /proc is not to be had. */
export const cpuSeconds = (pid: number): number => ticks(pid, "own") / ticksPerSecond;

/** The same of a process with its children: those that run and those that it has outlived. */
export function familyCpuSeconds(pid: number): number {
  const children = childrenOf(pid).map((child) => ticks(child, "own"));
  // A child that ends between two looks is counted with its parent from then on.
  return children.filter((spent) => !Number.isNaN(spent)).reduce((sum, spent) => sum + spent, ticks(pid, "all")) / ticksPerSecond;
}

/** The process that started it; NaN where /proc is not to be had. */
export const parentOf = (pid: number): number => Number(stat(pid)[1]);

function childrenOf(pid: number): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((each) => parentOf(each) === pid);
  } catch {
    return [];
  }
}

function ticks(pid: number, whose: "own" | "all"): number {
  const fields = stat(pid).slice(11, whose === "own" ? 13 : 15);
  return fields.length === 0 ? NaN : fields.reduce((sum, field) => sum + Number(field), 0);
}

/** The fields of /proc/PID/stat from the third on, which is the process's state: before it stands a name that may hold blanks. */
function stat(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  } catch {
    return [];
  }
}

/** Counts statements, until disposed, of programs that start after it: what they prepared before stays uncounted. Costs a little, so nothing is timed meanwhile. */
export interface StatementCount extends AsyncDisposable {
  /** Statements of the database so far, those inside functions not. */
  read(database: BenchDatabase): Promise<number>;
}

export async function countStatements({ sql }: Cluster): Promise<StatementCount> {
  const track = async (statements: "top" | "none", ids: "on" | "off"): Promise<void> => {
    await sql.unsafe(`alter system set pg_stat_statements.track = '${statements}'`);
    await sql.unsafe(`alter system set compute_query_id = '${ids}'`);
    await sql`select pg_reload_conf()`;
    // The setting reaches running sessions by signal, about which nothing can be asked.
    await sleep(200);
  };
  await track("top", "on");
  return {
    read: async ({ name }) => {
      const [row] = await sql<{ calls: number }[]>`
        select coalesce(sum(s.calls), 0)::integer as calls from pg_stat_statements s join pg_database d on d.oid = s.dbid
        where d.datname = ${name} and s.toplevel`;
      return row?.calls ?? 0;
    },
    [Symbol.asyncDispose]: async () => track("none", "off"),
  };
}
