import { searchPhone, searchReader } from "../../ui/list/search-params.ts";

/** `phone`: the person who is searched among those who opted out. */
export const readPrivacySearch = searchReader({ phone: searchPhone });
