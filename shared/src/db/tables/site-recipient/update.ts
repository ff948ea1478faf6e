import type { Sql } from "../../connect.ts";
import type { SiteRecipientRow } from "./row.ts";

/** Writes the row as given. */
export const updateSiteRecipient = (sql: Sql, row: SiteRecipientRow) =>
  sql`
    update site_recipient set site_id = ${row.site_id}, phone = ${row.phone}, label = ${row.label}, active = ${row.active}
    where id = ${row.id}`;
