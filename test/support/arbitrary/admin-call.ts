import { appRouter } from "admin-server/router";
import fc from "fast-check";
import { printJson, type JsonValue } from "shared/core/json";
import { data } from "../data.ts";
import { jsonBytes, hostileJson, hostileText } from "./json.ts";

const words = data<string[]>("test-support-arbitrary-admin-call", "words");

const odd = fc.constantFrom<JsonValue>(0, -1, 1.5, 1e300, -(2n ** 70n), 2n ** 53n, 2_147_483_648);

/** Stands for an id that only the run knows: of the caller's own or of another account, for the member of that name. */
const idMark = (whose: "own" | "their", member: string): string => `@${whose} ${member}`;

/** One request to the admin API; inputs hold marks for the ids that only the run knows. */
export interface AdminCall {
  calls: { path: string; input: JsonValue | undefined }[];
  batch: boolean;
  method: "right" | "GET" | "POST" | "PUT" | "DELETE" | "PATCH" | "OPTIONS";
  contentType: string | null;
  caller: "owner" | "nobody" | "somebody" | "cookie from elsewhere";
  headers: Record<string, string>;
  /** Bytes in place of the input. */
  instead: Buffer | null;
  /** A text behind the path. */
  suffix: string;
}

interface Procedure {
  _def: { type: string; inputs: readonly { toJSONSchema(options: object): Schema }[] };
}

// At run time the record is flat, by path; its type is nested.
const procedures = appRouter._def.procedures as unknown as Record<string, Procedure>;

export const isQuery = (path: string): boolean => procedures[path]?._def.type === "query";

/** Procedures without subscriptions, which have no end to wait for. */
const callable = Object.entries(procedures).filter(([, { _def }]) => _def.type !== "subscription");

const oneCall = fc.oneof(
  ...callable.map(([path, { _def }]) => {
    const [input] = _def.inputs;
    const schema = input?.toJSONSchema({ io: "input", unrepresentable: "any" });
    const value: fc.Arbitrary<JsonValue | undefined> = schema === undefined ? fc.constant(undefined) : schemaValue(schema);
    return fc.record({ path: fc.constant(path), input: value });
  }),
);
const unknownCall = fc.record({
  path: fc.constantFrom(...data<string[]>("test-support-arbitrary-admin-call", "unknown paths")),
  input: fc.constant({}),
});

const call = fc.oneof({ weight: 30, arbitrary: oneCall }, { weight: 1, arbitrary: unknownCall });

const mostly = <T>(weight: number, usual: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

const headers = fc.constantFrom<Record<string, string>>(...data<Record<string, string>[]>("test-support-arbitrary-admin-call", "headers"));

/** Any procedure of the router, alone or with others, with input that mostly fits it; sometimes in a way in which no client of ours would call it. */
export const adminCall: fc.Arbitrary<AdminCall> = fc
  .record({
    calls: fc.oneof(
      { weight: 120, arbitrary: call.map((one) => [one]) },
      { weight: 20, arbitrary: fc.array(call, { minLength: 2, maxLength: 5 }) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(100, 101).map((length) => Array.from({ length }, () => ({ path: "auth.me", input: undefined }))),
      },
    ),
    alone: fc.boolean(),
    method: mostly<AdminCall["method"]>(20, "right", "GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"),
    contentType: mostly<string | null>(
      20,
      "application/json",
      null,
      "text/plain",
      "application/json; charset=latin1",
      "multipart/form-data; boundary=x",
      "application/octet-stream",
    ),
    caller: mostly<AdminCall["caller"]>(15, "owner", "nobody", "somebody", "cookie from elsewhere"),
    headers: fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: headers }),
    instead: fc.oneof({ weight: 15, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: jsonBytes }),
    suffix: mostly(40, "", "/", "/x", "?batch=2", "?batch=1&batch=1", "?input=%", "?input={}&input={}", "//", ";a"),
  })
  .map(({ alone, ...rest }) => ({ ...rest, batch: rest.calls.length > 1 || !alone }));

/** The input's text; large integers keep their digits. */
export const printInput = (input: JsonValue | undefined): string => (input === undefined ? "{}" : printJson(input));

/** The part of JSON Schema that zod writes. */
interface Schema {
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

/** Values that mostly fit the schema, with anything in place of some parts. `member` is the value's name. */
function schemaValue(schema: Schema, member = "", depth = 0): fc.Arbitrary<JsonValue> {
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

function text({ format }: Schema, member: string): fc.Arbitrary<JsonValue> {
  const word = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...words) }, { weight: 1, arbitrary: hostileText });
  if (format !== "uuid" && !/id$/i.test(member)) return word;
  const own = fc.constant(idMark("own", member));
  const other = fc.oneof(fc.constant(idMark("their", member)), fc.uuid({ version: 7 }), word);
  return fc.oneof({ weight: 4, arbitrary: own }, { weight: 1, arbitrary: other });
}

function number({ minimum = -100, maximum = 1_000 }: Schema): fc.Arbitrary<JsonValue> {
  const fitting = fc.integer({ min: Math.max(-1e9, minimum), max: Math.min(1e9, maximum) });
  return fc.oneof({ weight: 5, arbitrary: fitting }, { weight: 1, arbitrary: odd });
}
