import type { Sql } from "shared/db/statement";

/**
 * The number of blocks of tables and indexes that a transaction reads, which does not depend on the machine's speed. The first transaction of a connection
 * reads the catalogue too.
 */
export async function blocksOf(
  sql: Sql & { begin: (run: (sql: Sql) => Promise<unknown>) => Promise<unknown> },
  act: (sql: Sql) => Promise<unknown>,
): Promise<number> {
  let blocks = 0;
  await sql.begin(async (transaction) => {
    const fetched = async () =>
      Number(
        (
          await transaction<
            { n: string }[]
          >`select sum(pg_stat_get_xact_blocks_fetched(oid)) as n from pg_class where relkind in ('r', 'i')`
        )[0]?.n,
      );
    const before = await fetched();
    await act(transaction);
    blocks = (await fetched()) - before;
  });
  return blocks;
}
