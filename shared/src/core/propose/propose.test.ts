import fc from "fast-check";
import { expect, test } from "vitest";
import { cpuMs } from "../../../../test/support/cpu-time.ts";
import { data } from "../../../../test/support/data.ts";
import { measure } from "../../../../test/support/pairs/measure.ts";
import { heldBack, tuning } from "../../../../test/support/pairs/pairs.ts";
import conventional from "../../../../test/support/shops/conventional.json" with { type: "json" };
import { learnFields } from "../fields/learn.ts";
import { gallery, galleryLanguages, galleryMap, galleryNames, galleryTemplate } from "../gallery/entries.ts";
import type { TemplateDefinition } from "../template/definition.ts";
import { toDefinition } from "../template/draft.ts";
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

test.each([
  ["pairs by which the weights were set", tuning, 0.9],
  ["pairs of somebody else, held back until then", heldBack, 0.85],
])("most slots are right: %s", (name, pairs, least) => {
  const { share, slots, wrong } = measure(pairs);
  expect(slots).toBeGreaterThanOrEqual(100);
  expect(share, `${name}: ${(100 * share).toFixed(1)} % of ${slots} slots\n${wrong.join("\n")}`).toBeGreaterThan(least);
});

test.each(galleryLanguages)("nearly all of the gallery's own values are proposed for its templates: %s", (language) => {
  const wrong = galleryNames.flatMap((name) => {
    const map = galleryMap(name, language).body ?? {};
    const asked = new Set(Object.values(map).map((spec) => (spec.source === "field" ? spec.path : "")));
    const isAppointment = name.startsWith("appointment");
    // The event has its subject in `data`, and an order or a cart if it is about one.
    const data = Object.entries(conventional.data).filter(
      ([key]) => key === "agent" || asked.has(`data.${key}`) || (isAppointment && key.startsWith("appointment")),
    );
    const { order, cart, ...rest } = conventional;
    const hasOrder = !/^(?:appointment|subscription|back_in|welcome|abandoned)/u.test(name);
    const payload = { ...rest, ...(hasOrder && { order }), ...(name === "abandoned_cart" && { cart }), data: Object.fromEntries(data) };
    const proposals = proposeMapping(gallery[name].events[0], learnFields(payload), toDefinition(galleryTemplate(name, language)));
    return proposals.flatMap(({ slot, path, expr }) => {
      const spec = map[String(slot)];
      const wanted = spec?.source === "field" ? spec.path : spec?.source === "expression" ? spec.expr : "";
      return wanted === (path ?? expr) ? [] : [`${name} ${slot}: ${path ?? expr ?? "none"} instead of ${wanted}`];
    });
  });
  expect(wrong.slice(4)).toEqual([]);
});

interface Example {
  event?: string;
  rest?: Partial<TemplateDefinition>;
}

test.each(data<[string, Record<string, string>, string, string[], (string | null)[], Example][]>("shared-core-propose-propose", "paths"))(
  "%s",
  (_, fields, body, examples, paths, { event, rest }) => {
    expect(pathsFor(fieldsOf(fields), message(body, examples, rest), event)).toEqual(paths);
  },
);

test("a helper is proposed where the example shows what no field alone has", () => {
  const fields = fieldsOf(data("shared-core-propose-propose", "a helper is proposed where the example shows what no fie"));
  const template = message("Dear {{1}}, you ordered:\n{{2}}\nTotal: {{3}}, thank you.", ["Anna Smith", "Tea x 2 - 4.00", "USD 8.00"]);
  expect(proposeMapping("order.created", fields, template).map(({ expr }) => expr)).toEqual([
    "customer.full_name",
    "items.summary_lines",
    "total.with_currency",
  ]);
  const plain = message("Dear {{1}}, the total is {{2}} €, thank you.", ["Anna", "8.00"]);
  expect(proposeMapping("order.created", fields, plain).map(({ path, expr }) => [path, expr])).toEqual([
    ["customer.first_name", null],
    ["order.total", null],
  ]);
});

test("a reason says which words stand in both", () => {
  const [proposal] = proposeMapping("order.paid", fieldsOf({ invoice: "2027-118" }), message("Your invoice {{1}} is paid.", ["2026-001"]));
  expect(proposal).toMatchObject({ path: "invoice", reasons: expect.arrayContaining([{ code: "same_meaning", words: ["invoice"] }]) });
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
      expect(proposals.filter(({ path, expr, reasons }) => (path === null && expr === null) !== (reasons.length === 0))).toEqual([]);
      expect(proposals.filter(({ path, expr }) => path !== null && expr !== null)).toEqual([]);
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
  const template = message(body, examples);
  expect(cpuMs(() => expect(proposeMapping("order".repeat(10_000), fields, template)).toHaveLength(999))).toBeLessThan(5_000);
});
