import fc from "fast-check";
import { expect, test } from "vitest";
import { heldBack } from "../../../../test/support/pairs/held-back.ts";
import type { ProposalPair } from "../../../../test/support/pairs/pair.ts";
import { tuning } from "../../../../test/support/pairs/tuning.ts";
import { learnFields } from "../fields/learn.ts";
import type { TemplateDefinition } from "../template/definition.ts";
import { slotNames } from "../template/slots.ts";
import type { ProposedField } from "./features.ts";
import { proposeMapping } from "./propose.ts";

const message = (body: string, examples: string[], rest: Partial<TemplateDefinition> = {}): TemplateDefinition => ({
  parameterFormat: "POSITIONAL",
  header: null,
  body,
  footer: null,
  buttons: [],
  ...rest,
  examples: { header: [], body: examples, buttonUrl: [], ...rest.examples },
});

const fieldsOf = (samples: Record<string, string>): ProposedField[] => Object.entries(samples).map(([path, sample]) => ({ path, sample }));
const pathsFor = (fields: ProposedField[], template: TemplateDefinition, event = "order.shipped") =>
  proposeMapping(event, fields, template).map(({ path }) => path);

/** What is right of the slots of pairs, and what is not. */
function measure(pairs: readonly ProposalPair[]): { share: number; slots: number; wrong: string[] } {
  const results = pairs.flatMap((pair) => {
    const { header, body, buttonUrl, examples } = pair.template;
    const template = message(body, examples.body ?? [], {
      header: header === null ? null : { format: "TEXT", text: header },
      buttons: buttonUrl === null ? [] : [{ type: "URL", text: "Open", url: buttonUrl }],
      examples: { header: examples.header ?? [], body: examples.body ?? [], buttonUrl: examples.buttonUrl ?? [] },
    });
    const fields = learnFields(pair.payload as Parameters<typeof learnFields>[0]);
    return proposeMapping(pair.event, fields, template).map(({ part, slot, path }) => {
      const accepted = pair.expected[part]?.[slot] ?? [];
      const isRight = path === null ? accepted.length === 0 : accepted.includes(path);
      return isRight ? null : `${pair.name}: ${part} ${slot}: ${path ?? "none"} instead of ${accepted[0] ?? "none"}`;
    });
  });
  const wrong = results.filter((one) => one !== null);
  return { share: 1 - wrong.length / results.length, slots: results.length, wrong };
}

test.each([
  ["the pairs by which the weights were set", tuning, 0.85],
  ["pairs of others, held back until then", heldBack, 0.7],
])("most slots are right: %s", async (name, pairs, least) => {
  const { share, slots, wrong } = measure(pairs);
  expect(slots).toBeGreaterThanOrEqual(100);
  expect(share, `${name}: ${(100 * share).toFixed(1)} % of ${slots} slots\n${wrong.join("\n")}`).toBeGreaterThan(least);
});

test("the greeting takes the reader's name, and a link the part of the event's own", () => {
  const fields = fieldsOf({
    "customer.first_name": "Ines",
    "customer.phone": "+4915112345678",
    "agent.first_name": "Paul",
    "order.number": "A-1007",
    "order.token": "k29dx81",
    "order.page": "https://shop.example/o/k29dx81",
  });
  const template = message("Hi {{1}}, your order {{2}} is on its way.", ["Anna", "A-1000"], {
    buttons: [{ type: "URL", text: "Track", url: "https://shop.example/o/{{1}}" }],
  });
  expect(pathsFor(fields, template)).toEqual(["customer.first_name", "order.number", "order.token"]);
});

test("where the event has only the whole link of a button, nothing is proposed for its end", () => {
  const fields = fieldsOf({ "receipt.number": "R-7781", "receipt.page": "https://shop.example/r/ab12" });
  const template = message("Thank you!", [], { buttons: [{ type: "URL", text: "Receipt", url: "https://shop.example/r/{{1}}" }] });
  expect(pathsFor(fields, template)).toEqual([null]);
});

test("a day from which and one to which an appointment was moved", () => {
  const fields = fieldsOf({ "new.date": "12.02.2027", "old.date": "10.02.2027", "new.time": "16:30", "old.time": "09:00" });
  const template = message("Your visit was moved from {{1}} to {{2}} at {{3}}.", ["01.01.2027", "03.01.2027", "10:00"]);
  expect(pathsFor(fields, template, "visit.moved")).toEqual(["old.date", "new.date", "new.time"]);
});

test("a reason says which words stand in both", () => {
  const [proposal] = proposeMapping("order.paid", fieldsOf({ invoice: "2027-118" }), message("Your invoice {{1}} is paid.", ["2026-001"]));
  expect(proposal).toMatchObject({ path: "invoice", reasons: expect.arrayContaining([{ code: "same_meaning", words: ["invoice"] }]) });
});

