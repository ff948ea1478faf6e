/** The part of JSON Schema 2020-12 that the API and its description use. */
export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  required?: string[];
  items?: Schema;
  prefixItems?: readonly Schema[];
  additionalProperties?: Schema | boolean;
  description?: string;
  [keyword: string]: unknown;
}

interface Content {
  $ref?: string;
  content?: { "application/json"?: { schema?: Schema; example?: unknown } };
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  /** The least role; null: everybody may call it. */
  "x-role": string | null;
  parameters?: readonly (Content & { name: string; required: boolean; schema?: Schema })[];
  requestBody?: Content;
  responses: Readonly<Record<string, Content>>;
  /** The input of a call that was made. */
  "x-input"?: Readonly<Record<string, unknown>>;
}

/** The description of the REST API, as OpenAPI has it. */
export interface ApiDocument {
  servers: readonly { url: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: { schemas: Readonly<Record<string, Schema>> };
}

/** A procedure of the API: what the reference has an entry for. */
export interface Entry {
  /** Such as `sites.create`. */
  path: string;
  method: "GET" | "POST";
  /** Such as `/api/v1/sites/create`. */
  address: string;
  operation: Operation;
}

/** Every procedure, in the document's order. */
export const entriesOf = ({ paths }: ApiDocument): Entry[] =>
  Object.entries(paths).flatMap(([address, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path: operation.operationId,
      method: method === "get" ? ("GET" as const) : ("POST" as const),
      address,
      operation,
    })),
  );

