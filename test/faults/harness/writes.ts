import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseSync } from "oxc-parser";
import { graphOf, root, sourceFiles } from "../../architecture/graph.ts";

/** A statement, or a part of one, that writes. */
export interface Write {
  /** The declaration that holds it, and what it does first: `settleStatement: update event`. */
  name: string;
  /** What it writes. */
  table: string;
  /** Whether it is a part of the statement with this text. */
  isIn: (statement: string) => boolean;
}

/** Every text by which a gateway writes: the SQL below the declarations of `shared` that its code refers to, however far away. */
export function writesOfGateway(): Write[] {
  const ours = sourceFiles(/^(?:gateway|shared)\/src\/.*(?<!\.d|\.test|\.db\.test)\.ts$/u);
  const files = Object.fromEntries(ours.map((path) => [path, readFileSync(join(root, path), "utf8")]));
  const declarations = new Map<string, Declaration>();
  for (const path of ours.filter(isOfDatabase)) for (const one of read(path, files[path] ?? "")) declarations.set(one.key, one);
  const reached = new Set<string>();
  const visit = (key: string): void => {
    if (reached.has(key)) return;
    reached.add(key);
    declarations.get(key)?.refersTo.forEach(visit);
  };
  rootsOf(graphOf(files)).forEach(visit);
  const used = [...reached].flatMap((key) => declarations.get(key) ?? []);
  const tablesOf = (key: string): string[] => used.flatMap(({ refersTo, tables }) => (refersTo.has(key) ? tables : []));
  return distinct(used.flatMap(({ key, name, texts }) => texts.flatMap((parts) => toWrites(name, parts, tablesOf(key)))));
}

const isOfDatabase = (path: string): boolean => /^shared\/src\/(?:db|sealing)\//u.test(path);

/** What files outside of the database's folders import from them, as far as a gateway imports those files. */
function rootsOf(graph: ReturnType<typeof graphOf>): string[] {
  const seen = new Set<string>();
  const visit = (path: string): string[] => {
    if (seen.has(path) || isOfDatabase(path)) return [];
    seen.add(path);
    return (graph.get(path) ?? []).flatMap(({ name, names }) => (isOfDatabase(name) ? names.map((one) => `${name} ${one}`) : visit(name)));
  };
  return [...graph.keys()].filter((path) => path.startsWith("gateway/")).flatMap(visit);
}

/** A declaration of a module. */
interface Declaration {
  key: string;
  name: string;
  refersTo: Set<string>;
  /** The texts that write, each in the parts between its values. */
  texts: string[][];
  /** The tables that it names for a statement that is written for any. */
  tables: string[];
}

/** A node of the parser's tree, as far as it is read. */
interface Node {
  type?: string;
  name?: string;
  [member: string]: unknown;
}

function read(path: string, text: string): Declaration[] {
  const { program, module } = parseSync(path, text);
  const places = new Map<string, string>();
  for (const { moduleRequest, entries } of module.staticImports)
    for (const { localName, importName } of entries) places.set(localName.value, `${fileOf(path, moduleRequest.value)} ${importName.name}`);
  const found = (program.body as unknown as Node[]).flatMap(declared);
  for (const [name] of found) places.set(name, `${path} ${name}`);
  return found.map(([name, node]) => {
    const declaration: Declaration = { key: `${path} ${name}`, name, refersTo: new Set(), texts: [], tables: [] };
    walk(node, (one) => note(declaration, one, places));
    return declaration;
  });
}

const fileOf = (path: string, specifier: string): string => posix.join(posix.dirname(path), specifier);

function declared(statement: Node): [string, Node][] {
  const node = (statement["declaration"] as Node | null | undefined) ?? statement;
  const parts = node.type === "VariableDeclaration" ? (node["declarations"] as Node[]) : [node];
  return parts.flatMap((part) => namesIn(part["id"]).map((name): [string, Node] => [name, part]));
}

function namesIn(id: unknown): string[] {
  const names: string[] = [];
  walk(id, ({ type, name }) => void (type === "Identifier" && name !== undefined && names.push(name)));
  return names;
}

function walk(node: unknown, visit: (node: Node) => void): void {
  if (typeof node !== "object" || node === null) return;
  if (!Array.isArray(node)) visit(node as Node);
  for (const child of Object.values(node)) walk(child, visit);
}

function note({ refersTo, texts, tables }: Declaration, node: Node, places: Map<string, string>): void {
  const place = node.type === "Identifier" ? places.get(node.name ?? "") : undefined;
  if (place !== undefined) refersTo.add(place);
  if (node.type === "Property" && (node["key"] as Node).name === "table")
    tables.push(...[(node["value"] as Node)["value"]].filter((one) => typeof one === "string"));
  if (node.type !== "TemplateLiteral") return;
  const parts = (node["quasis"] as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
  if (writing.test(parts.join(anyTable))) texts.push(parts);
}

const anyTable = "…";
/** What writes; functions of the database that take or make something do too. */
const writing = /\b(insert into|delete from|update(?=\s\S+\s(?:\w+\s)?set\s))\s(\S+)|\b(take|make)_((?!interval)\w+)\(/u;

function toWrites(name: string, parts: readonly string[], tables: readonly string[]): Text[] {
  const [, verb = "", table = "", call = "", called = ""] = writing.exec(parts.join(anyTable)) ?? [];
  if (table !== anyTable) return [{ name: `${name}: ${verb}${call} ${table}${called}`, table: `${table}${called}`, parts }];
  const [before = "", second = "", ...after] = parts;
  return tables.map((each) => ({ name: `${name}: ${verb} ${each}`, table: each, parts: [`${before}"${each}"${second}`, ...after] }));
}

interface Text extends Pick<Write, "name" | "table"> {
  parts: readonly string[];
}

/** Where one of two texts begins with the other, a statement with the longer one is that alone. Names are made different where a declaration does the same several times. */
function distinct(texts: readonly Text[]): Write[] {
  const bare = texts.map((text) => ({ ...text, parts: text.parts.map(withoutSpace) }));
  return bare.map(({ name, table, parts: [head = "", ...rest] }, i) => {
    const longer = bare.filter(({ name: other, parts }) => other === name && parts[0] !== head && parts[0]?.startsWith(head));
    const time = bare.slice(0, i).filter((earlier) => earlier.name === name).length + 1;
    return {
      name: time === 1 ? name : `${name} (${time})`,
      table,
      isIn: (statement) => isIn(statement, [head, ...rest]) && !longer.some(({ parts }) => isIn(statement, parts)),
    };
  });
}

/** Looks for the parts in their order, whatever stands between them; the product may write a text in one line. */
function isIn(statement: string, parts: readonly string[]): boolean {
  const text = withoutSpace(statement);
  let from = 0;
  return parts.every((part) => {
    const at = text.indexOf(part, from);
    from = at + part.length;
    return at >= 0;
  });
}

const withoutSpace = (text: string): string => text.replaceAll(/\s+/gu, "");
