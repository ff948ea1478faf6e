import { parseJson, type JsonObject } from "shared/core/json";
import { planEvent, type BindingToPlan } from "shared/core/plan";
import type { TemplateDefinition } from "shared/core/template/definition";
import type { VariableMap } from "shared/core/variables";
import { inTurn, median } from "../load.ts";
import { ratioOf, cell, row, say, type Benchmark } from "../report.ts";
import { orderBody } from "../requests.ts";

const contestants = ["parse", "2 slots", "20 slots"] as const;

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

/** A binding with two fields in the body, the most usual kind. */
const smallBinding: BindingToPlan = {
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

/** A body of eighteen slots: the list of items once, as it is long, and the others in turn. */
const body: NonNullable<VariableMap["body"]> = Object.fromEntries(
  [{ source: "expression", expr: "items.summary_short" } as const, ...specs, ...specs].slice(0, 18).map((spec, n) => [String(n + 1), spec]),
);

/** Twenty slots of every kind: one in the header, eighteen in the body, one in a button. */
const largeBinding: BindingToPlan = {
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

const bindings = { "2 slots": smallBinding, "20 slots": largeBinding };

/** Plans a second, without any I/O, beside the parsing of the same event. */
export const benchPlans: Benchmark = async (run) => {
  const text = orderBody(10_000);
  const payload = parseJson(text) as JsonObject;
  // Each event is a copy, so that nothing is remembered of it.
  const plan = (size: keyof typeof bindings) =>
    planEvent({
      bindings: [bindings[size]],
      payload: { ...payload },
      test: false,
      site: { testPhone: null, activePhones: [] },
      account: { timezone: "Europe/Berlin", configured: true },
      now: new Date(),
    });
  for (const size of ["2 slots", "20 slots"] as const) {
    const { messages } = plan(size);
    if (messages.length !== 1 || messages[0]?.failure !== null)
      throw new Error(`the binding of ${size} does not plan a message: change it`);
  }
  const results = await inTurn(contestants, run.rounds, async (contestant) =>
    Promise.resolve(timesASecond(contestant === "parse" ? () => JSON.parse(text) as unknown : () => plan(contestant), run.seconds * 200)),
  );
  say("\nplans, times a second");
  for (const contestant of contestants) row([contestant, cell(median(results[contestant]))]);
  const worst = Math.max(...Object.values(hostileEvents).map(planningTime));
  row(["the worst event: ms of planning and printing", worst.toFixed(1)]);
  return [
    ...(["2 slots", "20 slots"] as const).flatMap((size) => [
      { name: `plans a second, ${size}`, value: median(results[size]), decimals: 0 },
      ratioOf({ name: `plan of ${size} / parsing the event` }, results[size], results.parse, (each) => each),
    ]),
    { name: "ms of planning and printing the worst event", value: worst, decimals: 1 },
  ];
};

/** A megabyte that is costly by its value at `n`, or by all of `s0` to `s39`. */
const hostileEvents = {
  digits: { text: `{"n":1${"0".repeat(300_000)}}`, pathOf: () => "n" },
  breaks: { text: `{"n":"${String.raw`x\n `.repeat(200_000)}"}`, pathOf: () => "n" },
  list: { text: `{"n":[${"1,".repeat(490_000)}1]}`, pathOf: () => "n" },
  nested: { text: `{"n":${"[".repeat(490_000)}${"]".repeat(490_000)}}`, pathOf: () => "n" },
  texts: {
    text: `{${Array.from({ length: 40 }, (_, n) => `"s${n}":"${String.raw`é  x\t`.repeat(3_000)}"`).join(",")}}`,
    pathOf: (n: number) => `s${n}`,
  },
};

/** The shortest of several plans of a binding with forty slots, in milliseconds. */
function planningTime({ text, pathOf }: (typeof hostileEvents)[keyof typeof hostileEvents]): number {
  const slots = Array.from({ length: 40 }, (_, n) => String(n + 1));
  const binding: BindingToPlan = {
    id,
    recipient: { strategy: "static_phone", phone: "+491701234567" },
    variableMap: { body: Object.fromEntries(slots.map((slot, n) => [slot, { source: "field", path: pathOf(n) }])) },
    template: template({ body: `${slots.map((slot) => `and {{${slot}}}`).join(" ")}.` }),
  };
  const times = Array.from({ length: 7 }, () => {
    const payload = parseJson(text) as JsonObject;
    const started = performance.now();
    const { previews } = planEvent({
      bindings: [binding],
      payload,
      test: false,
      site: { testPhone: null, activePhones: [] },
      account: { timezone: "UTC", configured: true },
      now: new Date(),
    });
    JSON.stringify(previews);
    return performance.now() - started;
  });
  return Math.min(...times);
}

/** The runs in a second, over this many milliseconds, after as many to warm up. */
function timesASecond(work: () => unknown, ms: number): number {
  repeat(work, ms);
  const started = performance.now();
  return (repeat(work, ms) / (performance.now() - started)) * 1000;
}

/** Repeats work, and looks at the clock only from time to time: some of the work is about as short as that. */
function repeat(work: () => unknown, ms: number): number {
  let times = 0;
  let made: unknown;
  for (const until = performance.now() + ms; performance.now() < until; times += 10) {
    for (let i = 0; i < 10; i += 1) made = work();
  }
  // The result is looked at, so that the work is not optimised away.
  if (made === undefined) throw new Error("the work makes nothing");
  return times;
}
