import type { SourceType } from "../../../core/input/site.ts";
import type { Sql } from "../../connect.ts";

export interface NewSite {
  id: string;
  accountId: string;
  name: string;
  url: string;
  sourceType: SourceType;
  testPhone: string | null;
}

/** A site that nobody can post to yet: it has no key and no secret. */
export const insertSite = (sql: Sql, site: NewSite) =>
  sql`insert into site (id, account_id, name, url, source_type, test_phone)
    values (${site.id}, ${site.accountId}, ${site.name}, ${site.url}, ${site.sourceType}, ${site.testPhone})`;
