import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../../test/faults/harness/scale.ts";
import { cpuMs } from "../../../../test/support/cpu-time.ts";
import { data } from "../../../../test/support/data.ts";
import { describeReason } from "../reason.ts";
import { findProblems, problemKey } from "./advice.ts";
import { templateInputSchema } from "./check.ts";
import type { UncheckedTemplate } from "./draft.ts";
import { checkAndMend, mendAll } from "./mend.ts";

const good = data<UncheckedTemplate>("core-template-mend", "good");

const codesOf = (input: UncheckedTemplate) => findProblems(input).map(({ field, reason }) => `${field} ${reason.code}`);

test("a good template has no problem", () => {
  expect(codesOf(good)).toEqual([]);
  expect(mendAll(good)).toEqual(good);
});

const noExamples = { ...good, header: null, buttons: [], examples: null };

test.each<[string, string, Partial<UncheckedTemplate>, Partial<UncheckedTemplate>]>([
  ["a name", "name name_characters", { name: "Order Shipped (Größe)" }, { name: "order_shipped_grosse" }],
  ["a name of the platform's samples", "name name_reserved", { name: "sample_order" }, { name: "order" }],
  ["a language as the web writes it", "language language_unknown", { language: "pt-BR" }, { language: "pt_BR" }],
  ["a category in small letters", "category category_unknown", { category: "utility" }, { category: "UTILITY" }],
  [
    "a variable at the end",
    "body variable_at_edge",
    { body: "Hello {{1}}, we have sent your order {{2}}" },
    { body: "Hello {{1}}, we have sent your order {{2}}. Thank you." },
  ],
  [
    "a variable at the beginning, in German",
    "body variable_at_edge",
    { language: "de", body: "{{1}}, Ihre Bestellung {{2}} ist unterwegs zu Ihnen." },
    { body: "Hallo {{1}}, Ihre Bestellung {{2}} ist unterwegs zu Ihnen." },
  ],
  [
    "punctuation behind the last variable",
    "body punctuation_behind_variable",
    { body: "Hello {{1}}, we have sent your order {{2}}!" },
    { body: "Hello {{1}}, we have sent your order {{2}}! Thank you." },
  ],
  [
    "variables side by side",
    "body variables_adjacent",
    { body: "Hello, your order {{1}}{{2}} is on its way to you." },
    { body: "Hello, your order {{1}}, {{2}} is on its way to you." },
  ],
  [
    "variables with a space between",
    "body variables_close",
    { body: "Hello, your order {{1}} {{2}} is on its way to you." },
    { body: "Hello, your order {{1}}, {{2}} is on its way to you." },
  ],
  [
    "gaps in the numbers, with the examples that stay",
    "body variables_with_gaps",
    { body: "Hello {{2}}, your order {{4}} is on its way to you.", examples: { body: ["a", "Anna", "b", "10042"] } },
    { body: "Hello {{1}}, your order {{2}} is on its way to you.", examples: { body: ["Anna", "10042"] } },
  ],
  [
    "names and spaces in variables",
    "body variable_malformed",
    { body: "Hello {{ name }}, your order {number} is on its way to you." },
    { body: "Hello {{1}}, your order {{2}} is on its way to you." },
  ],
  [
    "empty lines and tabs",
    "body too_many_line_breaks",
    { body: "Hello {{1}}, your order {{2}} is on\n\n\n\nits way to you." },
    { body: "Hello {{1}}, your order {{2}} is on\n\nits way to you." },
  ],
  [
    "tabs",
    "body spaces_in_row",
    { body: "Hello {{1}},\tyour order {{2}}    is on its way to you." },
    { body: "Hello {{1}}, your order {{2}} is on its way to you." },
  ],
  [
    "a header of several lines",
    "header.text one_line",
    { header: { format: "TEXT", text: "Your\norder" } },
    { header: { format: "TEXT", text: "Your order" } },
  ],
  [
    "a header with emoji",
    "header.text no_emoji",
    { header: { format: "TEXT", text: "📦 Your order" } },
    { header: { format: "TEXT", text: "Your order" } },
  ],
  [
    "a header with markup",
    "header.text no_markup",
    { header: { format: "TEXT", text: "*Your* _order_ `now`" } },
    { header: { format: "TEXT", text: "Your order now" } },
  ],
  [
    "a long header, cut at a word",
    "header.text too_many_characters",
    { header: { format: "TEXT", text: "Your order of the second of May is on its way and will arrive soon" } },
    { header: { format: "TEXT", text: "Your order of the second of May is on its way and will" } },
  ],
  ["a long footer", "footer too_many_characters", { footer: `Shop ${"x".repeat(70)}` }, { footer: "Shop" }],
  ["a variable in the footer", "footer no_variables", { footer: "Shop {{1}} Berlin" }, { footer: "Shop Berlin" }],
  [
    "a long label",
    "buttons.0.text too_many_characters",
    { buttons: [{ type: "QUICK_REPLY", text: "Please call me back tomorrow" }] },
    { buttons: [{ type: "QUICK_REPLY", text: "Please call me back" }] },
  ],
  [
    "an address without https",
    "buttons.0.url no_http_address",
    { buttons: [{ type: "URL", text: "Track", url: "shop.example/t" }] },
    { buttons: [{ type: "URL", text: "Track", url: "https://shop.example/t" }] },
  ],
  [
    "an address with http",
    "buttons.0.url address_unencrypted",
    { buttons: [{ type: "URL", text: "Track", url: "http://shop.example/t" }] },
    { buttons: [{ type: "URL", text: "Track", url: "https://shop.example/t" }] },
  ],
  [
    "a variable within the query",
    "buttons.0.url address_variable",
    { buttons: [{ type: "URL", text: "Track", url: "https://shop.example/t?id={{1}}&from=wa" }] },
    { buttons: [{ type: "URL", text: "Track", url: "https://shop.example/t?from=wa&id={{1}}" }] },
  ],
  [
    "a phone with words",
    "buttons.0.phone no_phone_number",
    { buttons: [{ type: "PHONE_NUMBER", text: "Call", phone: "Tel. +49 30/123456" }] },
    { buttons: [{ type: "PHONE_NUMBER", text: "Call", phone: "+4930123456" }] },
  ],
  [
    "a phone that begins with 00",
    "buttons.0.phone no_country_code",
    { buttons: [{ type: "PHONE_NUMBER", text: "Call", phone: "0049 30 123456" }] },
    { buttons: [{ type: "PHONE_NUMBER", text: "Call", phone: "+49 30 123456" }] },
  ],
  [
    "two buttons of one label",
    "buttons.1.text label_repeated",
    { buttons: ["Yes", "Yes"].map((text) => ({ type: "QUICK_REPLY" as const, text })) },
    { buttons: ["Yes", "Yes 2"].map((text) => ({ type: "QUICK_REPLY" as const, text })) },
  ],
  [
    "advertising in UTILITY",
    "category words_promotional",
    { body: "Hello {{1}}, get a discount with your order {{2}} at our shop." },
    { category: "MARKETING" },
  ],
  [
    "a German text called English",
    "language language_unlike",
    { body: "Hallo {{1}}, Ihre Bestellung {{2}} wurde versendet und ist bald bei Ihnen, wir danken Ihnen für das Vertrauen." },
    { language: "de" },
  ],
  [
    "the same example twice",
    "examples.body.1 example_repeated",
    { examples: { body: ["Anna", "Anna"] } },
    { examples: { body: ["Anna", "10042"] } },
  ],
  [
    "no examples",
    "examples.body examples_missing",
    { examples: null },
    { examples: { header: [], body: ["Anna", "10042"], buttonUrl: [] } },
  ],
])("%s is mended", (_what, key, broken, mended) => {
  const input = { ...noExamples, examples: { body: ["Anna", "10042"] }, ...broken };
  const problem = checkAndMend(input).find((found) => problemKey(found) === key);
  expect(problem?.mend).toBeTruthy();
  expect({ ...input, ...problem?.mend?.patch }).toMatchObject(mended);
  expect(problem?.mend?.changes.length).toBeGreaterThan(0);
});

