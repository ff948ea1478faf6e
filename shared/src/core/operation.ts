interface KindFacts {
  /** What may be counted beside `sent`, `delivered`, `failed` and `skipped`. */
  own: "cancelled" | "changed" | null;
  /** Whether it may be stopped before its end. */
  canStop: boolean;
  /** Whether its items are messages, which the log finds by it. */
  hasMessages: boolean;
}

/** What works on many. */
export const operationFacts = {
  resend: { own: null, canStop: true, hasMessages: true },
  cancel: { own: "cancelled", canStop: true, hasMessages: true },
  send_now: { own: null, canStop: true, hasMessages: true },
  change_bindings: { own: "changed", canStop: false, hasMessages: false },
  backfill: { own: null, canStop: true, hasMessages: true },
  replay: { own: null, canStop: true, hasMessages: true },
  replay_deliveries: { own: null, canStop: true, hasMessages: false },
  erasure: { own: "changed", canStop: false, hasMessages: false },
} as const satisfies Record<string, KindFacts>;

export type OperationKind = keyof typeof operationFacts;
export const operationKinds = Object.keys(operationFacts) as OperationKind[];

/** What became of a part of an operation: of a message, a delivery, a binding, an event without a message. Each part has one. */
export const outcomes = ["sent", "delivered", "failed", "skipped", "cancelled", "changed"] as const;
export type Outcome = (typeof outcomes)[number];

/** The numbers of an operation's parts by what became of them; `waiting`: those of which nothing is known yet. */
export type OperationCounts = Record<Outcome | "waiting", number>;

export const operationStates = ["running", "stopping", "stopped", "finished"] as const;
export type OperationState = (typeof operationStates)[number];

/** The most things that one call names by their ids. */
export const mostNamed = 500;

/** The most operations of an account that are under way. */
export const mostOpenOperations = 100;
