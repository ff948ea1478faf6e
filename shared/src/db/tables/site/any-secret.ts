import type { Sql } from "../../connect.ts";

/** One stored secret, encrypted; null while there is none. Shows whether the process has the key that opens them. */
export async function readAnySecret(sql: Sql): Promise<string | null> {
  const rows = await sql<{ secret: string }[]>`select secret from site_secret where kind = 'webhook_secret' limit 1`;
  return rows[0]?.secret ?? null;
}