test.each<[string, Partial<UncheckedTemplate>]>([
  ["category one_time_code", { body: "Hello {{1}}, your verification code is {{2}} for this login." }],
  ["buttons.0.url address_shortened", { buttons: [{ type: "URL", text: "Open", url: "https://bit.ly/abc" }] }],
  ["body few_words", { body: "Hi {{1}} and {{2}} bye" }],
  ["buttons.0.url address_variable", { buttons: [{ type: "URL", text: "Open", url: "https://shop.example/{{1}}/track" }] }],
])("%s is told, and left to a person", (key, broken) => {
  const input = { ...noExamples, examples: { body: ["Anna", "10042"] }, ...broken };
  expect(checkAndMend(input).find((found) => problemKey(found) === key)).toMatchObject({ mend: null });
});

test("examples are of earlier events where these have one", () => {
  expect(mendAll({ ...noExamples }, { body: ["", "SO-7781"] }).examples?.body).toEqual(["Anna", "SO-7781"]);
});

const piece = fc.constantFrom(
  ..."{{1}}|{{2}}|{{3}}|{{7}}|{{ 1 }}|{{name}}|{1}|{{|}}| |  |\n|\n\n\n|\t|.|!|, |Hello |your order |discount |ihre und ist für mit |*bold*|_x_ _y_|😀|👩‍👩‍👧|verification code |a|_|0|%".split(
    "|",
  ),
);
const someText = fc.oneof(
  fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join("")),
  fc.string({ unit: "grapheme", maxLength: 80 }),
);
const url = fc.oneof(
  fc.constantFrom(
    "shop.example",
    "http://shop.example/{{1}}",
    "https://bit.ly/x",
    "https://shop.example/?a={{1}}&b=2",
    "https://wa.me/1",
    "https://x.example/{{2}}",
  ),
  someText,
);
const button = fc.oneof(
  fc.record({ type: fc.constant("URL" as const), text: someText, url }),
  fc.record({ type: fc.constant("QUICK_REPLY" as const), text: someText }),
  fc.record({
    type: fc.constant("PHONE_NUMBER" as const),
    text: someText,
    phone: fc.constantFrom("+4930123456", "0049 30 1", "030/123", "x", ""),
  }),
);
const draft: fc.Arbitrary<UncheckedTemplate> = fc.record({
  name: fc.oneof(fc.constantFrom("order_shipped", "Order Shipped", "hello_world", "sample_sample_x", "", "ß"), someText),
  language: fc.constantFrom("en", "de", "pt-BR", "xx", "en_US", "ar"),
  category: fc.constantFrom("UTILITY", "MARKETING", "utility", "AUTHENTICATION", "?"),
  header: fc.option(someText.map((text) => ({ format: "TEXT" as const, text }))),
  body: someText,
  footer: fc.option(someText),
  buttons: fc.array(button, { maxLength: 5 }),
  examples: fc.option(
    fc.record({
      header: fc.array(someText, { maxLength: 2 }),
      body: fc.array(someText, { maxLength: 4 }),
      buttonUrl: fc.array(someText, { maxLength: 2 }),
    }),
  ),
});

