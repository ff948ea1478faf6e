import fc from "fast-check";
import { type JsonObject, lookUp } from "shared/core/json";
import { scalarAt } from "shared/core/sources/source";
import { shopBody } from "../shops/bodies.ts";
import { gap, toRounds, type Way, way } from "./order.ts";
import type { Life, Post } from "./world.ts";

const steps = ["cart", "order", "pay", "fulfil", "edit", "refund", "cancel"] as const;
const fulfilments = ["success", "cancelled", "error", "failure"] as const;

interface Plan {
  steps: { step: (typeof steps)[number]; fulfilment: (typeof fulfilments)[number]; isPaidBack: boolean; way: Way }[];
  lost: { from: number; count: number } | null;
}

const aStep = fc.record({ step: fc.constantFrom(...steps), fulfilment: fc.constantFrom(...fulfilments), isPaidBack: fc.boolean(), way });

export const shopifyLife: fc.Arbitrary<Plan> = fc.record({ steps: fc.array(aStep, { minLength: 2, maxLength: 9 }), lost: gap });

interface Fact {
  topic: string;
  /** The number of what has happened: its posts, of whatever subscription, have one event id. */
  n: number;
  /** The event that tells of it; null for something that did not come about. */
  means: string | null;
  /** What the customer is to read. */
  total: string;
  amount: string | null;
  isOfOrder: boolean;
}

const read = (name: string): JsonObject => JSON.parse(shopBody(`shopify-${name}`)) as JsonObject;
const bodies = {
  cart: read("checkouts-create"),
  order: read("orders-create"),
  fulfil: read("fulfillments-create"),
  refund: read("refunds-create"),
};

/** The customer pays in dollars of Canada, the shop keeps its books in those of the United States. */
const money = (cents: number) => ({
  shop_money: { amount: (cents / 200).toFixed(2), currency_code: "USD" },
  presentment_money: { amount: (cents / 100).toFixed(2), currency_code: "CAD" },
});

/** What is true of an order while its life is told. */
interface State {
  isPlaced: boolean;
  isPaid: boolean;
  isCancelled: boolean;
  /** Pieces that are left of the order. */
  pieces: number;
}

const pieceCents = 2_500;

function orderBody(id: number, token: string, { isPaid, isCancelled, pieces }: State): JsonObject {
  const [line] = bodies.order["line_items"] as JsonObject[];
  return {
    ...bodies.order,
    id,
    checkout_token: token,
    currency: "USD",
    presentment_currency: "CAD",
    total_price: ((3 * pieceCents) / 200).toFixed(2),
    total_price_set: money(3 * pieceCents),
    current_total_price_set: money(pieces * pieceCents),
    financial_status: isPaid ? "paid" : "pending",
    cancelled_at: isCancelled ? "2026-03-15T10:00:00Z" : null,
    line_items: [
      { ...line, quantity: 3, current_quantity: pieces, price: (pieceCents / 200).toFixed(2), price_set: money(pieceCents) } as JsonObject,
    ],
  };
}

export function shopifyLifeOf({ steps: given, lost }: Plan, id: number): Life<Fact> {
  const token = `token${id}`;
  let state: State = { isPlaced: false, isPaid: false, isCancelled: false, pieces: 3 };
  const sent = given.flatMap(({ step, fulfilment, isPaidBack, way: own }, n) => {
    const was = state;
    const happened = happens(step, state, { fulfilment, isPaidBack });
    if (happened === null) return [];
    state = happened.state;
    const { topic, means, amount = null } = happened;
    const body = { ...bodyOf(step, { id, n, token, state, fulfilment, isPaidBack }) };
    const post = (subscription: number): Post => ({
      headers: { "x-shopify-topic": topic, "x-shopify-webhook-id": `${id} ${n} ${subscription}`, "x-shopify-event-id": `${id} ${n}` },
      body: JSON.stringify(body),
    });
    const total = `CAD ${((state.pieces * pieceCents) / 100).toFixed(2)}`;
    const fact: Fact = { topic, n, means, total, amount, isOfOrder: topic.startsWith("orders/") && (was.isPlaced || state.isPlaced) };
    return [{ post: post(1), fact, way: own, twin: post(2) }];
  });
  const rounds = toRounds<Fact>(sent, lost);
  return { rounds, judge: (told) => judge(rounds, told) };
}

interface Happened {
  topic: string;
  means: string | null;
  state: State;
  amount?: string;
}

