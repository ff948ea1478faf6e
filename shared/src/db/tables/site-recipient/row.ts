import type { Sql } from "../../connect.ts";

export interface SiteRecipientRow {
  id: string;
  site_id: string;
  phone: string;
  label: string;
  active: boolean;
}

export const siteRecipientColumns = (sql: Sql) => sql`id, site_id, phone, label, active`;
