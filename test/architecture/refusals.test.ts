import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { expect, test } from "vitest";
import { data } from "../support/data.ts";
import { root } from "../support/process.ts";

// People read refusals, and faults beside a form's field, as data beside its English (`say`, `rule`), so that the dashboard shows them in the reader's language. Plain
// English is for programmers: zod's own words for an input that no form sends, and the answers and files below.

/** Texts for developers only, with their readers. */
const developersOnly: Record<string, string> = data("test-architecture-refusals", "developersOnly");

interface Node {
  type: string;
  start: number;
  [member: string]: unknown;
}

const folders = ["shared/src", "admin-server/src", "gateway/src"];

const files = folders
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`))
  .filter((file) => /(?<!\.test|\.d)\.ts$/u.test(file));

const isWithin = (file: string, place: string): boolean => file === place || file.startsWith(`${place}/`);
const isForDevelopers = (file: string): boolean => Object.keys(developersOnly).some((place) => isWithin(file, place));

test("only `Refusal` and the words of a refused input make a TRPCError", () => {
  const found = inSources((node) => node.type === "NewExpression" && nameOf(node["callee"]) === "TRPCError");
  expect(found.map(({ file }) => file)).toEqual(["admin-server/src/trpc/errors.ts"]);
});

test("what schemas say of an input goes through `rule` or `namedError`", () => {
  const found = inSources(
    (node) => isCheck(node) && (node["arguments"] as Node[]).some((given) => isSentence(given) || saysMessage(given)),
  );
  expect(found.filter(({ file }) => !isForDevelopers(file))).toEqual([]);
});

test("no sentence passes for a text that has its translations elsewhere", () => {
  const found = inSources(
    (node) => node.type === "CallExpression" && nameOf(node["callee"]) === "fixed" && isText((node["arguments"] as Node[])[0]),
  );
  expect(found).toEqual([]);
});

test("answers outside procedures are data too, but for those to developers", () => {
  const found = inSources(
    (node) => node.type === "ObjectExpression" && members(node).some(({ name, value }) => name === "error" && isText(value)),
  );
  const inHttp = found.filter(({ file }) => file.startsWith("admin-server/src/http/") && !isForDevelopers(file));
  expect(inHttp).toEqual([]);
});

test("the list of what developers alone read has nothing that is gone", () => {
  expect(Object.keys(developersOnly).filter((place) => !files.some((file) => isWithin(file, place)))).toEqual([]);
});

/** Members of zod that take a message, and `addIssue`. */
const checks = new Set(
  "string number int boolean array union enum record object strictObject discriminatedUnion custom min max length regex refine superRefine email url guid uuid datetime date addIssue".split(
    " ",
  ),
);

function isCheck(node: Node): boolean {
  if (node.type !== "CallExpression") return false;
  const callee = node["callee"] as Node;
  return callee.type === "MemberExpression" && checks.has(nameOf(callee["property"]));
}

const isText = (node: unknown): boolean => {
  const { type, value } = (node ?? {}) as Partial<Node>;
  return type === "TemplateLiteral" || (type === "Literal" && typeof value === "string");
};

/** Whether the text has several words: others are names and data. */
const isSentence = (node: Node): boolean => node.type === "TemplateLiteral" || (isText(node) && / /u.test(String(node["value"])));

/** Whether the node is a message without a reason as data. */
function saysMessage(node: Node): boolean {
  if (node.type !== "ObjectExpression") return false;
  const given = members(node);
  return (
    given.some(({ name, value }) => (name === "error" || name === "message") && isText(value)) &&
    !given.some(({ name }) => name === "params")
  );
}

const members = (node: Node): { name: string; value: unknown }[] =>
  (node["properties"] as Node[]).map(({ key, value }) => ({ name: nameOf(key), value }));

const nameOf = (node: unknown): string => ((node ?? {}) as { name?: string }).name ?? "";

/** The places of such nodes in the sources. */
function inSources(isIt: (node: Node) => boolean): { file: string; line: number }[] {
  return parsed().flatMap(({ file, source, program }) => {
    const found: { file: string; line: number }[] = [];
    visit(program, (node) => isIt(node) && found.push({ file, line: source.slice(0, node.start).split("\n").length }));
    return found;
  });
}

let read: { file: string; source: string; program: unknown }[] | null = null;

const parsed = () =>
  (read ??= files.map((file) => {
    const source = readFileSync(join(root, file), "utf8");
    return { file, source, program: parseSync(file, source).program };
  }));

function visit(node: unknown, look: (node: Node) => void): void {
  if (typeof node !== "object" || node === null) return;
  if ("type" in node) look(node as Node);
  for (const member of Object.values(node)) visit(member, look);
}
