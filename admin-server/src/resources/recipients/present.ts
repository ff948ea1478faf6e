import type { Role } from "shared/core/role";
import type { SiteRecipientRow } from "shared/db/site-recipient";
import { shownPhone, shownText } from "../../trpc/shown-phone.ts";

export const presentRecipient = (row: SiteRecipientRow, role: Role) => ({
  id: row.id,
  siteId: row.site_id,
  phone: shownPhone(row.phone, role),
  label: shownText(row.label, role),
  active: row.active,
});