/** The entry of a procedure as Markdown, below its heading: who may call it, its input, its answer, its errors, and a call that was made. */
export function entryText(document: ApiDocument, { method, address, operation }: Entry): string {
  const url = document.servers[0]?.url ?? "";
  const answer = operation.responses["200"]?.content?.["application/json"];
  return [
    `${operation.summary}.`,
    `\`${method} ${address}\` · ${operation.description}`,
    `**Input**\n\n${code("ts", typeText(inputOf(operation), document, 4))}`,
    `**Answer**\n\n${code("ts", typeText(answer?.schema ?? {}, document, 3))}`,
    `**Errors** ${errorsOf(operation).join(" ")}`,
    operation["x-input"] === undefined ? "" : `**A call**\n\n${code("sh", callText(url, method, address, operation["x-input"]))}`,
    answer?.example === undefined
      ? ""
      : `**Its answer**, of each list the first item\n\n${code("json", JSON.stringify(answer.example, null, 2))}`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The whole reference as one Markdown text. */
export const referenceText = (document: ApiDocument): string =>
  ["# Tidings: reference of the API", ...entriesOf(document).map((entry) => `## ${entry.path}\n\n${entryText(document, entry)}`)].join(
    "\n\n",
  ) + "\n";

/** The input as one schema, wherever OpenAPI puts it. */
function inputOf({ parameters = [], requestBody }: Operation): Schema {
  const body = requestBody?.content?.["application/json"]?.schema;
  if (body !== undefined) return body;
  const properties = parameters.map(({ name, schema, content }) => [name, schema ?? content?.["application/json"]?.schema ?? {}] as const);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: parameters.flatMap(({ name, required }) => (required ? [name] : [])),
  };
}

/** Links to what the codes mean, on the page of the topic `api`. */
const errorsOf = ({ responses }: Operation): string[] =>
  Object.values(responses).flatMap(({ $ref }) => {
    const name = $ref?.split("/").at(-1);
    return name === undefined ? [] : [`[\`${name}\`](api#${name.toLowerCase().replaceAll("_", "-")})`];
  });

const code = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

function callText(url: string, method: Entry["method"], address: string, input: Readonly<Record<string, unknown>>): string {
  const bearer = `curl -H "Authorization: Bearer $TIDINGS_TOKEN"`;
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  if (method === "POST")
    return `${bearer} -H "Content-Type: application/json" \\\n  -d ${quoted(JSON.stringify(input))} \\\n  ${quoted(url + address)}`;
  const query = Object.entries(input).map(
    ([name, value]) => `${name}=${encodeURIComponent(typeof value === "string" ? value : JSON.stringify(value))}`,
  );
  return `${bearer} ${quoted(`${url}${address}${query.length > 0 ? `?${query.join("&")}` : ""}`)}`;
}

/** A schema as a type, as TypeScript writes it, with its bounds as comments. `deepest`: the objects below that are not written out. */
function typeText(schema: Schema, { components }: ApiDocument, deepest: number): string {
  const write = (given: Schema, depth: number, within: readonly string[]): string => {
    const name = given.$ref?.split("/").at(-1);
    if (name !== undefined) return within.includes(name) ? name : write(components.schemas[name] ?? {}, depth, [...within, name]);
    const { const: only, enum: some, anyOf = [], oneOf = [], type = [] } = given;
    if (only !== undefined) return JSON.stringify(only);
    if (some !== undefined) return some.map((value) => JSON.stringify(value)).join(" | ");
    const choices = [...anyOf, ...oneOf];
    if (choices.length > 0) return [...new Set(choices.map((each) => write(each, depth, within)))].join(" | ");
    const types = [type].flat().map((each) => {
      if (each === "object") return object(given, depth, within);
      if (each === "array") return array(given, depth, within);
      return each === "integer" ? "number" : each;
    });
    return types.length === 0 ? "any" : types.join(" | ");
  };
  const isUnion = ({ $ref, type, enum: some, anyOf, oneOf }: Schema): boolean =>
    $ref === undefined
      ? [type, some, anyOf, oneOf].some((choices) => Array.isArray(choices) && choices.length > 1)
      : isUnion(components.schemas[$ref.split("/").at(-1) ?? ""] ?? {});
  const array = ({ items, prefixItems }: Schema, depth: number, within: readonly string[]): string => {
    if (prefixItems !== undefined) return `[${prefixItems.map((each) => write(each, depth, within)).join(", ")}]`;
    const each = write(items ?? {}, depth, within);
    return isUnion(items ?? {}) ? `(${each})[]` : `${each}[]`;
  };
  const object = ({ properties = {}, required = [], additionalProperties }: Schema, depth: number, within: readonly string[]): string => {
    const members = Object.entries(properties);
    if (members.length === 0)
      return typeof additionalProperties === "object" ? `{ [name: string]: ${write(additionalProperties, depth, within)} }` : "{}";
    if (depth >= deepest) return "{ … }";
    const indent = "  ".repeat(depth + 1);
    const lines = members.map(([name, each]) => {
      const comment = boundsOf(each);
      const key = /^\w+$/u.test(name) ? name : JSON.stringify(name);
      return `${indent}${key}${required.includes(name) ? "" : "?"}: ${write(each, depth + 1, within)}${comment && ` // ${comment}`}`;
    });
    return `{\n${lines.join("\n")}\n${"  ".repeat(depth)}}`;
  };
  return write(schema, 0, []);
}

/** The bounds that a type does not show, in words. */
function boundsOf(schema: Schema): string {
  const { description, format, items } = schema;
  // An absent or null member has no bounds; those of the other form are told.
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, default: usual } = { ...schema.anyOf?.[0], ...schema };
  const range = (least: unknown, most: unknown, unit: string): string => {
    const [from, to] = [least, most].map((value) =>
      typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : null,
    );
    if (from == null && to == null) return "";
    if (to == null) return `at least ${from}${unit}`;
    return from == null ? `at most ${to}${unit}` : `${from} to ${to}${unit}`;
  };
  return [
    description,
    format === "uuid" || items?.["format"] === "uuid" ? "UUID" : undefined,
    range(minimum, maximum, ""),
    range(minLength, maxLength, " characters"),
    range(minItems, maxItems, " items"),
    usual === undefined ? "" : `${JSON.stringify(usual)} unless said`,
  ]
    .filter((part) => part !== undefined && part !== "")
    .join("; ");
}
