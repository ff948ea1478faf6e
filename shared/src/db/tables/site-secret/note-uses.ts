import type { Sql } from "../../connect.ts";

export interface SecretUse {
  id: string;
  at: Date;
}

/** Writes down when keys and secrets were last used. Skips what another gateway is writing: it knows as well, and neither waits. */
export async function noteSecretUses(sql: Sql, uses: readonly SecretUse[]): Promise<void> {
  await sql`
    update site_secret set last_used_at = used.at
    from (
      select s.id, u.at
      from json_to_recordset(${JSON.stringify(uses)}::text::json) as u(id uuid, at timestamptz) join site_secret s on s.id = u.id
      where s.last_used_at is null or s.last_used_at < u.at
      for no key update of s skip locked
    ) used
    where site_secret.id = used.id`;
}
