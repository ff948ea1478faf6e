import type { TemplateDefinition } from "shared/core/template/definition";
import { buildComponents } from "shared/core/template/message";
import { expect, test } from "vitest";
import { sentSlots, sentTexts } from "./sent-slots.ts";

const positional: TemplateDefinition = {
  parameterFormat: "POSITIONAL",
  header: { format: "TEXT", text: "Order {{1}}" },
  body: "Hello {{1}}, {{2}}",
  footer: null,
  buttons: [
    { type: "QUICK_REPLY", text: "Stop" },
    { type: "URL", text: "Track", url: "https://shop.example/{{1}}" },
  ],
  examples: { header: [], body: [], buttonUrl: [] },
};
const named: TemplateDefinition = { ...positional, parameterFormat: "NAMED", header: null, body: "Hello {{name}}, {{total}}" };
const slots = { header: ["10042"], body: ["Ada", "USD 49.90"], buttonUrl: ["10042"] };

test("what was sent is found in the slots that it was sent for", () => {
  expect(sentSlots(buildComponents(positional, slots), positional)).toEqual(slots);
  expect(sentSlots(buildComponents(named, { ...slots, header: [] }), named)).toEqual({ ...slots, header: [] });
});

test("named values find their slots though the template was changed", () => {
  const components = buildComponents(named, { ...slots, header: [] });
  expect(sentSlots(components, { ...named, body: "{{total}} for {{friend}}, {{name}}" }).body).toEqual(["USD 49.90", "", "Ada"]);
});

test("slots that were not sent are empty", () => {
  expect(sentSlots([], positional)).toEqual({ header: [""], body: ["", ""], buttonUrl: [""] });
});

test("without a template the texts alone are known", () => {
  expect(sentTexts(buildComponents(positional, slots))).toEqual(["10042", "Ada", "USD 49.90", "10042"]);
});
