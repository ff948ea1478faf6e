import type { Role } from "shared/core/input/role";
import type { SiteRecipientRow } from "shared/db/tables/site-recipient/row";
import { shownPhone, shownText } from "../../trpc/shown-phone.ts";

export const presentRecipient = (row: SiteRecipientRow, role: Role) => ({
  id: row.id,
  siteId: row.site_id,
  phone: shownPhone(row.phone, role),
  label: shownText(row.label, role),
  active: row.active,
});
