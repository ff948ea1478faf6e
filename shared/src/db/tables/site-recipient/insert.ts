import type { Sql } from "../../connect.ts";
import type { SiteRecipientRow } from "./row.ts";

/** Fails with 23505 when the site's list has the phone already. */
export const insertSiteRecipient = (sql: Sql, row: SiteRecipientRow) =>
  sql`
    insert into site_recipient (id, site_id, phone, label, active)
    values (${row.id}, ${row.site_id}, ${row.phone}, ${row.label}, ${row.active})`;
