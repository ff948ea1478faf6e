import { readFileSync } from "node:fs";
import fc from "fast-check";
import { type CountryCode, getExampleNumber } from "libphonenumber-js/max";
import numberingPlans from "libphonenumber-js/max/metadata";
import examples from "libphonenumber-js/mobile/examples";
import { describe, expect, test } from "vitest";
import { scaled } from "../../test/faults/harness/scale.ts";
import { hostileText } from "../../test/support/arbitrary/json.ts";
import { data } from "../../test/support/data.ts";
import { isE164, type PhoneProblem } from "./core/phone.ts";
import { normalizePhone } from "./normalize-phone.ts";

const read = (value: string, country?: string | null, siteCountry: string | null = null) => normalizePhone(value, { country, siteCountry });

/** A country's line of `phones-as-written.txt`. */
const table = readFileSync(new URL("phones-as-written.txt", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => {
    const [ways = "", doubts] = line.split(" ! ");
    const [head = "", ...written] = ways.split(" | ");
    const [country = "", code = "", prefix = "", number = ""] = head.split(" ");
    return { country, code, prefix: prefix === "-" ? "" : prefix, number, written, doubts: doubts?.split(" | ") ?? [] };
  });

/** A text as it is pasted or typed elsewhere: between marks of direction, in the digits of other scripts, with the spaces and hyphens of typography. */
const spellings = (text: string): string[] => [
  text,
  `\u202a${text}\u202c`,
  ` \u200e${text}\u200f`,
  `\u2066${text}\u2069`,
  text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit))),
  text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x6f0 + Number(digit))),
  text.replaceAll(/[+\d]/g, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) + 0xfee0)),
  text.replaceAll(" ", "\u00a0").replaceAll("-", "\u2011"),
];

/** The international ways of writing a number, with its national prefix behind the country code and without. */
const abroad = ({ code, prefix, number }: (typeof table)[number]): string[] => {
  const bare = code.slice(1);
  const [head, tail] = [number.slice(0, 3), number.slice(3)];
  return [
    `${code}${number}`,
    `${code} ${head} ${tail}`,
    `${code}-${head}-${tail}`,
    `${code} (${head}) ${tail}`,
    `(${code}) ${head}/${tail}`,
  ].concat(
    [`00${bare}${number}`, `00 ${bare} ${head} ${tail}`, `(00${bare}) ${head} ${tail}`, `(00 ${bare}) ${head}-${tail}`],
    prefix === "" ? [] : [`${code}${prefix}${number}`, `${code} ${prefix}${head} ${tail}`, `00${bare} ${prefix}${head}-${tail}`],
    prefix === "0" ? [`${code} (0)${head} ${tail}`, `${code}(0) ${head}-${tail}`, `00${bare} (0) ${head} ${tail}`] : [],
  );
};

describe("as people write it", () => {
  test("forty countries", () => expect(new Set(table.map(({ country }) => country)).size).toBe(40));

  test.each(table)("$country", ({ country, code, number, written, ...line }) => {
    const wrong: unknown[] = [];
    for (const way of written) {
      const [text = "", phone = `${code}${number}`] = way.split("=");
      for (const spelling of spellings(text)) {
        const found = read(spelling, country);
        if (!("phone" in found) || found.phone !== phone) wrong.push([spelling, phone, found]);
      }
    }
    for (const spelling of abroad({ country, code, number, written, ...line }).flatMap(spellings)) {
      for (const own of [country, undefined, "US", "JP"]) {
        const found = read(spelling, own);
        if (!("phone" in found) || found.phone !== `${code}${number}`) wrong.push([spelling, own, found]);
      }
    }
    for (const text of line.doubts.flatMap(spellings)) {
      const found = read(text, country);
      if (!("problem" in found)) wrong.push([text, found]);
    }
    expect(wrong).toEqual([]);
  });

  test("a national prefix behind any country's code", () => {
    const wrong = Object.entries(numberingPlans.countries).flatMap(([country, plan]) => {
      const [code, , , , , prefix] = plan as unknown as [string, string, string, unknown, unknown, string | undefined];
      const example = getExampleNumber(country as CountryCode, examples)?.number;
      if (!prefix || example === undefined) return [];
      const found = read(example.replace(`+${code}`, `+${code}${prefix}`));
      return "phone" in found && found.phone === example ? [] : [[country, example, found]];
    });
    expect(wrong).toEqual([]);
  });

  test.each([
    ["090-1234-5678", "JP", "+819012345678"],
    ["9912 3456", "KW", "+96599123456"],
    ["020 7946 0000", "GB", "+442079460000"],
    ["(415) 555-0123", " us ", "+14155550123"],
    ["0011 49 171 2345678", "AU", "+491712345678"],
    ["0066 62 123 4567", "TH", "+66621234567"],
    ["+48 (0) 512 345 678", "DE", "+48512345678"],
    ["+39 (0)347 1234567", "IT", "+393471234567"],
    ["+39 (0)6 12345678", "IT", "+390612345678"],
    ["+49\u00a0171\u2009234\u20115678", undefined, "+491712345678"],
  ])("%s of %s", (value, country, phone) => {
    expect(read(value, country)).toEqual({ phone });
  });

  test.each(data<string[]>("normalize-phone", "s names its country, whatever the customer's"))(
    "%s names its country, whatever the customer's",
    (value) => {
      expect([undefined, "US", "ZZ"].map((country) => read(value, country))).toEqual(Array(3).fill({ phone: "+491712345678" }));
    },
  );

  test("the customer's country goes before the site's, one that is not known counts as none", () => {
    expect(read("0171 2345678", "DE", "US")).toEqual({ phone: "+491712345678" });
    for (const country of [null, undefined, "", "ZZ", "Germany", "__proto__", "toString"])
      expect(read("0171 2345678", country, "DE")).toEqual({ phone: "+491712345678" });
  });

  test.each(["ext. 12", "x12", "x 12", "#12", ";ext=12", "extension 12", "доб. 12", "anexo 12", ",12#"])(
    "the digits of the extension %s never join the number",
    (extension) => {
      expect([`0171 2345678 ${extension}`, `+49 171 2345678${extension}`].map((value) => read(value, "DE"))).toEqual(
        Array(2).fill({ phone: "+491712345678" }),
      );
    },
  );

  test.each(["+491712345678", "+99912345678", "+1000000", "+390612345678", "+2250707123456", "+4901234", "+521551234"])(
    "%s is E.164 and taken as it is",
    (value) => {
      expect(read(value, "US")).toEqual({ phone: value });
    },
  );
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
    ["not_valid", "+672 00000", undefined],
    ["not_valid", "000 171 2345678", "DE"],
  ])("%s: %.40s", (problem, value, country) => {
    expect(read(value, country)).toEqual({ problem });
  });
});

