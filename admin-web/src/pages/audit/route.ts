import { searchDay, searchText } from "../../ui/search-params.ts";

/** The filters of the audit, as they stand in the address. Days are the reader's own, YYYY-MM-DD. */
export interface AuditSearch {
  actor?: string | undefined;
  action?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

export const readAuditSearch = ({ actor, action, from, to }: Record<string, unknown>): AuditSearch => ({
  actor: searchText(actor),
  action: searchText(action),
  from: searchDay(from),
  to: searchDay(to),
});
