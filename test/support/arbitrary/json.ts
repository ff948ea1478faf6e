import fc from "fast-check";
import { printJson, type JsonObject, type JsonValue } from "shared/core/json";
import { data } from "../data.ts";
import { words } from "../words.ts";

/** Numbers in the usual forms of senders, and in wrong ones. */
const number = fc.oneof(
  fc.constantFrom(...data<string[]>("test-support-arbitrary-json", "numbers")),
  fc.integer({ min: 1, max: 2_000 }).map((digits) => "9".repeat(digits)),
  fc.constantFrom("01", "+1", ".5", "1.", "NaN", "Infinity", "0x10", "1_000"),
);

/** Texts between quotes. */
const quoted = fc.oneof(
  fc.constantFrom(...data<string[]>("test-support-arbitrary-json", "quoted")),
  fc.constantFrom(String.raw`\x41`, String.raw`\u12`, "\t", "\0", "\n", "\\"),
  fc.integer({ min: 1, max: 30_000 }).map((length) => "x".repeat(length)),
);

const keyNames = fc.constantFrom(...data<string[]>("test-support-arbitrary-json", "keyNames"));

/** Members that only a text can hold: the same key twice, numbers and escapes that no parser would print. */
const member = fc.oneof(
  fc.tuple(keyNames, number).map(([key, value]) => `"${key}":${value}`),
  fc.tuple(keyNames, quoted).map(([key, value]) => `"${key}":"${value}"`),
  fc.tuple(keyNames, keyNames).map(([key, inner]) => `"${key}":1,"${key}":{"${inner}":{"__proto__":{"test":true}}}`),
);

const nested = fc
  .tuple(fc.integer({ min: 1, max: 60_000 }), fc.constantFrom(["[", "]"], ['{"a":', "1}"], ['[{"":', "0}]"]))
  .map(
    ([depth, [open = "", close = ""]]) =>
      `{"deep":${open.repeat(depth)}${close.startsWith("]") ? "" : "0"}${close.replace(/^\d/, "").repeat(depth)}}`,
  );

const manyKeys = fc.integer({ min: 1, max: 40_000 }).map((count) => `{${Array.from({ length: count }, (_, i) => `"k${i}":${i}`).join()}}`);

/** Texts that are no objects, or no JSON. */
const oddTexts = fc.constantFrom(...data<string[]>("test-support-arbitrary-json", "oddTexts"));

const oddBytes = fc.constantFrom(
  [0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d],
  [0xfe, 0xff, 0, 0x7b, 0, 0x7d],
  [0x7b, 0x7d, 0x80],
  [0xed, 0xa0, 0x80],
  [0],
);

/** Bodies around the largest accepted size. */
const large = fc
  .tuple(fc.integer({ min: -2, max: 2 }), fc.boolean())
  .map(([off, spaces]) => (spaces ? `{}${" ".repeat(1_048_574 + off)}` : `{"x":"${"x".repeat(1_048_568 + off)}"}`));

const parts = data<string[]>("test-support-arbitrary-json", "parts");

/** Keys that the code looks for, keys that every object inherits, and any others. */
const key = fc.oneof(
  fc.constantFrom(
    ...words(`
    customer first_name last_name full_name phone_e164 order cart items total currency id number
  `),
  ),
  fc.constantFrom("name", "qty", "price", "test", "event", "data", "0", "1", "length"),
  fc.constantFrom("__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "toJSON", ""),
  fc.string(),
);

/** Halves of characters lie here, between the characters. */
const [halves, howMany] = [0xd800, 0x800];

/** Any character. The library's own unit of them makes a table of a million in each process. */
const character = fc.integer({ min: 0, max: 0x10ffff - howMany }).map(
  (place) => String.fromCodePoint(place < halves ? place : place + howMany),
  (text) => {
    const [code = 0, more] = Array.from(text as string, (each) => each.codePointAt(0) ?? 0);
    if (text === "" || more !== undefined) throw new Error("this is not one character");
    return code < halves ? code : code - howMany;
  },
);

/** Texts with characters that break senders: halves of characters, control characters, line breaks, slots, URL parts, patterns of `replace`. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 10, arbitrary: fc.string({ unit: character }) },
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

/** Any JSON, aimed at the shapes that the code reads; may hold bigints, and arrays that are nested deeper than the stack. */
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

/** A payload that a customer may post. */
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

const likely = hostilePayload.map((payload) => printJson(payload as JsonObject));

/** The bytes of a body: mostly a payload, often one that no printer would write, and sometimes no JSON at all. */
export const jsonBytes: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 60, arbitrary: likely.map((text) => Buffer.from(text)) },
  {
    weight: 25,
    arbitrary: fc.array(member, { minLength: 1, maxLength: 6 }).map((members) => Buffer.from(`{${members.join()}}`)),
  },
  { weight: 4, arbitrary: nested.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: manyKeys.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: large.map((text) => Buffer.from(text)) },
  { weight: 6, arbitrary: oddTexts.map((text) => Buffer.from(text)) },
  { weight: 3, arbitrary: oddBytes.map((bytes) => Buffer.from(bytes)) },
);

/** A payload that a customer would send, with a recipient. */
export const ordinaryBytes: fc.Arbitrary<Buffer> = fc
  .record({
    first_name: fc.constantFrom("Ada", "Zoë", "李", "a\nb"),
    phone_e164: fc.constantFrom("+15551230001", "+15551230002", "", "no phone"),
  })
  .map((customer) => Buffer.from(JSON.stringify({ customer, order: { id: "10042", notify: "+15551230003" } })));

/** An array in an array, nested this deep. */
function nest(depth: number): JsonValue {
  let value: JsonValue = [];
  for (let level = 1; level < depth; level++) value = [value];
  return value;
}
