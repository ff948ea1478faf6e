import { type PhonePattern, phonePattern } from "./phone-search.ts";
import type { ShopPerson } from "./sources/source.ts";

/** Regular expressions that find a shop's customer in a JSON text: the phone in any form, the e-mail address in any case, or the shop's id of the customer. */
export function shopPersonPattern({ phone, email, customer }: Pick<ShopPerson, "phone" | "email" | "customer">): PhonePattern {
  const ofPhone = phone === null ? null : phonePattern(phone);
  const parts = [
    ...(ofPhone === null ? [] : [ofPhone.ascii]),
    ...(email === null ? [] : [emailPattern(email)]),
    ...(customer !== null && /^[A-Za-z0-9_-]{1,64}$/.test(customer) ? [customerPattern(customer)] : []),
  ];
  const ascii = parts.length === 0 ? nothing : parts.map((part) => `(?:${part})`).join("|");
  return ofPhone === null ? { ascii, hasOthers: nothing, any: nothing } : { ...ofPhone, ascii };
}

/** Matches no text: nothing stands before its beginning. */
const nothing = ".^";

/** The address, and not the end or the beginning of a longer one. */
function emailPattern(email: string): string {
  const letters = Array.from(email, (sign) => {
    const [lower, upper] = [sign.toLowerCase(), sign.toUpperCase()];
    return lower !== upper && lower.length === 1 && upper.length === 1
      ? `[${lower}${upper}]`
      : sign.replace(/[.*+?^${}()|[\]\\/]/, String.raw`\$&`);
  });
  return String.raw`(?:^|[^A-Za-z0-9._%+-]|\\[nrtbf])${letters.join("")}(?![A-Za-z0-9-]|\.[A-Za-z0-9])`;
}

/** The id where it is the customer's: other things of the shop may have the same number. */
const customerPattern = (id: string): string =>
  [
    String.raw`"customer":\s*\{[^{}]*"id":\s*"?${id}"?\s*[,}]`,
    String.raw`"customer_id":\s*"?${id}"?\s*[,}]`,
    String.raw`gid://shopify/Customer/${id}(?![0-9])`,
  ].join("|");
