import { searchDay, searchText } from "../../ui/search-params.ts";

/** Days in the reader's time zone, YYYY-MM-DD. */
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