test("an example and a value that begin alike belong together", () => {
  const fields = fieldsOf({ a: "ZX-4471", b: "QP-9012" });
  expect(pathsFor(fields, message("Code: {{1}}", ["QP-0001"]))).toEqual(["b"]);
});

test("a moment fills a day and an hour, any other field one slot only", () => {
  const fields = fieldsOf({ starts_at: "2027-03-02T10:30:00Z", total: "19.90" });
  expect(pathsFor(fields, message("On {{1}} at {{2}} o'clock", ["1 May 2027", "09:00"]))).toEqual(["starts_at", "starts_at"]);
  expect(pathsFor(fields, message("Total: {{1}} and total: {{2}}", ["1.00", "2.00"]))).toEqual(["total", null]);
});

test("nothing is proposed where no field is what is asked for", () => {
  const fields = fieldsOf({ "order.number": "A-1007", "customer.first_name": "Ines" });
  expect(pathsFor(fields, message("Your voucher: {{1}}", ["SAVE10"]))).toEqual([null]);
  expect(pathsFor([], message("Hi {{1}}", ["Anna"]))).toEqual([null]);
});

test("the value of a pair of a name and a value is what the name says", () => {
  const fields = fieldsOf({ "extra.0.name": "Floor", "extra.0.value": "7", "extra.1.name": "PIN", "extra.1.value": "4471" });
  expect(pathsFor(fields, message("Your PIN is {{1}}.", ["1234"]))).toEqual(["extra.1.value"]);
});

const word = fc.constantFrom(
  "customer",
  "first_name",
  "order",
  "total",
  "datum",
  "0",
  "__proto__",
  "constructor",
  "ünïcode",
  "𝒳",
  "",
  "=first",
);
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom("2027-01-01T10:00:00Z", "Anna", "19,90 €", "A-1", "true"),
);
const anyFields = fc.array(
  fc.record({
    path: fc.oneof(
      fc.array(word, { maxLength: 5 }).map((words) => words.join(".")),
      fc.string({ unit: "binary" }),
    ),
    sample: fc.option(text),
  }),
  { maxLength: 40 },
);
const anyText = fc
  .array(fc.oneof(text, fc.constantFrom("{{1}}", "{{2}}", "{{3}}", "{{40}}", "{{name}}", "{{first_name}}", "Hi ", ", ", "!\n")), {
    maxLength: 20,
  })
  .map((pieces) => pieces.join(""));
const anyTemplate = fc.record({
  parameterFormat: fc.constantFrom("POSITIONAL" as const, "NAMED" as const),
  header: fc.option(anyText.map((some) => ({ format: "TEXT" as const, text: some }))),
  body: anyText,
  footer: fc.constant(null),
  buttons: fc.array(fc.record({ type: fc.constant("URL" as const), text, url: anyText }), { maxLength: 3 }),
  examples: fc.record({
    header: fc.array(text, { maxLength: 2 }),
    body: fc.array(text, { maxLength: 4 }),
    buttonUrl: fc.array(text, { maxLength: 3 }),
  }),
});

test("whatever the event and the template, each slot is answered once, always alike, and by a path that was given", () => {
  fc.assert(
    fc.property(text, anyFields, anyTemplate, (event, fields, template) => {
      const proposals = proposeMapping(event, fields, template);
      const names = slotNames(template);
      const parts = (["header", "body", "buttonUrl"] as const).flatMap((part) => names[part].map((_, i) => `${part} ${i + 1}`));
      expect(proposals.map(({ part, slot }) => `${part} ${slot}`)).toEqual(parts);
      const given = new Set<string | null>(fields.map(({ path }) => path)).add(null);
      expect(proposals.filter(({ path }) => !given.has(path))).toEqual([]);
      expect(proposals.filter(({ path, reasons }) => (path === null) !== (reasons.length === 0))).toEqual([]);
      expect(proposeMapping(event, structuredClone(fields), structuredClone(template))).toEqual(proposals);
    }),
  );
});

test("the largest event and a hostile template take a moment", () => {
  const fields = Array.from({ length: 5_000 }, (_, i) => ({
    path: `order${i % 40}.total_${"amount".repeat(1 + (i % 9))}${i}`,
    sample: "A".repeat(80),
  }));
  const body = `${"order ".repeat(5_000)}{{999}}${"{{1}} total ".repeat(2_000)}`;
  const examples = Array.from({ length: 999 }, () => "a-".repeat(20_000));
  const before = performance.now();
  const proposals = proposeMapping("order".repeat(10_000), fields, message(body, examples));
  expect(performance.now() - before).toBeLessThan(5_000);
  expect(proposals).toHaveLength(999);
});
