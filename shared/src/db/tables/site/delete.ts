import type { Sql } from "../../connect.ts";

/**
 * Deletes the account's site, within a transaction: key, secret, bindings and recipients end at once; the row stays, because the log names it. False when
 * there is no such site.
 */
export async function deleteSite(sql: Sql, accountId: string, id: string): Promise<boolean> {
  const rows = await sql`
    update site set deleted_at = now(), enabled = false, test_phone = null
    where id = ${id} and account_id = ${accountId} and deleted_at is null
    returning id`;
  if (rows.length === 0) return false;
  await sql`delete from site_secret where site_id = ${id}`;
  await sql`delete from binding where site_id = ${id}`;
  await sql`delete from site_recipient where site_id = ${id}`;
  return true;
}
