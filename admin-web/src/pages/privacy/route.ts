import { optOutScopes, optOutSources } from "shared/core/message";
import { searchAmong, searchPhone, searchReader, searchText } from "../../ui/list/search-params.ts";

/** Who is searched among those who opted out. */
export const readPrivacySearch = searchReader({
  search: searchText,
  phone: searchPhone,
  scope: searchAmong(optOutScopes),
  source: searchAmong(optOutSources),
});
export type PrivacySearch = ReturnType<typeof readPrivacySearch>;