/** What comes of a step; null if it cannot be now. */
function happens(
  step: Plan["steps"][number]["step"],
  state: State,
  how: Pick<Plan["steps"][number], "fulfilment" | "isPaidBack">,
): Happened | null {
  const { isPlaced, isPaid, isCancelled, pieces } = state;
  const isOpen = isPlaced && !isCancelled;
  const { fulfilment, isPaidBack } = how;
  switch (step) {
    case "cart":
      return isPlaced ? null : { topic: "checkouts/update", means: "cart.updated", state };
    case "order":
      return isPlaced ? null : { topic: "orders/create", means: "order.created", state: { ...state, isPlaced: true } };
    case "pay":
      return isOpen && !isPaid ? { topic: "orders/paid", means: "payment.received", state: { ...state, isPaid: true } } : null;
    case "fulfil":
      return isOpen ? { topic: "fulfillments/create", means: fulfilment === "success" ? "order.shipped" : null, state } : null;
    case "edit":
      return isOpen && pieces > 1 ? { topic: "orders/updated", means: null, state: { ...state, pieces: pieces - 1 } } : null;
    case "refund":
      return isPaid ? { topic: "refunds/create", means: isPaidBack ? "order.refunded" : null, state, amount: "25.50" } : null;
    case "cancel":
      return isOpen ? { topic: "orders/cancelled", means: "order.cancelled", state: { ...state, isCancelled: true } } : null;
  }
}

interface Given extends Pick<Plan["steps"][number], "fulfilment" | "isPaidBack"> {
  id: number;
  n: number;
  token: string;
  state: State;
}

function bodyOf(step: Plan["steps"][number]["step"], { id, n, token, state, fulfilment, isPaidBack }: Given): JsonObject {
  switch (step) {
    case "cart":
      return { ...bodies.cart, token, completed_at: null };
    case "fulfil":
      return { ...bodies.fulfil, id: id * 100 + n, order_id: id, status: fulfilment };
    case "refund":
      return {
        ...bodies.refund,
        id: id * 100 + n,
        order_id: id,
        transactions: [
          { id: 1, kind: "refund", status: isPaidBack ? "success" : "failure", amount: "20.50", currency: "CAD" },
          { id: 2, kind: "refund", status: isPaidBack ? "success" : "pending", amount: "5", currency: "CAD" },
        ],
      };
    default:
      return orderBody(id, token, state);
  }
}

type Told = Parameters<Life<Fact>["judge"]>[0];

/** Topics whose messages would contradict that the order is cancelled. */
const before = new Set(["order.created", "payment.received", "order.shipped"]);

function judge(rounds: Life<Fact>["rounds"], told: Told): string[] {
  const events = told.filter(({ taken }) => taken.event !== null);
  const names = events.map(({ taken, fact }) => `${taken.event} ${fact.n}`);
  const came = (round: number, is: (fact: Fact) => boolean): boolean =>
    rounds.slice(0, round).some((posts) => posts.some(({ fact }) => is(fact)));
  return [
    ...names.filter((name, n) => names.indexOf(name) < n).map((name) => `${name} twice`),
    ...events.flatMap(({ taken: { event, payload }, fact, round }) => [
      ...(event === fact.means ? [] : [`${event} of ${fact.topic} that did not come about`]),
      ...(event === "cart.updated" && came(round, ({ isOfOrder }) => isOfOrder) ? ["a cart that was bought"] : []),
      ...(before.has(event ?? "") && came(round, ({ topic }) => topic === "orders/cancelled") ? [`${event} of a cancelled order`] : []),
      ...(fact.isOfOrder ? wrongTexts(fact, payload) : []),
      ...(event === "order.refunded" && lookUp(payload, "data.refund.amount") !== fact.amount ? ["a wrong refund"] : []),
    ]),
    ...told.flatMap(({ fact, round }) => {
      const isHeld =
        (fact.means === "cart.updated" && came(round + 1, ({ isOfOrder }) => isOfOrder)) ||
        (before.has(fact.means ?? "") && came(round + 1, ({ topic }) => topic === "orders/cancelled"));
      return fact.means === null || isHeld || names.includes(`${fact.means} ${fact.n}`) ? [] : [`${fact.means} that nobody was told of`];
    }),
  ];
}

function wrongTexts({ total }: Fact, payload: JsonObject): string[] {
  const seen = `${scalarAt(payload, "order.currency")} ${scalarAt(payload, "order.total")}`;
  const items = lookUp(payload, "order.items") as JsonObject[];
  const pieces = items.map((item) => `${scalarAt(item, "qty")} ${scalarAt(item, "price")}`);
  const isRight =
    pieces.length === 1 && Number(pieces[0]?.split(" ")[0]) * 25 === Number(total.slice(4)) && pieces[0]?.endsWith(" 25.00") === true;
  return seen === total && isRight ? [] : [`${seen} of ${pieces.join()} in place of ${total}`];
}
