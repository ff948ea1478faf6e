import { setTimeout as sleep } from "node:timers/promises";
import type { BenchDatabase, Cluster } from "./cluster.ts";

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
