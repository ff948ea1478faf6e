import { isE164 } from "shared/core/phone";

/** Who is looked for among those who opted out, as it stands in the address: E.164. */
export interface PrivacySearch {
  phone?: string | undefined;
}

export const readPrivacySearch = ({ phone }: Record<string, unknown>): PrivacySearch => ({
  phone: typeof phone === "string" && isE164(phone) ? phone : undefined,
});
