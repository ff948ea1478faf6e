import { expect, test, describe } from "vitest";
import { data } from "../../../test/support/data.ts";
import type { Field } from "./fields/learn.ts";
import { parseJson } from "./json.ts";
import { maskedText } from "./known-values.ts";
import { knownIn, knownOfSamples, maskPhone, maskPhonesIn, maskReachInJson, maskPath, maskPayload, maskSample } from "./mask.ts";

describe("mask phone", () => {
  test("of a phone the last two digits are left", () => {
    expect(maskPhone("+491701234567")).toBe("•••67");
    expect(maskPhone("+4917012")).toBe("•••12");
  });

  test.each(data<[string, string][]>("core-mask", "in phones are masked"))("in %j phones are masked", (text, masked) =>
    expect(maskPhonesIn(text)).toBe(masked),
  );

  test("JSON stays JSON", () => {
    expect(
      maskReachInJson(
        '[{"type":"body","parameters":[{"text":"\\u002b491701234567"},{"n":12345678901}]},{"491701234567":null},"\\uff14\\uff19１７０１２３４５６７"]',
      ),
    ).toBe('[{"type":"body","parameters":[{"text":"•••67"},{"n":12345678901}]},{"•••67":null},"•••67"]');
  });
});

describe("mask payload", () => {
  const masked = (text: string, phones: string[] = []): string => maskPayload(parseJson(text), knownIn(parseJson(text), phones));

  test("of more values than can be judged in a moment the further ones are masked unseen, keys too", () => {
    const many = Array.from({ length: 20_000 }, (_, n) => n);
    const { list } = JSON.parse(masked(JSON.stringify({ list: many }))) as { list: unknown[] };
    expect([list[4_000], list[6_000], list.length]).toEqual([4_000, maskedText, 20_000]);
    const keys = Object.keys(JSON.parse(masked(JSON.stringify(Object.fromEntries(many.map((n) => [`k${n}`, n]))))) as object);
    expect([keys.includes("k4000"), keys.includes("k6000"), keys.length < 5_002]).toEqual([true, false, true]);
  });

  test("what may be a person's is masked, the rest is as it was", () => {
    const payload = {
      event: "order.created",
      customer: { first_name: "Ada", phone_e164: "+491701234567", age: 36 },
      order: { id: "10042", total: "49.90", placed_at: "2026-11-20T15:30:00Z", items: [{ name: "Mug", qty: 2, note: "for Bob" }] },
      data: { whatsapp: 491701234567, contact: { "+491701234567": true }, ref: "call +49 170 1234567" },
      empty: { list: [], nothing: null, text: "" },
      extra: { "+٤٩١٧٠١٢٣٤٥٦٧": "＋４９１７０１２３４５６７", at: "２０２６－１１－２０ １５:３０" },
    };
    expect(JSON.parse(masked(JSON.stringify(payload)))).toEqual(
      data("core-mask", "what may be a person's is masked, the rest is as it was"),
    );
  });

  test("what the customer is called and reached by is masked wherever it stands once more, and in keys", () => {
    const payload = {
      customer: { first_name: "Ada", last_name: "Lovelace", email: "ada@example.com", phone: "+14155557744" },
      order: {
        id: "14155557744",
        number: "10042",
        ref: "(415) 555-7744",
        tracking_number: "00340434161094042557",
        gift: "For ADA, with love",
      },
      data: { "ada@example.com": 1, lovelace: 2, radar: "Adair" },
    };
    expect(JSON.parse(masked(JSON.stringify(payload), ["+4915112345678"]))).toEqual({
      customer: { first_name: "•••", last_name: "•••", email: "•••", phone: "•••" },
      order: { id: "•••", number: "10042", ref: "•••", tracking_number: "00340434161094042557", gift: "•••" },
      data: { "•••": 2, radar: "Adair" },
    });
    expect(masked('{"order":{"number":"10042, 015112345678 or 0151-1234567"}}', ["+4915112345678"])).toBe('{"order":{"number":"•••"}}');
    expect(masked('{"order":{"id":"015112345678","number":"15112345678"}}', ["+4915112345678"])).toBe(
      '{"order":{"id":"•••","number":"•••"}}',
    );
  });

  test.each(data<[string][]>("core-mask", "Zoë Quillfeather, zoe.q@mailbox.example is in"))("somebody is known again in %j", (text) => {
    const customer = { full_name: "Zoë Quillfeather", email: "zoe.q@mailbox.example" };
    const shown = JSON.parse(masked(JSON.stringify({ customer, data: { text, other: "Zoeller quill" }, [text]: 1 }))) as Record<
      string,
      object
    >;
    expect(shown["data"]).toEqual({ text: maskedText, other: "Zoeller quill" });
    expect(Object.keys(shown)).toEqual(["customer", "data", maskedText]);
  });

  test("names without spaces around them, as typed with and without an umlaut, and their parts are known, particles are not", () => {
    const seen = (name: string, text: string) =>
      (JSON.parse(masked(JSON.stringify({ customer: { name }, data: { text } }))) as { data: { text: string } }).data.text;
    expect([seen("王小明", "尊敬的王小明先生"), seen("Jürgen Groß", "Fuer Juergen"), seen("Mueller", "An MÜLLER")]).toEqual(
      Array(3).fill(maskedText),
    );
    expect(seen("Anna von der Heide", "von der Post, an Hannah")).toBe("von der Post, an Hannah");
    const known = knownOfSamples([
      { path: "customer.full_name", sample: "Zoë Quillfeather" },
      { path: "order.id", sample: "Mug" },
    ]);
    expect(["Quillfeather Zoe", "a mug"].map((text) => known.hide(text))).toEqual(["••• •••", "a mug"]);
  });

  test("a path shows no address and no phone", () => {
    const paths = data<string[]>("shared-core-mask", "paths");
    expect([...paths, "order.items[].name", "rates.1000,1999"].map(maskPath)).toEqual(
      data("core-mask", "a path shows no address and no phone"),
    );
  });

  test("nothing and an empty text say nothing of a person", () => {
    const payload = '{"customer":{"first_name":null,"last_name":"","list":[],"more":{}}}';
    expect(masked(payload)).toBe(payload);
  });

  test("what lies very deep is masked whole, in objects as in arrays", () => {
    const [open, close] = ["[".repeat(64), "]".repeat(64)];
    expect(masked(`${open}[1]${close}`)).toBe(`${open}"•••"${close}`);
    expect(masked(`${open}1${close}`)).toBe(`${open}1${close}`);
    expect(masked(`${"[".repeat(20_000)}"+491701234567"${"]".repeat(20_000)}`)).not.toContain("1234567");
  });

  test("escapes hide nothing, numbers keep their digits, and depth costs no stack", () => {
    expect(masked('{"x":"\\u002b\\u0034917\\u00301234567","n":12345678901234567890.0,"order":{"id":12345678901234567890}}')).not.toContain(
      "4917",
    );
    expect(masked('{"order":{"id":12345678901234567890}}')).toBe('{"order":{"id":12345678901234567890}}');
    expect(masked(`${'{"a":'.repeat(20_000)}"+491701234567"${"}".repeat(20_000)}`)).not.toContain("1234567");
    expect(masked('{"__proto__":{"phone":"+491701234567"}}')).toBe('{"__proto__":{"phone":"•••"}}');
  });
});

const shown = (path: string, sample: string, type: Field["type"] = "string"): string | null => maskSample({ path, type, sample }).sample;

describe("maskSample", () => {
  test.each(data<[string, string][]>("core-mask", "masks by its path"))("masks %s by its path", (path, sample) => {
    expect(shown(path, sample)).toBe(maskedText);
  });

  test.each(data<[string][]>("core-mask", "masks by its shape"))("masks %s by its shape", (sample) => {
    expect(shown("data.value", sample)).toBe(maskedText);
  });

  test("masks a phone that is a number", () => {
    expect(shown("data.value", "491701234567", "number")).toBe(maskedText);
  });

  test.each(data<[string, string][]>("core-mask", "shows"))("shows %s", (path, sample) => {
    expect(shown(path, sample)).toBe(sample);
  });

  test("leaves what tells nothing, and the rest of the field", () => {
    const field = { path: "customer.email", type: "null" as const, sample: null, last: "e" };
    expect(maskSample(field)).toBe(field);
    expect(maskSample({ ...field, type: "boolean", sample: "true" }).sample).toBe("true");
    expect(maskSample({ ...field, type: "string", sample: "x" })).toEqual({ ...field, type: "string", sample: maskedText });
  });
});
