import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../../test/faults/harness/scale.ts";
import { cpuMs } from "../../../../test/support/cpu-time.ts";
import { data } from "../../../../test/support/data.ts";
import { templateInputSchema } from "../input/templates.ts";
import { describeReason } from "../reason.ts";
import { findProblems, problemKey } from "./advice.ts";
import type { UncheckedTemplate } from "./draft.ts";
import { checkAndMend, mendAll } from "./mend.ts";

const good = data<UncheckedTemplate>("core-template-mend", "good");

const codesOf = (input: UncheckedTemplate) => findProblems(input).map(({ field, reason }) => `${field} ${reason.code}`);

test("a good template has no problem", () => {
  expect(codesOf(good)).toEqual([]);
  expect(mendAll(good)).toEqual(good);
});

const noExamples = { ...good, header: null, buttons: [], examples: null };

test.each(data<[string, string, Partial<UncheckedTemplate>, Partial<UncheckedTemplate>][]>("core-template-mend", "is mended"))(
  "%s is mended",
  (_what, key, broken, mended) => {
    const input = { ...noExamples, examples: { body: ["Anna", "10042"] }, ...broken };
    const problem = checkAndMend(input).find((found) => problemKey(found) === key);
    expect(problem?.mend).toBeTruthy();
    expect({ ...input, ...problem?.mend?.patch }).toMatchObject(mended);
    expect(problem?.mend?.changes.length).toBeGreaterThan(0);
  },
);

test.each<[string, Partial<UncheckedTemplate>]>(data("core-template-mend", "s is told, and left to a person"))(
  "%s is told, and left to a person",
  (key, broken) => {
    const input = { ...noExamples, examples: { body: ["Anna", "10042"] }, ...broken };
    expect(checkAndMend(input).find((found) => problemKey(found) === key)).toMatchObject({ mend: null });
  },
);

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
