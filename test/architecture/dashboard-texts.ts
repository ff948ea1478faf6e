import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileMessageOrThrow, type CompiledIcuChoices, type CompiledMessage } from "@lingui/message-utils/compileMessage";
import { parseSync } from "oxc-parser";
import { gallery } from "shared/core/gallery/entries";
import { readyBindings } from "shared/core/gallery/ready";
import { notificationStatuses, statusFacts } from "shared/core/message";
import { missingWords, refusedWords, signatureWords } from "shared/core/refused";
import { roles } from "shared/core/role";
import { sourceTypes } from "shared/core/site";
import { templateStatuses } from "shared/core/template/definition";
import { mendLabels } from "shared/core/template/mend";
import { deliveryStatuses } from "shared/core/webhook";
import { explain } from "shared/platform/errors/classify";
import { knownErrors } from "shared/platform/errors/known-errors";
import { localErrors } from "shared/platform/errors/local-errors";
import { root } from "../support/process.ts";

// The texts in the dashboard's sources, and the catalogues of their translations. Run as a program (`npm run texts`), this file brings the catalogues up to date.

export const sources = join(root, "admin-web/src");
/** The sources of sentences about data, which the server writes in English and pages in the reader's language. */
const sentences = join(root, "shared/src/core");
/** Further sources that may refuse a call, or write into the log. */
const refusing = [join(root, "shared/src"), join(root, "admin-server/src")];
/** A further source that writes into the log. */
const sending = join(root, "gateway/src");
const catalogues = join(root, "admin-web/texts");
export const translations = ["de", "es", "pt", "ar"] as const;

export interface Found {
  /** The texts by page, or `base`, in alphabetical order. */
  texts: Map<string, string[]>;
  /** Texts that cannot be translated, as `file:line problem`. */
  problems: string[];
}

/** The members of a syntax node that are read here. */
interface Node {
  type: string;
  start: number;
  [member: string]: unknown;
}

/** The functions that take a text first and its values second, by the catalogue that has the texts. */
interface Place {
  folder: string;
  files: string[];
  functions: Record<string, (file: string) => string>;
}

const [shared, forms, refusals] = [() => "shared", () => "forms", () => "refusals"];

/** Parts that only pages in the frame of the dashboard show, whose texts come with the frame: the sign-in need not load them. They ask for a text as they are drawn. */
const inFrame =
  /^ui\/[a-z]+\/(?:assistant(?:-button)?|conversation|detail-drawer|object-page|filter-bar|list-filters|list-head|more-actions|operation-labels|pickers|problem-card|problem-labels|problems|progress|resend|saved-view(?:s|-forms)|role-labels|role-select|state-labels|test-message|time-fields|version(?:s|-labels)|waiting-(?:actions|labels))\.(?:tsx?|json)$/u;

const pageOf = (file: string): string => /^pages\/([^/]+)\//u.exec(file)?.[1] ?? (inFrame.test(file) ? "shell" : "base");

const places = (): Place[] => [
  {
    folder: sources,
    files: sourcesIn(sources),
    functions: { t: pageOf },
  },
  { folder: sentences, files: sourcesIn(sentences), functions: { t: shared, say: shared, rule: forms, namedError: forms } },
  ...refusing.map((folder) => ({
    folder,
    files: sourcesIn(folder).filter((file) => !file.startsWith("core/")),
    functions: { say: refusals, conflict: refusals, notFound: refusals, absent: refusals, rule: forms, storedText: shared },
  })),
  { folder: sending, files: sourcesIn(sending), functions: { storedText: shared } },
];

export function findTexts(): Found {
  const found = new Map<string, Set<string>>();
  const problems: string[] = [];
  // A table of data has its texts as its values.
  for (const file of readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((each) => each.endsWith("labels.json"))) {
    const page = pageOf(file);
    found.set(page, new Set([...(found.get(page) ?? []), ...textsIn(join(sources, file))]));
  }
  const tables = ["problem/words.json", "reason-words.json", "check-names.json"];
  found.set("shared", new Set([...fixedTexts, ...tables.flatMap((file) => textsIn(join(sentences, file)))]));
  found.set("refusals", new Set(textsIn(join(root, "shared/src/platform/connection-words.json"))));
  for (const { folder, files, functions } of places()) {
    for (const file of files) {
      const source = readFileSync(join(folder, file), "utf8");
      if (!Object.keys(functions).some((name) => source.includes(`${name}(`))) continue;
      const refuse = ({ start }: Node, problem: string) => problems.push(`${file}:${source.slice(0, start).split("\n").length} ${problem}`);
      visit(parseSync(file, source).program, (node) => {
        if (node.type === "JSXText" && /\p{L}{2}/u.test(node["value"] as string))
          refuse(node, `is not translated: ${(node["value"] as string).trim()}`);
        if (folder === sources && isLabel(node)) refuse(node, `is not translated: ${literalOf(node["value"])}`);
        const name = calledBy(node);
        const page = Object.hasOwn(functions, name) ? functions[name]?.(file) : undefined;
        if (page === undefined) return;
        const [first, values] = node["arguments"] as [Node?, Node?];
        if (file.endsWith("/route.ts")) return refuse(node, "is read with the router, before the texts of its page are there");
        if (name === "namedError" && first?.type === "ArrowFunctionExpression") return;
        if (first?.type !== "Literal") return refuse(node, `${name}() takes a text that stands there`);
        const text = name === "notFound" || name === "absent" ? `There is no such ${String(first["value"])}` : (first["value"] as string);
        found.set(page, (found.get(page) ?? new Set()).add(text));
        const problem = problemOf(text, values, folder === sentences && name === "t");
        if (problem !== null) refuse(node, problem);
      });
    }
  }
  return { texts: new Map(Array.from(found, ([page, texts]) => [page, [...texts].toSorted()])), problems };
}

