import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AdminAnswers } from "admin-server/client";
import { restProcedures } from "admin-server/rest/procedures";
import { API, type Checker, type Symbol, SymbolFlags, type Type, TypeFlags } from "typescript/unstable/sync";

/** The types that the schemas are made of. */
export type Answers = AdminAnswers;

export type AnswerSchema = Record<string, unknown>;

const config = fileURLToPath(new URL("../tsconfig.json", import.meta.url));
const target = fileURLToPath(new URL("../../admin-server/src/rest/answers.json", import.meta.url));

/** The text of `answers.json`: a JSON schema of the answer of each procedure that stands in the REST API, as the types of the procedures say. */
export function writeAnswers(): string {
  const paths = [...restProcedures.keys()].toSorted();
  const { schemas, shared } = share(answerSchemas(paths));
  const lines = (all: Record<string, AnswerSchema>): string =>
    Object.entries(all)
      .map(([name, schema]) => `    ${JSON.stringify(name)}: ${JSON.stringify(schema)}`)
      .join(",\n");
  return `{\n  "procedures": {\n${lines(schemas)}\n  },\n  "shared": {\n${lines(shared)}\n  }\n}\n`;
}

function answerSchemas(paths: readonly string[]): Record<string, AnswerSchema> {
  const api = new API();
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    const file = project?.program.getSourceFile(fileURLToPath(import.meta.url));
    const module = file && project?.checker.getSymbolAtLocation(file);
    const symbol = module && project?.checker.getExportsOfModule(module).find(({ name }) => name === "Answers");
    if (project === undefined || symbol === undefined) throw new Error("the type Answers is not found");
    const all = project.checker.getDeclaredTypeOfSymbol(symbol);
    const reader = createReader(project.checker);
    return Object.fromEntries(paths.map((path) => [path, reader.schemaOf(reader.memberOf(all, path.split(".")))]));
  } finally {
    api.close();
  }
}

/** Shorter schemas are written wherever they are needed. */
const leastShared = 250;

/** Puts what stands in several places under a name, that of the first member that has it. */
function share(schemas: Record<string, AnswerSchema>) {
  const counts = new Map<string, number>();
  const count = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const text = JSON.stringify(value);
    const seen = counts.get(text) ?? 0;
    counts.set(text, seen + 1);
    if (seen === 0) for (const inner of Object.values(value)) count(inner);
  };
  count(schemas);
  const shared: Record<string, AnswerSchema> = {};
  const names = new Map<string, string>();
  const nameFor = (member: string): string => {
    const name = (member[0] ?? "").toUpperCase() + member.slice(1);
    const taken = Object.keys(shared).filter((other) => other.replace(/\d+$/, "") === name).length;
    return taken === 0 ? name : `${name}${taken + 1}`;
  };
  const put = (value: unknown, member: string, isSchema: boolean): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const text = JSON.stringify(value);
    const named = names.get(text);
    if (named !== undefined) return { $ref: `#/components/schemas/${named}` };
    const isShared = isSchema && !Array.isArray(value) && text.length >= leastShared && (counts.get(text) ?? 0) > 1;
    const name = isShared ? nameFor(member) : null;
    if (name !== null) {
      names.set(text, name);
      shared[name] = {};
    }
    const all = Object.entries(value).map(
      ([key, inner]) => [key, put(inner, keywords.has(key) || /^\d/.test(key) ? member : key, key !== "properties")] as const,
    );
    const whole = Array.isArray(value) ? all.map(([, inner]) => inner) : Object.fromEntries(all);
    if (name === null) return whole;
    shared[name] = whole as AnswerSchema;
    return { $ref: `#/components/schemas/${name}` };
  };
  const whole = Object.entries(schemas).map(
    ([path, schema]) => [path, put(schema, `${path.replaceAll(".", "_")}`, false) as AnswerSchema] as const,
  );
  return { schemas: Object.fromEntries(whole), shared };
}

const keywords = new Set(["properties", "items", "anyOf", "additionalProperties", "not"]);

