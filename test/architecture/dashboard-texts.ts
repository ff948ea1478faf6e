import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileMessageOrThrow, type CompiledIcuChoices, type CompiledMessage } from "@lingui/message-utils/compileMessage";
import { parseSync } from "oxc-parser";
import { gallery } from "shared/core/gallery/entries";
import { readyBindings } from "shared/core/gallery/ready";
import { notificationStatuses, statusFacts } from "shared/core/message";
import { sourceTypes } from "shared/core/site";
import { templateStatuses } from "shared/core/template/definition";
import { mendLabels } from "shared/core/template/mend";
import { deliveryStatuses } from "shared/core/webhook";
import { explain } from "shared/platform/errors/classify";
import {
  accountErrors,
  permanentErrors,
  qualityErrors,
  recipientErrors,
  templateErrors,
  transientErrors,
} from "shared/platform/errors/known-errors";
import { localErrors } from "shared/platform/errors/local-errors";
import { root } from "../support/process.ts";

// Which texts the dashboard's sources hold, and the catalogues of their translations. Run as a program (`npm run texts`), it brings the catalogues up to date.

export const sources = join(root, "admin-web/src");
/** What is said of data, in sentences that the server writes in English and pages in the reader's language. */
const sentences = join(root, "shared/src/core");
const catalogues = join(root, "admin-web/texts");
export const translations = ["de", "es", "pt", "ar"] as const;

export interface Found {
  /** By page, or `base`, in the order of the alphabet. */
  texts: Map<string, string[]>;
  /** `file:line problem`: what cannot be translated. */
  problems: string[];
}

/** A node of the syntax tree, as far as it is looked at. */
interface Node {
  type: string;
  start: number;
  [member: string]: unknown;
}

export function findTexts(): Found {
  const found = new Map<string, Set<string>>([["shared", new Set(fixedTexts)]]);
  const problems: string[] = [];
  for (const [folder, file] of [sources, sentences].flatMap((each) => sourcesIn(each).map((name) => [each, name] as const))) {
    const source = readFileSync(join(folder, file), "utf8");
    if (!source.includes("t(")) continue;
    const page = folder === sentences ? "shared" : (/^pages\/([^/]+)\//u.exec(file)?.[1] ?? "base");
    const texts = found.get(page) ?? new Set();
    found.set(page, texts);
    const refuse = ({ start }: Node, problem: string) => problems.push(`${file}:${source.slice(0, start).split("\n").length} ${problem}`);
    visit(parseSync(file, source).program, (node) => {
      if (node.type === "JSXText" && /\p{L}{2}/u.test(node["value"] as string))
        refuse(node, `is not translated: ${(node["value"] as string).trim()}`);
      if (!isCall(node)) return;
      if (file.endsWith("/route.ts")) return refuse(node, "is read with the router, before the texts of its page are there");
      const [text, values] = node["arguments"] as [Node?, Node?];
      if (text?.type !== "Literal") return refuse(node, "t() takes a text that stands there");
      texts.add(text["value"] as string);
      const members = (values?.["properties"] ?? []) as Node[];
      // Types say that values of another place have every member.
      if (folder === sentences && (values?.type === "Identifier" || members.some(({ type }) => type === "SpreadElement"))) return;
      const given = members.map(({ key }) => (key as { name?: string }).name ?? "");
      const wanted = placeholders(text["value"] as string).filter((name) => !name.startsWith("<"));
      if (given.toSorted().join() !== wanted.join()) refuse(node, `gives ${given.join(", ") || "nothing"} to “${String(text["value"])}”`);
    });
  }
  return { texts: new Map(Array.from(found, ([page, texts]) => [page, [...texts].toSorted()])), problems };
}

const sourcesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => /(?<!\.test|\.d)\.tsx?$/u.test(file));

/** What `shared` and the server say in fixed words, and pages show by `translated`: texts without placeholders, whatever stands in them. */
export const fixedTexts: ReadonlySet<string> = new Set(sharedTexts());

function sharedTexts(): string[] {
  const errors = [accountErrors, permanentErrors, qualityErrors, recipientErrors, templateErrors, transientErrors, localErrors];
  const explained = errors
    .flatMap((table) => [...table.keys()])
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
    ...deliveryStatuses,
    ...Object.values(mendLabels),
    ...explained.flatMap(({ text, action }) => [text, action]),
    ...Object.values(gallery).map(({ title }) => title),
    ...sourceTypes.flatMap((type) => readyBindings[type].map(({ when }) => when)),
  ];
}

const isCall = ({ type, callee }: Node): boolean => type === "CallExpression" && (callee as { name?: string }).name === "t";

function visit(node: unknown, look: (node: Node) => void): void {
  if (typeof node !== "object" || node === null) return;
  if ("type" in node) look(node as Node);
  for (const member of Object.values(node)) visit(member, look);
}

/** The names of a message's placeholders and of the elements in it, each once: `count`, `<0>`, `</0>`. @throws where it is no ICU message */
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

/** Empty for a page without texts. */
export function readIfThere(language: string, page: string): Catalogue {
  const file = fileOf(language, page);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Catalogue) : {};
}

/** English as the sources have it; of each other language what is there, in the same order, and a gap for what is new. */
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