/** The texts of a table of data, which may stand in groups. */
function textsIn(file: string): string[] {
  const inside = (value: unknown): string[] => (typeof value === "string" ? [value] : Object.values(value ?? {}).flatMap(inside));
  return inside(JSON.parse(readFileSync(file, "utf8")));
}

/** The problem of a text's values. `isTyped`: types ensure that values from another place have every member. */
function problemOf(text: string, values: Node | undefined, isTyped: boolean): string | null {
  const members = (values?.["properties"] ?? []) as Node[];
  const isElsewhere = values?.type === "Identifier" || members.some(({ type }) => type === "SpreadElement");
  if (isElsewhere && isTyped) return null;
  const given = members.map(({ key }) => (key as { name?: string } | undefined)?.name ?? "…");
  const wanted = placeholders(text).filter((name) => !name.startsWith("<"));
  return given.toSorted().join() === wanted.join() ? null : `gives ${given.join(", ") || "nothing"} to “${text}”`;
}

const sourcesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => /(?<!\.test|\.d)\.tsx?$/u.test(file) && !definers.has(file));

/** Files that define the functions with a text. */
const definers = new Set(["wording.ts", "text.ts"]);

/** Fixed texts of `shared` and the server that pages show by `translated`: texts without placeholders, in any place. */
export const fixedTexts: ReadonlySet<string> = new Set(sharedTexts());

function sharedTexts(): string[] {
  /** Unknown codes, which share their texts with all other unknown ones. */
  const unknown = ["unknown", "http_401", "http_503"];
  const errors = [...Object.values(knownErrors), localErrors];
  const explained = errors
    .flatMap((table) => [...table.keys()])
    .concat(unknown)
    .map((code) => {
      const [number, subcode] = code.split("/");
      return explain({ code: number ?? "", ...(subcode !== undefined && { subcode }) } as Parameters<typeof explain>[0]);
    });
  const titles = errors.flatMap((table) => Array.from<{ title?: string }>(table.values()).flatMap(({ title }) => title ?? []));
  const labels = Object.values(statusFacts).map(({ label }) => label);
  return [
    ...titles,
    ...notificationStatuses,
    ...labels,
    ...templateStatuses,
    ...roles,
    ...deliveryStatuses,
    ...Object.values(mendLabels),
    ...[
      ...explained,
      ...Object.values(refusedWords),
      ...Object.values(missingWords),
      ...Object.values(signatureWords).flatMap((words) => Object.values(words)),
    ].flatMap(({ text, action }) => [text, action]),
    ...Object.values(gallery).map(({ title }) => title),
    ...sourceTypes.flatMap((type) => readyBindings[type].map(({ when }) => when)),
  ];
}

/** Whether the node is a member for people, with a text in the source. */
const isLabel = ({ type, key, value }: Node): boolean =>
  type === "Property" &&
  ["label", "title", "description", "placeholder"].includes((key as { name?: string }).name ?? "") &&
  /^\p{Lu}\p{Ll}+ /u.test(literalOf(value));

const literalOf = (node: unknown): string => {
  const { value } = node as { value?: unknown };
  return typeof value === "string" ? value : "";
};

const calledBy = ({ type, callee }: Node): string => (type === "CallExpression" ? ((callee as { name?: string }).name ?? "") : "");

function visit(node: unknown, look: (node: Node) => void): void {
  if (typeof node !== "object" || node === null) return;
  if ("type" in node) look(node as Node);
  for (const member of Object.values(node)) visit(member, look);
}

/** The names of a message's placeholders and of the elements in it, each once: `count`, `<0>`, `</0>`. @throws if it is no ICU message */
export function placeholders(message: string): string[] {
  const names = new Set<string>(message.match(/<\/?\d+\/?>/gu) ?? []);
  const collect = (tokens: CompiledMessage) => {
    for (const token of tokens) {
      if (typeof token === "string") continue;
      const [name, , branches] = token;
      names.add(name);
      for (const branch of Object.values((branches ?? {}) as Partial<CompiledIcuChoices>)) if (Array.isArray(branch)) collect(branch);
    }
  };
  collect(compileMessageOrThrow(message));
  return [...names].toSorted();
}

type Catalogue = Record<string, string>;

const fileOf = (language: string, page: string): string => join(catalogues, language, `${page}.json`);

/** The catalogue; empty for a page without texts. */
export function readIfThere(language: string, page: string): Catalogue {
  const file = fileOf(language, page);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Catalogue) : {};
}

/** Writes the catalogues: English as the sources have it; for each other language the known translations in the same order, and gaps for new texts. */
function writeCatalogues(): void {
  const found = findTexts().texts;
  for (const language of ["en", ...translations]) {
    const known = Object.assign({}, ...[...found.keys()].map((page) => readIfThere(language, page))) as Catalogue;
    for (const [page, texts] of found) {
      const catalogue = Object.fromEntries(texts.map((text) => [text, language === "en" ? text : (known[text] ?? "")]));
      if (texts.length > 0) writeFileSync(fileOf(language, page), `${JSON.stringify(catalogue, null, 2)}\n`);
    }
  }
}

if (process.argv[1] === import.meta.filename) writeCatalogues();
