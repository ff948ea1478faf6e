import fc from "fast-check";
import type { JsonValue } from "shared/core/json";
import { hostileJson, jsonBytes } from "./json.ts";

/** One status of a message, as the platform reports it or as somebody would like it to. */
export interface StatusWord {
  /** The message, by its place among those of the run. */
  message: number;
  status: "sent" | "delivered" | "read" | "failed";
  /** The message's name: our reference, the platform's id, neither, or another account's message by its reference. */
  by: "reference" | "id" | "nothing" | "foreign reference" | "made-up reference";
  /** All other members. */
  more: Record<string, JsonValue>;
}

export interface CallbackCase {
  account: "own" | "other" | "nobody" | "no id";
  /** The owner of the secret that signs; `nobody`: no signature at all. */
  signedBy: "owner" | "stranger" | "nobody" | "owner, over other bytes" | "owner, in capitals";
  words: StatusWord[];
  /** The number of times that the words are repeated. */
  times: number;
  /** Members beside the usual ones, of the whole and of each entry. */
  more: Record<string, JsonValue>;
  /** A body of another kind altogether. */
  instead: Buffer | null;
  /** The body is filled up to the largest accepted size and this many bytes more. */
  fill: number | null;
  chunked: boolean;
}

const timestamp = fc.oneof(
  fc.integer({ min: 1_700_000_000, max: 1_900_000_000 }).map(String),
  fc.constantFrom<JsonValue>("0", "-1", "1e9", "99999999999999999999", 1_790_000_000, 1_790_000_000_000, -5, 1.5, "", null, "soon", {
    at: 1,
  }),
);
const code = fc.constantFrom<JsonValue>(131026, 131042, 131049, 130429, "131026", -1, 1e300, null, "x".repeat(3_000), []);
const errors = fc.oneof(
  hostileJson,
  fc.array(fc.record({ code, title: hostileJson, error_data: fc.record({ details: hostileJson }) }), { maxLength: 3 }),
);
/** Further members, never those that name the message or its status. */
const more = fc.record(
  { timestamp, errors, recipient_id: hostileJson, conversation: hostileJson, pricing: hostileJson },
  { requiredKeys: [] },
);

const word: fc.Arbitrary<StatusWord> = fc.record({
  message: fc.nat(39),
  status: fc.constantFrom("sent", "delivered", "read", "failed"),
  by: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom("reference" as const, "id" as const) },
    { weight: 1, arbitrary: fc.constantFrom("nothing" as const, "foreign reference" as const, "made-up reference" as const) },
  ),
  more,
});

const mostly = <T>(usual: T, ...odd: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...odd) });

/** A callback: mostly right, sometimes forged, huge, odd, or no callback at all. */
export const callbackCase: fc.Arbitrary<CallbackCase> = fc.record({
  account: mostly<CallbackCase["account"]>("own", "other", "nobody", "no id"),
  signedBy: mostly<CallbackCase["signedBy"]>("owner", "stranger", "nobody", "owner, over other bytes", "owner, in capitals"),
  words: fc.array(word, { maxLength: 12 }),
  times: fc.oneof(
    { weight: 140, arbitrary: fc.constant(1) },
    { weight: 20, arbitrary: fc.constant(3) },
    { weight: 1, arbitrary: fc.constant(400) },
  ),
  more: fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    {
      weight: 1,
      arbitrary: fc.record({ messaging_product: hostileJson, metadata: hostileJson, errors: hostileJson, __note: hostileJson }),
    },
  ),
  instead: fc.oneof({ weight: 8, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: jsonBytes }),
  fill: fc.oneof({ weight: 300, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.integer({ min: -1, max: 1 }) }),
  chunked: fc.boolean(),
});
