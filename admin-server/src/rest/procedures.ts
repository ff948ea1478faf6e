import type { Role } from "shared/core/role";
import { attempt } from "shared/core/text";
import { apiCodes } from "shared/docs/codes";
import type { Schema } from "shared/docs/reference";
import { z } from "zod";
import { appRouter } from "../router.ts";
import { refusedInput } from "../trpc/errors.ts";
import { proofOf, scopeOf } from "../trpc/proofs.ts";
import { isOpenToTokens } from "../trpc/roles.ts";
import type { Meta } from "../trpc/trpc.ts";

/** A query or mutation that access tokens may call. */
export interface RestProcedure {
  /** Such as `sites.create`. */
  path: string;
  /** Such as `/api/v1/sites/create`. */
  address: string;
  method: "GET" | "POST";
  /** Null: everybody may call it. */
  role: Role | null;
  /** The scope that a token needs, if it has any; null: only a token without scopes. */
  scope: string | null;
  input: Schema;
  /** The codes that a refusal of it may have. */
  refusals: string[];
  /** @throws TRPCError BAD_REQUEST for an input that it would refuse */
  check: (input: object) => void;
}

export const restPrefix = "/api/v1/";

interface Definition {
  _def: { type: "query" | "mutation" | "subscription"; inputs: z.ZodType[]; meta?: Meta };
}

/** A member that tRPC's infinite queries add by themselves. */
const ofClients = "direction";

const inputOf = ([schema = z.strictObject({})]: z.ZodType[]): z.ZodType => schema;

function describe(schema: z.ZodType): Schema {
  const { $schema: _, ...input } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Schema;
  const { [ofClients]: __, ...properties } = input.properties ?? {};
  return input.properties === undefined ? input : { ...input, properties };
}

/** A mutation may meet what somebody else changed, what takes an id may not find it; these do besides, and `!` does not. */
const special: Readonly<Record<string, string>> = {
  NOT_FOUND:
    "alerts.confirm sandbox.markRead !sites.list !templates.check !templates.usage !webhookDeliveries.count !webhookDeliveries.list",
  CONFLICT: "assistant.preview sandbox.messages setup.plan",
  BAD_GATEWAY: "templates.delete templates.setHeaderMedia templates.submit templates.sync",
};

/** Every procedure of the REST API, by its path. */
export const restProcedures: ReadonlyMap<string, RestProcedure> = new Map(
  Object.entries(appRouter._def.procedures as unknown as Record<string, Definition>).flatMap(([path, { _def }]) => {
    const { type, inputs, meta } = _def;
    if (type === "subscription" || !isOpenToTokens(path) || (proofOf(path) === "person" && type === "mutation")) return [];
    const input = describe(inputOf(inputs));
    const procedure: RestProcedure = {
      path,
      address: restPrefix + path.replaceAll(".", "/"),
      method: type === "query" ? "GET" : "POST",
      role: meta?.role ?? null,
      scope: type === "query" ? "read" : scopeOf(path),
      input,
      refusals: apiCodes.map(([code]) => code).filter((code) => mayAnswer(code, path, type, input)),
      check: (input) => {
        const { error } = inputOf(inputs).safeParse(input);
        if (error !== undefined) throw refusedInput(error.issues);
      },
    };
    return [[path, procedure] as const];
  }),
);

function mayAnswer(code: string, path: string, type: string, input: Schema): boolean {
  const named = special[code]?.split(" ");
  if (named === undefined || named.includes(path)) return true;
  if (code === "CONFLICT") return type === "mutation";
  return code === "NOT_FOUND" && !named.includes(`!${path}`) && /"format":"uuid"|"clientId":/.test(JSON.stringify(input));
}

/** The input that a query string stands for: a text as it is; numbers, booleans, null, objects and arrays as JSON text, where the member may be one. */
export function readQuery({ input }: RestProcedure, query: URLSearchParams): Record<string, unknown> {
  const entries = [...new Set(query.keys())].map((name) => {
    const [text = "", ...more] = query.getAll(name);
    return [name, more.length > 0 ? [text, ...more] : readMember(text, typesOf(input.properties?.[name] ?? {}))] as const;
  });
  return Object.fromEntries(entries);
}

function readMember(text: string, types: ReadonlySet<string>): unknown {
  if ([...types].every((type) => type === "string")) return text;
  const value = attempt((): unknown => JSON.parse(text), text);
  return types.has(typeOf(value)) ? value : text;
}

/** The types of JSON that a value may have; none where the schema does not say. */
export function typesOf({ type = [], anyOf = [], oneOf = [], const: only, enum: some = [] }: Schema): Set<string> {
  const own = [type].flat().map((name) => (name === "integer" ? "number" : name));
  const values = [...some, ...(only === undefined ? [] : [only])].map(typeOf);
  return new Set([...own, ...values, ...[...anyOf, ...oneOf].flatMap((each) => [...typesOf(each)])]);
}

const typeOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
