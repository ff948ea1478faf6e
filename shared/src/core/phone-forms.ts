/**
 * Every way in which the platform may write a number that is given as E.164 or as digits, each as digits alone: in some countries its own form has a digit
 * that is not dialled, or lacks one that is. All forms of one number give the same list.
 */
export function phoneForms(phone: string): string[] {
  const digits = phone.replaceAll(/\D/g, "");
  for (const { area, extra, rest } of countries) {
    const [, code, number] = new RegExp(`^(${area})${extra}?(\\d{${rest}})$`).exec(digits) ?? [];
    if (code !== undefined && number !== undefined) return [`${code}${number}`, `${code}${extra}${number}`];
  }
  return [digits];
}

/** Country code (with the area code), the digit that may be there, and how many follow: Brazil, Mexico, Argentina. */
const countries = [
  { area: "55[1-9]\\d", extra: "9", rest: 8 },
  { area: "52", extra: "1", rest: 10 },
  { area: "54", extra: "9", rest: 10 },
];
