import type { SiteRecipientRow } from "shared/db/tables/site-recipient/row";

export const presentRecipient = (row: SiteRecipientRow) => ({
  id: row.id,
  siteId: row.site_id,
  phone: row.phone,
  label: row.label,
  active: row.active,
});