function createReader(checker: Checker) {
  const memberOf = (type: Type, [name, ...rest]: readonly string[]): Type => {
    if (name === undefined) return type;
    const member = checker.getPropertyOfType(type, name);
    if (member === undefined) throw new Error(`there is no member ${name}`);
    return memberOf(typeOf(member), rest);
  };

  const typeOf = (symbol: Symbol): Type => checker.getTypeOfSymbol(symbol) ?? checker.getUnknownType();

  /** `within`: the types that it stands in; one that holds itself is any value there. */
  const schemaOf = (type: Type, within: readonly number[] = []): AnswerSchema => {
    const { flags } = type;
    if (within.includes(type.id) || flags & TypeFlags.AnyOrUnknown) return {};
    if (type.isUnionType())
      return union(
        [...(type.getTypes() ?? [])].filter((each) => !isAbsent(each)),
        [...within, type.id],
      );
    if (type.isLiteralType()) return { const: type.value };
    if (flags & TypeFlags.BooleanLiteral) return { const: checker.typeToString(type) === "true" };
    if (flags & TypeFlags.StringLike) return { type: "string" };
    if (flags & TypeFlags.NumberLike) return { type: "number" };
    if (flags & TypeFlags.BooleanLike) return { type: "boolean" };
    if (flags & TypeFlags.Null) return { type: "null" };
    if (flags & TypeFlags.NonPrimitive) return { type: "object" };
    if (flags & TypeFlags.Never) return { not: {} };
    if (flags & (TypeFlags.Object | TypeFlags.Intersection)) return objectOf(type, [...within, type.id]);
    throw new Error(`no schema for ${checker.typeToString(type)}`);
  };

  const isAbsent = ({ flags }: Type): boolean => (flags & (TypeFlags.Undefined | TypeFlags.Void | TypeFlags.Never)) !== 0;

  const union = (types: readonly Type[], within: readonly number[]): AnswerSchema => {
    const all = types.map((each) => schemaOf(each, within));
    const unique = [...new Map(all.map((schema) => [JSON.stringify(schema), schema])).values()];
    const values = unique.flatMap((schema) => ("const" in schema ? [schema["const"]] : []));
    const others = unique.filter((schema) => !("const" in schema));
    const isBoolean = values.includes(true) && values.includes(false);
    const rest = isBoolean ? values.filter((value) => typeof value !== "boolean") : values;
    const parts = [
      ...others,
      ...(isBoolean ? [{ type: "boolean" }] : []),
      ...(rest.length > 1 ? [{ enum: rest }] : rest.map((value) => ({ const: value }))),
    ];
    if (parts.some((part) => Object.keys(part).length === 0)) return {};
    const names = parts.map((part) => (Object.keys(part).length === 1 && "type" in part ? part["type"] : null));
    if (parts.length > 1 && names.every((name) => typeof name === "string")) return { type: names };
    return parts.length === 1 ? (parts[0] ?? {}) : { anyOf: parts };
  };

  const objectOf = (type: Type, within: readonly number[]): AnswerSchema => {
    if (checker.isTupleType(type) || checker.isArrayType(type)) {
      const items = checker.getTypeArguments(type as Parameters<Checker["getTypeArguments"]>[0]).map((each) => schemaOf(each, within));
      if (!checker.isTupleType(type)) return { type: "array", items: items[0] ?? {} };
      return { type: "array", items: items.length === 1 ? items[0] : { anyOf: items } };
    }
    const members = checker.getPropertiesOfType(type).map((symbol) => ({ symbol, type: typeOf(symbol) }));
    const present = members.filter(({ type: each }) => !isAbsent(each));
    const properties = Object.fromEntries(present.map(({ symbol, type: each }) => [symbol.name, schemaOf(each, within)]));
    const required = present.filter(({ symbol, type: each }) => !isOptional(symbol, each)).map(({ symbol }) => symbol.name);
    const [index] = checker.getIndexInfosOfType(type);
    return {
      type: "object",
      ...(present.length > 0 && { properties }),
      ...(required.length > 0 && { required: required.toSorted() }),
      ...(index !== undefined && { additionalProperties: schemaOf(index.valueType, within) }),
    };
  };

  const isOptional = ({ flags }: Symbol, type: Type): boolean =>
    (flags & SymbolFlags.Optional) !== 0 || (type.isUnionType() && (type.getTypes() ?? []).some(isAbsent));

  return { memberOf, schemaOf };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(target, writeAnswers());
