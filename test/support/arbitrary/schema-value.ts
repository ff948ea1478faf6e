import fc from "fast-check";
import type { JsonValue } from "shared/core/json";
import { hostileJson, hostileText } from "./hostile-json.ts";

/** As much of JSON Schema as zod writes. */
export interface Schema {
  type?: string | undefined;
  const?: JsonValue | undefined;
  enum?: JsonValue[] | undefined;
  anyOf?: Schema[] | undefined;
  oneOf?: Schema[] | undefined;
  allOf?: Schema[] | undefined;
  properties?: Record<string, Schema> | undefined;
  required?: string[] | undefined;
  additionalProperties?: Schema | boolean | undefined;
  items?: Schema | undefined;
  format?: string | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  $ref?: string | undefined;
}

/** Stands for an id that only the run knows: of the caller's own or of another account, for the member of that name. */
const idMark = (whose: "own" | "their", member: string): string => `@${whose} ${member}`;

/** Values that mostly fit the schema, with anything at all in the place of some parts. `member`: the name that the value stands under. */
export function schemaValue(schema: Schema, member = "", depth = 0): fc.Arbitrary<JsonValue> {
  const fitting = depth > 8 ? fc.constant(null) : fit(schema, member, depth);
  return fc.oneof({ weight: 24, arbitrary: fitting }, { weight: 1, arbitrary: hostileJson });
}

function fit(schema: Schema, member: string, depth: number): fc.Arbitrary<JsonValue> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => schemaValue(choice, member, depth + 1)));
  const [first] = schema.allOf ?? [];
  if (first !== undefined) return schemaValue(first, member, depth + 1);
  switch (schema.type) {
    case "object":
      return object(schema, depth);
    case "array":
      return fc.array(schemaValue(schema.items ?? {}, member, depth + 1), { maxLength: 4 });
    case "string":
      return text(schema, member);
    case "integer":
    case "number":
      return number(schema);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      return hostileJson;
  }
}

function object({ properties = {}, required = [], additionalProperties }: Schema, depth: number): fc.Arbitrary<JsonValue> {
  const members = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, schemaValue(schema, name, depth + 1)]));
  const known = fc.record(members, { requiredKeys: required });
  if (typeof additionalProperties !== "object") return known;
  const slots = fc.dictionary(fc.constantFrom("1", "2", "3", "10", "0", "x"), schemaValue(additionalProperties, "", depth + 1), {
    maxKeys: 3,
  });
  return fc.tuple(known, slots).map(([some, more]) => ({ ...some, ...more }));
}

const words = [
  "Shop",
  "order.created",
  "order_created",
  "en_US",
  "Hello {{1}}, welcome",
  "{{1}} {{2}} thanks",
  "https://shop.example/t/{{1}}",
  "https://shop.example",
  "+491701234567",
  "ada@example.com",
  "a good long password",
  "customer.first_name",
  "order.id",
  "Europe/Berlin",
  "Asia/Kathmandu",
  "v25.0",
  "2026-01-01T00:00:00Z",
  "2026-02-30T00:00:00Z",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999Z",
  "",
  " ",
  "\u0000",
  "%",
  "_",
  "\\",
  "'",
  "{}",
  "[]",
  '{"order":{"id":1}}',
];

function text({ format }: Schema, member: string): fc.Arbitrary<JsonValue> {
  const word = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...words) }, { weight: 1, arbitrary: hostileText });
  if (format !== "uuid" && !/id$/i.test(member)) return word;
  const own = fc.constant(idMark("own", member));
  const other = fc.oneof(fc.constant(idMark("their", member)), fc.uuid({ version: 7 }), word);
  return fc.oneof({ weight: 4, arbitrary: own }, { weight: 1, arbitrary: other });
}

const odd = fc.constantFrom<JsonValue>(0, -1, 1.5, 1e300, -(2n ** 70n), 2n ** 53n, 2_147_483_648);

function number({ minimum = -100, maximum = 1_000 }: Schema): fc.Arbitrary<JsonValue> {
  const fitting = fc.integer({ min: Math.max(-1e9, minimum), max: Math.min(1e9, maximum) });
  return fc.oneof({ weight: 5, arbitrary: fitting }, { weight: 1, arbitrary: odd });
}
