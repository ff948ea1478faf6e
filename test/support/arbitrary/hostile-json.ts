import fc from "fast-check";
import type { JsonObject, JsonValue } from "shared/core/json";

const parts = [
  "\ud800",
  "\udc00",
  "\0",
  "\r\n",
  "\n",
  "\t",
  " ",
  "  ",
  "\u2028",
  "\x85",
  "|",
  "{{1}}",
  "$&",
  "%",
  "%zz",
  "%C3",
  "é",
  "😀",
  "a",
];

/** The keys that the code looks for, those that every object inherits, and any others. */
const key = fc.oneof(
  fc.constantFrom(
    "customer",
    "first_name",
    "last_name",
    "full_name",
    "phone_e164",
    "order",
    "cart",
    "items",
    "total",
    "currency",
    "id",
    "number",
  ),
  fc.constantFrom("name", "qty", "price", "test", "event", "data", "0", "1", "length"),
  fc.constantFrom("__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "toJSON", ""),
  fc.string(),
);

/** Texts with what breaks senders: halves of characters, control characters, line breaks, slots, URL parts, patterns of `replace`. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 10, arbitrary: fc.string({ unit: "binary" }) },
  { weight: 10, arbitrary: fc.array(fc.constantFrom(...parts)).map((texts) => texts.join("")) },
  { weight: 10, arbitrary: fc.constantFrom("+491701234567", "USD", "zzz", "$$$", "https://shop.example/t/", "49.90", "test") },
  { weight: 1, arbitrary: fc.integer({ min: 1000, max: 5000 }).map((length) => "x ".repeat(length)) },
);

const scalar = fc.oneof(
  hostileText,
  fc.constantFrom<JsonValue>(null, true, false, 0, -0, 1e300, 1e-7, 2n ** 70n, -(2n ** 53n) - 1n),
  fc.double({ noNaN: true }),
  fc.integer(),
);

/** Any JSON, aimed at the shapes that the code reads; may hold bigints, and arrays nested deeper than the stack goes. */
export const hostileJson: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    { weight: 20, arbitrary: scalar },
    {
      weight: 20,
      arbitrary: fc.array(fc.tuple(key, tie("value")), { maxLength: 8 }).map((entries) => Object.fromEntries(entries) as JsonObject),
    },
    { weight: 10, arbitrary: fc.array(tie("value"), { maxLength: 5 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 20_000 }).map(nest) },
  ),
})).value;

/** A payload: what a customer may post. */
export const hostilePayload: fc.Arbitrary<JsonObject> = fc
  .record(
    {
      customer: hostileJson,
      order: hostileJson,
      cart: hostileJson,
      data: hostileJson,
      rest: fc.dictionary(key, hostileJson, { maxKeys: 4 }),
    },
    { requiredKeys: [] },
  )
  .map(({ rest, ...members }) => ({ ...rest, ...members }) as JsonObject);

/** An array in an array, so many deep. */
function nest(depth: number): JsonValue {
  let value: JsonValue = [];
  for (let level = 1; level < depth; level++) value = [value];
  return value;
}
