import { searchReader } from "../../ui/list/search-params.ts";

/** `to`: the phone of the open chat, E.164. */
export const readPhoneSearch = searchReader({
  to: (value): string | undefined => (typeof value === "string" && value !== "" ? value : undefined),
});
