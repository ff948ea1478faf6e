import fc from "fast-check";
import { lookUp } from "shared/core/json";
import { scalarAt } from "shared/core/sources/source";
import { shopBody } from "../shops/bodies.ts";
import { gap, toRounds, type Way, way } from "./order.ts";
import type { Life, Post } from "./world.ts";

const steps = ["pay", "hold", "note", "refund", "refundAll", "complete", "reopen", "cancel", "fail", "trash"] as const;
const starts = ["pending", "processing", "on-hold", "checkout-draft"] as const;

interface Plan {
  start: (typeof starts)[number];
  cod: boolean;
  steps: { step: (typeof steps)[number]; seconds: number; way: Way }[];
  created: Way;
  updated: Way;
  lost: { from: number; count: number } | null;
  isAsked: boolean;
}

export const wooLife: fc.Arbitrary<Plan> = fc.record({
  start: fc.constantFrom(...starts),
  cod: fc.boolean(),
  steps: fc.array(fc.record({ step: fc.constantFrom(...steps), seconds: fc.nat(2), way }), { maxLength: 8 }),
  created: way,
  updated: way,
  lost: gap,
  isAsked: fc.boolean(),
});

/** A state in which the order was saved. */
interface State {
  at: number;
  status: string;
  isPaid: boolean;
  refunds: { id: number; cents: number }[];
}

interface Fact {
  topic: "order.created" | "order.updated" | "asked";
  state: State;
}

const drafts = new Set(["checkout-draft", "trash"]);

function after(state: State, step: Plan["steps"][number]["step"], nextRefund: number): State {
  const { status, refunds } = state;
  const isPlaced = ["processing", "completed", "on-hold"].includes(status);
  switch (step) {
    case "pay":
      return drafts.has(status) || status === "completed" ? state : { ...state, status: "processing", isPaid: true };
    case "hold":
      return isPlaced ? { ...state, status: "on-hold" } : state;
    case "refund":
      return isPlaced ? { ...state, refunds: [{ id: nextRefund, cents: 100 + (nextRefund % 400) }, ...refunds] } : state;
    case "refundAll":
      return isPlaced ? { ...state, status: "refunded", refunds: [{ id: nextRefund, cents: 1000 }, ...refunds] } : state;
    case "complete":
      return isPlaced ? { ...state, status: "completed", isPaid: true } : state;
    case "reopen":
      return status === "completed" ? { ...state, status: "processing" } : state;
    case "cancel":
      return status === "completed" ? state : { ...state, status: "cancelled" };
    case "fail":
      return status === "pending" ? { ...state, status: "failed" } : state;
    case "trash":
      return { ...state, status: "trash" };
    case "note":
      return state;
  }
}

const base = JSON.parse(shopBody("woocommerce-order-created")) as { line_items: object[] };
const time = (at: number): string => new Date(Date.UTC(2026, 2, 14, 10) + at * 1000).toISOString().slice(0, 19);

function bodyOf(id: number, { cod }: Plan, { at, status, isPaid, refunds }: State): string {
  const [line] = base.line_items;
  const parcel = { tracking_number: "0034", tracking_provider: "dhl", custom_tracking_provider: "" };
  return JSON.stringify({
    ...base,
    id,
    status,
    currency: "EUR",
    total: "50.00",
    payment_method: cod ? "cod" : "stripe",
    date_paid: isPaid ? time(at) : null,
    date_paid_gmt: isPaid ? time(at) : null,
    date_modified_gmt: time(at),
    line_items: [{ ...line, name: "Salt &amp; Pepper", quantity: 3, price: 14.005602240896, total: "42.02", total_tax: "7.98" }],
    meta_data: [{ key: "_wc_shipment_tracking_items", value: { 1: parcel } }],
    refunds: refunds.map((refund) => ({ id: refund.id, reason: "", total: `-${(refund.cents / 100).toFixed(2)}` })),
  });
}

/** The states of the order, each of which WordPress posts. */
function statesOf(plan: Plan, id: number): State[] {
  const first: State = { at: 0, status: plan.start, isPaid: !plan.cod && plan.start === "processing", refunds: [] };
  const states = [first];
  // The block checkout saves a draft first.
  if (plan.start === "checkout-draft") states.push({ ...first, at: 1, status: "pending" });
  for (const { step, seconds } of plan.steps) {
    const last = states.at(-1) ?? first;
    states.push({ ...after(last, step, id * 100 + states.length), at: last.at + seconds });
  }
  return states;
}

