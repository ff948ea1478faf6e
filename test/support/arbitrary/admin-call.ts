import { appRouter } from "admin-server/router";
import fc from "fast-check";
import { printJson } from "shared/core/json";
import type { JsonValue } from "shared/core/json";
import { jsonBytes } from "./json-text.ts";
import { type Schema, schemaValue } from "./schema-value.ts";

/** One request to the admin API; inputs hold marks for the ids that only the run knows. */
export interface AdminCall {
  calls: { path: string; input: JsonValue | undefined }[];
  batch: boolean;
  method: "right" | "GET" | "POST" | "PUT" | "DELETE" | "PATCH" | "OPTIONS";
  contentType: string | null;
  caller: "owner" | "nobody" | "somebody" | "cookie from elsewhere";
  headers: Record<string, string>;
  /** Bytes in the place of the input. */
  instead: Buffer | null;
  /** Appended to the path. */
  suffix: string;
}

interface Procedure {
  _def: { type: string; inputs: readonly { toJSONSchema(options: object): Schema }[] };
}

// At run time the record is flat, by path; its type is nested.
const procedures = appRouter._def.procedures as unknown as Record<string, Procedure>;

export const isQuery = (path: string): boolean => procedures[path]?._def.type === "query";

/** A subscription has no end to wait for. */
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
  path: fc.constantFrom(
    "sites",
    "sites.",
    ".list",
    "sites.list.list",
    "__proto__",
    "constructor",
    "sites.__proto__",
    "toString",
    "sites,list",
    "%2e",
    "sites%2Flist",
    "sites.list%00",
    "%ff",
    "auth",
  ),
  input: fc.constant({}),
});
const call = fc.oneof({ weight: 30, arbitrary: oneCall }, { weight: 1, arbitrary: unknownCall });

const mostly = <T>(weight: number, usual: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

const headers = fc.constantFrom<Record<string, string>>(
  { accept: "text/event-stream" },
  { "trpc-accept": "application/jsonl" },
  { "x-trpc-source": "\xff" },
  { origin: "null" },
  { origin: "https://evil.example" },
  { cookie: "; =; a=b; tidings_session=\xe9" },
  { "x-forwarded-for": "1.2.3.4, not an address", forwarded: "for=_x" },
  { "content-encoding": "gzip" },
  { authorization: "Basic Zm9vOmJhcg==" },
  { "last-event-id": "7" },
);

/** Any procedure of the router, alone or with others, with input that mostly fits it; sometimes as no client of ours would call it. */
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
