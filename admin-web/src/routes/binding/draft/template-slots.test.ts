import type { TemplateDefinition } from "shared/core/template/definition";
import { expect, test } from "vitest";
import { slotOutcome } from "../preview/slot-outcome.ts";
import { templateSlots } from "./template-slots.ts";

const template: TemplateDefinition = {
  parameterFormat: "NAMED",
  header: { format: "TEXT", text: "Order {{order_no}}" },
  body: "Hello {{name}},\nyour order {{order_no}} of {{name}} is on its way, and it will be there soon.",
  footer: null,
  buttons: [
    { type: "QUICK_REPLY", text: "Thanks" },
    { type: "URL", text: "Track", url: "https://shop.example/a/very/long/address/{{1}}" },
  ],
  examples: { header: [], body: [], buttonUrl: [] },
};

test("each slot is shown with what stands around it", () => {
  expect(templateSlots(template).map(({ key, before, mark, after }) => [key, before, mark, after])).toEqual([
    ["header.1", "Order ", "{{order_no}}", ""],
    ["body.1", "Hello ", "{{name}}", ", your order {{order_no}} of {…"],
    ["body.2", "Hello {{name}}, your order ", "{{order_no}}", " of {{name}} is on its way, an…"],
    ["button_url.1", "…p.example/a/very/long/address/", "{{1}}", ""],
  ]);
});

test("what comes of a slot is its text as it is sent, a button's whole address, or why it is empty", () => {
  const preview = {
    slots: { header: [" 7\n8 "], body: ["", ""], buttonUrl: ["x y"] },
    unresolved: ["body {{name}}: customer.first_name is missing", "body {{order_no}}: not in the variable map"],
  };
  expect(templateSlots(template).map((slot) => slotOutcome(template, slot, preview))).toEqual([
    { text: "7 | 8" },
    { reason: "customer.first_name is missing" },
    { reason: "not filled yet" },
    { text: "https://shop.example/a/very/long/address/x%20y" },
  ]);
});
