import { isE164 } from "shared/core/phone";
import { searchReader } from "../../ui/search-params.ts";

/** `phone`: the person who is searched among those who opted out, E.164. */
export const readPrivacySearch = searchReader({
  phone: (value): string | undefined => (typeof value === "string" && isE164(value) ? value : undefined),
});