const keysOf = (input: UncheckedTemplate): string[] => findProblems(input).map(problemKey);

test("whatever the draft, a mend takes its problem away, adds none, and says what it changes", () => {
  fc.assert(
    fc.property(draft, (input) => {
      const before = new Set(keysOf(input));
      for (const { mend, ...problem } of checkAndMend(input)) {
        if (mend === null) continue;
        const after = keysOf({ ...input, ...mend.patch });
        expect(after).not.toContain(problemKey(problem));
        expect(after.filter((key) => !before.has(key))).toEqual([]);
        expect([mend.changes.length > 0 || "buttons" in mend.patch || "examples" in mend.patch, mend.label]).toEqual([
          true,
          expect.stringMatching(/^[A-Z]/),
        ]);
      }
    }),
    { numRuns: scaled(60, 300) },
  );
});

test("mending all ends, leaves nothing that could be mended, and changes nothing twice", () => {
  fc.assert(
    fc.property(draft, (input) => {
      const mended = mendAll(input);
      expect(checkAndMend(mended).filter(({ mend }) => mend !== null)).toEqual([]);
      expect(mendAll(mended)).toEqual(mended);
      const errors = findProblems(mended).filter(({ level }) => level === "error");
      expect(templateInputSchema.safeParse(mended).success || errors.length > 0).toBe(true);
    }),
    { numRuns: scaled(40, 200) },
  );
});

test("each problem is told in a sentence", () => {
  fc.assert(
    fc.property(draft, (input) => {
      for (const { field, reason } of findProblems(input)) expect(`${field} ${describeReason(reason)}`).toMatch(/^[a-z].{10,}/su);
    }),
  );
});

test("a draft as large as can be takes a moment", () => {
  const input = { ...good, body: "{{1}} {{name}} ".repeat(60_000), name: "A ".repeat(50_000), footer: "x".repeat(500_000) };
  expect(cpuMs(() => mendAll(input))).toBeLessThan(10_000);
});
