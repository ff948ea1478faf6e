import type { BindingToPlan } from "shared/core/plan";
import type { TemplateDefinition } from "shared/core/template/definition";
import type { VariableMap } from "shared/core/variables";

const id = "019aa000-0000-7000-8000-0000000000b1";
const specs: NonNullable<VariableMap["body"]>[string][] = [
  { source: "expression", expr: "customer.full_name", fallback: "there" },
  { source: "field", path: "order.items.0.name" },
  { source: "expression", expr: "total.with_currency" },
  { source: "static", value: "the spring collection" },
  { source: "field", path: "order.items_count" },
  { source: "field", path: "customer.email" },
  { source: "expression", expr: "date.now" },
  { source: "field", path: "order.discount.code", fallback: "none" },
  { source: "expression", expr: "date.today" },
];

const template = (definition: Partial<TemplateDefinition>): BindingToPlan["template"] => ({
  id,
  name: "order_created",
  language: "en_US",
  status: "approved",
  definition: {
    parameterFormat: "POSITIONAL",
    header: null,
    body: "",
    footer: null,
    buttons: [],
    examples: { header: [], body: [], buttonUrl: [] },
    ...definition,
  },
});

/** Two fields in the body: the most usual kind. */
export const smallBinding: BindingToPlan = {
  id,
  recipient: { strategy: "customer" },
  variableMap: {
    body: {
      1: { source: "field", path: "customer.first_name", fallback: "there" },
      2: { source: "field", path: "order.id", fallback: "?" },
    },
  },
  template: template({ body: "Hello {{1}}, your order {{2}} is in." }),
};

/** Eighteen: the list of items once, for it is long, and the others in turn. */
const body: NonNullable<VariableMap["body"]> = Object.fromEntries(
  [{ source: "expression", expr: "items.summary_short" } as const, ...specs, ...specs].slice(0, 18).map((spec, n) => [String(n + 1), spec]),
);

/** Twenty slots of every kind: one in the header, eighteen in the body, one in a button. */
export const largeBinding: BindingToPlan = {
  id,
  recipient: { strategy: "field_path", path: "customer.phone_e164" },
  variableMap: {
    header: { 1: { source: "field", path: "order.number" } },
    body,
    button_url: { 1: { source: "field", path: "order.id" } },
  },
  template: template({
    header: { format: "TEXT", text: "Order {{1}}" },
    body: `Hello ${Object.keys(body)
      .map((slot) => `and {{${slot}}}`)
      .join(" ")} is all.`,
    footer: "Bench shop",
    buttons: [{ type: "URL", text: "Track", url: "https://shop.example/t/{{1}}" }],
  }),
};