describe("whatever it is given", () => {
  const phoneLike = fc.string({ unit: fc.constantFrom(...Array.from("0123456789+()-. /#x,;ext\u202a\u0661\uff11\uff0b")), maxLength: 40 });
  const country = fc.constantFrom(undefined, null, "DE", "US", "BR", "AR", "MX", "JP", "IT", "ZZ", "");

  test("it answers E.164 or a problem, and takes its answers as they are", () => {
    const problems = ["no_country", "too_short", "too_long", "not_a_number", "not_valid"];
    fc.assert(
      fc.property(fc.oneof(phoneLike, hostileText), country, country, (value, own, ofSite) => {
        const found = normalizePhone(value, { country: own, siteCountry: ofSite });
        expect("phone" in found ? isE164(found.phone) : problems.includes(found.problem)).toBe(true);
        expect("problem" in found || read(found.phone)).toEqual("problem" in found || found);
      }),
      { numRuns: scaled(300, 2_000) },
    );
  });

  test("the answer is the number that was written, less what belongs to its writing", () => {
    const plain = table.filter(({ country }) => !["BR", "AR", "CO", "SG", "HK"].includes(country));
    const digits = fc.stringMatching(/^[1-9][0-9]{4,11}$/);
    const separated = fc.array(fc.constantFrom("", "", " ", "-", "."), { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(fc.constantFrom(...plain), digits, separated, fc.nat(), ({ country, code, prefix }, rest, separators, pick) => {
        const bare = code.slice(1);
        const before = [
          "",
          "0",
          prefix,
          bare,
          `0${bare}`,
          code,
          `00${bare}`,
          `${bare}${prefix}`,
          `0${bare}${prefix}`,
          `00${bare}${prefix}`,
          `${code}0`,
          `${code}${prefix}`,
        ];
        const typed = `${before[pick % before.length] ?? ""}${rest}`;
        const found = read(Array.from(typed, (digit, at) => `${digit}${separators[at % separators.length] ?? ""}`).join(""), country);
        if (!("phone" in found)) return;
        const all = typed.replace(/^\+/, "");
        // Mexico had prefixes for calls to mobile phones.
        const dropped = [...before, "01", "044", "045", "52044", "52045", "5201"].map((one) => one.replace(/^\+/, ""));
        const meant = dropped.flatMap((one) => (all.startsWith(one) ? `+${bare}${all.slice(one.length)}` : []));
        // Behind the country's own prefix of calls abroad stands a whole international number, perhaps with its national prefix behind its code.
        const whole = found.phone.slice(1);
        const withPrefix = [1, 2, 3].flatMap((at) => ["0", "1", "8"].map((one) => `${whole.slice(0, at)}${one}${whole.slice(at)}`));
        const isAbroad = [whole, ...withPrefix].some((one) => all.endsWith(one));
        expect(isAbroad ? [found.phone] : meant).toContain(found.phone);
      }),
      { numRuns: scaled(500, 5_000) },
    );
  });
});
