import type { Sql } from "../../connect.ts";

export type NewSiteSecret = { id: string; siteId: string; hint: string } & (
  | { kind: "api_key"; /** SHA-256 of the API key. */ keyHash: Buffer }
  | { kind: "webhook_secret"; /** Encrypted by the vault. */ secret: string }
);

/** The site's new current key or secret: the one before must have been given its end. */
export async function insertSiteSecret(sql: Sql, made: NewSiteSecret): Promise<void> {
  const keyHash = made.kind === "api_key" ? made.keyHash : null;
  const secret = made.kind === "webhook_secret" ? made.secret : null;
  await sql`
    insert into site_secret (id, site_id, kind, key_hash, secret, hint)
    values (${made.id}, ${made.siteId}, ${made.kind}, ${keyHash}, ${secret}, ${made.hint})`;
}
