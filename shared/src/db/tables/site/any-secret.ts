import type { Sql } from "../../connect.ts";

/** One stored secret, encrypted; null while there is none. Shows whether the process has the key that opens them. */
export async function readAnySecret(sql: Sql): Promise<string | null> {
  const rows = await sql<{ webhook_secret: string }[]>`select webhook_secret from site where deleted_at is null limit 1`;
  return rows[0]?.webhook_secret ?? null;
}
