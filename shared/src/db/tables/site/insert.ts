import type { SourceType } from "../../../core/input/site.ts";
import type { Sql } from "../../connect.ts";
import { siteColumns, type SiteRow } from "./row.ts";

export interface NewSite {
  id: string;
  accountId: string;
  name: string;
  url: string;
  sourceType: SourceType;
  testPhone: string | null;
  /** SHA-256 of the API key. */
  keyHash: Buffer;
  keyHint: string;
  /** Encrypted by the vault. */
  webhookSecret: string;
}

export async function insertSite(sql: Sql, site: NewSite): Promise<SiteRow> {
  const [row] = await sql<[SiteRow]>`
    insert into site (id, account_id, name, url, source_type, test_phone, key_hash, key_hint, webhook_secret)
    values (${site.id}, ${site.accountId}, ${site.name}, ${site.url}, ${site.sourceType}, ${site.testPhone}, ${site.keyHash}, ${site.keyHint},
      ${site.webhookSecret})
    returning ${siteColumns(sql)}`;
  return row;
}
