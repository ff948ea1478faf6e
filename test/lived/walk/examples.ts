import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { restProcedures } from "admin-server/rest/procedures";

/** A call that was made, and its answer. */
type Example = { input: unknown; answer: unknown };

const examples = new Map<string, Example>();

/** Remembers a call of the REST API as an example for the reference; one whose answer says more takes the place of an earlier one. */
export function noteExample(path: string, input: unknown, answer: unknown): void {
  const known = examples.get(path);
  if (restProcedures.has(path) && (known === undefined || (isEmpty(known.answer) && !isEmpty(answer))))
    examples.set(path, { input, answer });
}

const isEmpty = (answer: unknown): boolean => {
  const { items } = (answer ?? {}) as { items?: unknown[] };
  return items?.length === 0;
};

/**
 * Writes what the document of the REST API shows: lists with one item, long texts cut, without what a key or token needs to be one. A call whose input comes by
 * mail or from a shop, which no walk can make, keeps its example.
 */
export function writeExamples(): void {
  const target = fileURLToPath(new URL("../../../admin-server/src/rest/examples.json", import.meta.url));
  const kept = Object.entries(JSON.parse(readFileSync(target, "utf8")) as Record<string, Example>).filter(([path]) =>
    restProcedures.has(path),
  );
  const lines = [...new Map([...kept, ...examples])]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, each]) => `  ${JSON.stringify(path)}: ${short(each)}`);
  writeFileSync(target, `{\n${lines.join(",\n")}\n}\n`);
}

const longest = 160;

function short({ input, answer }: Example): string {
  const shorter = (value: unknown, most: number): unknown =>
    JSON.parse(
      JSON.stringify(value, (_, each: unknown) =>
        Array.isArray(each) ? each.slice(0, most) : typeof each === "string" ? cut(each) : each,
      ),
    );
  return JSON.stringify({ input: shorter(withoutPaging(input), Infinity), answer: shorter(answer ?? null, 1) });
}

function cut(text: string): string {
  const plain = text
    .replaceAll(/\b(tdg|sk_live|sk_test|whs|whsec)_[\w+/=-]{8,}/gu, "$1_…")
    .replaceAll(/(\/in\/)[\w-]+/gu, "$1…")
    .replaceAll(/\bwalk(?: again)?[ _.-]\d{5}\b/giu, "example")
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/gu, "https://tidings.example");
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain;
}

function withoutPaging(input: unknown): unknown {
  const { cursor: _, limit: __, ...rest } = input as Record<string, unknown>;
  return rest;
}