export function wooLifeOf(plan: Plan, id: number): Life<Fact> {
  const states = statesOf(plan, id);
  const placed = plan.start === "checkout-draft" ? 1 : 0;
  const post = (topic: string, state: State, isFetched = false): Post => {
    return { headers: { "x-wc-webhook-topic": topic }, body: bodyOf(id, plan, state), isFetched };
  };
  const sent = states.flatMap((state, n) => {
    const own = n <= placed ? plan.created : (plan.steps[n - placed - 1]?.way ?? plan.updated);
    const created = { post: post("order.created", state), fact: { topic: "order.created" as const, state }, way: own };
    const updated = {
      post: post("order.updated", state),
      fact: { topic: "order.updated" as const, state },
      way: n <= placed ? plan.updated : own,
    };
    return n <= placed ? [created, updated] : [updated];
  });
  const rounds = toRounds<Fact>(sent, plan.lost);
  const last = states.at(-1) as State;
  if (plan.isAsked && !drafts.has(last.status))
    for (const topic of ["order.created", "order.updated"])
      rounds.push([{ post: post(topic, last, true), fact: { topic: "asked", state: last } }]);
  return { rounds, judge: (told) => judge(plan, last, rounds, told) };
}

const eventOfStatus = new Map([
  ["processing", "payment.received"],
  ["completed", "order.shipped"],
  ["cancelled", "order.cancelled"],
  ["failed", "payment.failed"],
]);
const statusOfEvent = new Map([...eventOfStatus].map(([status, event]) => [event, status]));

type Told = Parameters<Life<Fact>["judge"]>[0];

function judge(plan: Plan, last: State, rounds: Life<Fact>["rounds"], told: Told): string[] {
  const events = told.filter(({ taken }) => taken.event !== null);
  const names = events.map(({ taken }) => `${taken.event} ${scalarAt(taken.payload, "data.refund.id") ?? ""}`);
  return [
    ...names.filter((name, n) => names.indexOf(name) < n).map((name) => `${name} twice`),
    ...events.flatMap(({ taken: { event, payload }, fact: { state }, round }) => [
      ...(drafts.has(state.status) ? [`${event} of a draft`] : []),
      ...(hasNewer(rounds, round, state.at) ? [`${event} of an older state`] : []),
      ...untrue(plan, state, event ?? "", payload),
    ]),
    ...untold(last, rounds, told),
  ];
}

/** Whether a newer state had come in a round before. */
const hasNewer = (rounds: Life<Fact>["rounds"], round: number, at: number): boolean =>
  rounds.slice(0, round).some((posts) => posts.some(({ fact: { state } }) => state.at > at && !drafts.has(state.status)));

/** What an event says that was not so when the order was saved. */
function untrue({ cod }: Plan, state: State, event: string, payload: Parameters<typeof lookUp>[0]): string[] {
  const status = statusOfEvent.get(event);
  const refund = state.refunds.find(({ id }) => String(id) === lookUp(payload, "data.refund.id"));
  const amount = refund && (refund.cents / 100).toFixed(2);
  const seen = ["order.items.0.name", "order.items.0.price", "order.tracking_number"].map((path) => lookUp(payload, path));
  return [
    ...(status !== undefined && state.status !== status ? [`${event} of ${state.status}`] : []),
    ...(event === "payment.received" && cod && !state.isPaid ? ["cash on delivery told as paid"] : []),
    ...(event === "order.refunded" && (amount === undefined || lookUp(payload, "data.refund.amount") !== amount) ? ["a wrong refund"] : []),
    ...(JSON.stringify(seen) === '["Salt & Pepper","16.67","0034"]' ? [] : [`wrong texts ${JSON.stringify(seen)}`]),
  ];
}

/** What the last state says and nobody was told, although its request arrived. */
function untold(last: State, rounds: Life<Fact>["rounds"], told: Told): string[] {
  if (drafts.has(last.status)) return [];
  // What is saved again in the same second, with nothing changed, is the same request.
  const isLast = ({ topic, state }: Fact): boolean => topic === "order.updated" && JSON.stringify(state) === JSON.stringify(last);
  const arrived = told.filter(({ fact }) => isLast(fact));
  const isAsked = told.some(({ fact }) => fact.topic === "asked");
  const ids = told.flatMap(({ taken }) => scalarAt(taken.payload, "data.refund.id") ?? "");
  const open = last.refunds.filter(({ id }) => !ids.includes(String(id)));
  const tellsRefund = arrived.some(({ taken }) => taken.event === "order.refunded");
  const event = eventOfStatus.get(last.status);
  const isKnown = event === undefined || told.some(({ taken }) => taken.event === event) || (event === "payment.received" && !last.isPaid);
  if (arrived.length === 0 || rounds.length === 0) return [];
  return [
    // Of several new refunds one is told at once, and a status that comes with one waits for the next save, unless the shop can be asked.
    ...(open.length > 0 && (isAsked || !tellsRefund) ? ["a refund that nobody was told of"] : []),
    ...(!isKnown && (isAsked || !tellsRefund) ? [`${event} that nobody was told of`] : []),
  ];
}
