import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostileText } from "../../test/support/arbitrary/json.ts";
import { isE164, type PhoneProblem } from "./core/phone.ts";
import { normalizePhone } from "./normalize-phone.ts";

const read = (value: string, country?: string | null, siteCountry: string | null = null) => normalizePhone(value, { country, siteCountry });

describe("as people write it", () => {
  test.each([
    ["0171 2345678", "DE", "+491712345678"],
    ["0171/2345678", "de", "+491712345678"],
    ["(415) 555-0123", "US", "+14155550123"],
    ["415.555.0123", " us ", "+14155550123"],
    ["06 12 34 56 78", "FR", "+33612345678"],
    ["090-1234-5678", "JP", "+819012345678"],
    ["(11) 91234-5678", "BR", "+5511912345678"],
    ["8 (912) 345-67-89", "RU", "+79123456789"],
    ["9912 3456", "KW", "+96599123456"],
    ["020 7946 0000", "GB", "+442079460000"],
    ["٠١٧١٢٣٤٥٦٧٨", "DE", "+491712345678"],
    ["\u202a+49 171 2345678\u202c", undefined, "+491712345678"],
    ["+49\u00a0171\u2009234\u20115678", undefined, "+491712345678"],
  ])("%s of %s", (value, country, phone) => {
    expect(read(value, country)).toEqual({ phone });
  });

  test.each([
    "+49 171 2345678",
    "(+49) 171-2345678",
    "0049 171 2345678",
    "(00 49) 171 2345678",
    "＋４９ 171 2345678",
    "+49 (0)171 2345678",
  ])("%s names its country, whatever the customer's", (value) => {
    expect([undefined, "US", "ZZ"].map((country) => read(value, country))).toEqual(Array(3).fill({ phone: "+491712345678" }));
  });

  test("the customer's country goes before the site's, one that is not known counts as none", () => {
    expect(read("0171 2345678", "DE", "US")).toEqual({ phone: "+491712345678" });
    for (const country of [null, undefined, "", "ZZ", "Germany", "__proto__", "toString"]) {
      expect(read("0171 2345678", country, "DE")).toEqual({ phone: "+491712345678" });
    }
  });

  test.each(["ext. 12", "x12", "x 12", "#12", ";ext=12", "extension 12", "доб. 12", "anexo 12", ",12#"])(
    "the digits of the extension %s never join the number",
    (extension) => {
      expect([`0171 2345678 ${extension}`, `+49 171 2345678${extension}`].map((value) => read(value, "DE"))).toEqual(
        Array(2).fill({ phone: "+491712345678" }),
      );
    },
  );

  test.each(["+491712345678", "+99912345678", "+1000000"])("%s is E.164 and taken as it is", (value) => {
    expect(read(value, "US")).toEqual({ phone: value });
  });
});

describe("what cannot be read", () => {
  test.each<[PhoneProblem, string, string | undefined]>([
    ["no_country", "0171 2345678", undefined],
    ["no_country", "0171 2345678", "ZZ"],
    ["too_short", "123", "DE"],
    ["too_short", "5550123", "US"],
    ["too_short", "+49", undefined],
    ["too_long", "0171 2345678 / 0172 3456789", "DE"],
    ["too_long", "+49 171 2345678901234567", undefined],
    ["too_long", "1".repeat(1_000_000), "DE"],
    ["not_a_number", "n/a", "DE"],
    ["not_a_number", "unknown", undefined],
    ["not_a_number", "1-800-FLOWERS", "US"],
    ["not_a_number", "mobile: 0171 2345678", "DE"],
    ["not_a_number", "0171 2345678 Durchwahl 5", "DE"],
    ["not_valid", "0999 123", "DE"],
    ["not_valid", "+999 1234567", undefined],
    ["not_valid", "000 171 2345678", "DE"],
  ])("%s: %.40s", (problem, value, country) => {
    expect(read(value, country)).toEqual({ problem });
  });
});

describe("whatever it is given", () => {
  const phoneLike = fc.string({ unit: fc.constantFrom(...Array.from("0123456789+()-. /#x,;ext\u202a\u0661\uff11\uff0b")), maxLength: 40 });
  const country = fc.constantFrom(undefined, null, "DE", "US", "BR", "AR", "MX", "JP", "IT", "ZZ", "");

  test("it answers E.164 or a problem, and E.164 unchanged", () => {
    const problems = ["no_country", "too_short", "too_long", "not_a_number", "not_valid"];
    fc.assert(
      fc.property(fc.oneof(phoneLike, hostileText), country, country, (value, own, ofSite) => {
        const found = normalizePhone(value, { country: own, siteCountry: ofSite });
        expect("phone" in found ? isE164(found.phone) : problems.includes(found.problem)).toBe(true);
        expect(!isE164(value) || ("phone" in found && found.phone === value)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test("what it answers it takes as it is, and no digit comes from nowhere", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^0?[1-9][0-9 ()-]{5,12}$/), fc.constantFrom("DE", "FR", "GB", "US", "IN"), (value, own) => {
        const found = read(value, own);
        const phone = "phone" in found ? found.phone : null;
        expect(phone === null ? found : read(phone)).toEqual(found);
        expect(value.replaceAll(/\D/g, "").endsWith(phone?.slice(-4) ?? "")).toBe(true);
      }),
    );
  });
});
