import * as files from "admin-server/http/exports";
import { roles } from "shared/core/role";
import type { LivedWorld } from "../world.ts";
import type { Walked } from "./queries.ts";
import { day } from "./samples.ts";

const span = `from=${day(-29)}&to=${day(-1)}`;

/** The queries with which each file is read whole, and once with a filter. A file without any makes the walk fail. */
const queries: Readonly<Record<string, readonly string[]>> = {
  "notifications.csv": ["", "status=failed", span],
  "statistics.csv": [span],
  "audit.csv": ["", "action=settings.update"],
  "audit.jsonl": ["", "since=10"],
};

/** The names of all files: every export that has one. */
const names = Object.values(files).flatMap((file) => (typeof file === "object" && "name" in file ? [file.name] : []));

/** Reads every file as everybody; answers how many rows each whole file had. */
export async function walkExports(world: LivedWorld, accountId: string): Promise<Walked & { rows: Record<string, number> }> {
  const walked = { calls: 0, faults: [] as string[], rows: {} as Record<string, number> };
  for (const name of names) {
    const all = queries[name];
    if (all === undefined) walked.faults.push(`there is no query for ${name}: add one`);
    for (const query of all ?? []) {
      for (const role of roles) {
        const { status, text } = await world.file(`${name}?${query}`, { accountId, role });
        walked.calls += 1;
        if (status !== 200 && !(status === 403 && role !== "owner"))
          walked.faults.push(`${name}?${query} as ${role}: ${status} ${text.slice(0, 300)}`);
        if (role === "owner" && query === all?.[0]) walked.rows[name] = countRows(text) - (name.endsWith(".csv") ? 1 : 0);
      }
    }
  }
  return walked;
}

/** The lines that are not within quotes. */
const countRows = (text: string): number => text.replaceAll(/"(?:[^"]|"")*"/gu, "").split("\n").length - 1;
