import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { parseSync, Visitor } from "oxc-parser";
import { expect, it } from "vitest";
import { root, sourceFiles } from "./graph.ts";

/** A file's regular expressions: those that it writes, and how many it makes of texts at run time. */
interface Found {
  written: { pattern: string; flags: string }[];
  made: number;
}

function regularExpressionsOf(path: string): Found {
  const found: Found = { written: [], made: 0 };
  const isMade = (node: { callee: { type: string; name?: string } }): boolean => node.callee.name === "RegExp";
  new Visitor({
    Literal: (node) => {
      if ("regex" in node && node.regex !== null) found.written.push(node.regex);
    },
    NewExpression: (node) => void (found.made += Number(isMade(node))),
    CallExpression: (node) => void (found.made += Number(isMade(node))),
  }).visit(parseSync(path, readFileSync(join(root, path), "utf8")).program);
  return found;
}

const sources = sourceFiles(/\.tsx?$/u).filter((path) => !path.startsWith("test/") && !/\.test\.tsx?$/u.test(path));

it("no regular expression takes more than linear time, whatever its text", () => {
  const written = new Map(
    sources.flatMap((path) =>
      regularExpressionsOf(path).written.map(({ pattern, flags }) => [`/${pattern}/${flags}`, { path, pattern, flags }]),
    ),
  );
  expect(written.size).toBeGreaterThan(100);
  const slow = [...written].flatMap(([text, { path, pattern, flags }]) => {
    const hostile = hostileInput(new RegExp(pattern, flags));
    return hostile === null ? [] : [`${path}: ${text} of ${JSON.stringify(hostile)}`];
  });
  expect(slow).toEqual([]);
});

/** A text's parts; the middle one is repeated. */
interface Shape {
  lead: string;
  unit: string;
  tail: string;
}

/** Texts for which the expression's time grows faster than their length; null when none is found. */
function hostileInput({ source, flags }: RegExp): Shape | null {
  if (!/[*+]|\{\d+,/u.test(source)) return null;
  const everywhere = new RegExp(source, flags.includes("g") ? flags : `${flags}g`);
  const isSlow = (shape: Shape, { length, times, tries }: Effort): boolean =>
    leastTime(everywhere, shape, length, tries) > times * referenceTime(length);
  return shapesFor(new RegExp(source, flags)).find((shape) => isSlow(shape, glance) && isSlow(shape, proof)) ?? null;
}

/** How many times the reference's time for this length is too long. */
interface Effort {
  length: number;
  times: number;
  tries: number;
}

const glance: Effort = { length: 1_000, times: 4, tries: 1 };
/** Linear expressions take a few times what the reference takes, quadratic ones hundreds of times. */
const proof: Effort = { length: 30_000, times: 50, tries: 3 };

const referenceTimes = new Map<number, number>();
/** The reference: a match at every character of a text of this length. */
function referenceTime(length: number): number {
  const known = referenceTimes.get(length) ?? leastTime(/[^]/g, { lead: "", unit: "a", tail: "" }, length, 20);
  referenceTimes.set(length, known);
  return known;
}

/** The least of several tries: other work on the machine counts in none. */
function leastTime(expression: RegExp, { lead, unit, tail }: Shape, length: number, tries: number): number {
  const text = [lead, ...Array.from({ length: Math.ceil(length / unit.length) }, () => unit), tail].join("");
  const times = Array.from({ length: tries }, () => {
    const started = performance.now();
    text.replace(expression, "");
    return performance.now() - started;
  });
  return Math.min(...times);
}

/** Single characters and pairs of what the expression names, and parts of texts that it matches, repeated; each with an end that spoils the match. */
function shapesFor(expression: RegExp): Shape[] {
  const named = expression.source.replaceAll(/\\[dDsSwWbpP](\{[^}]*\})?/gu, "").replaceAll(/[\^$*+?()|\\]/gu, "");
  const letters = [...new Set([...named.replaceAll(/\w+/gu, (word) => word.slice(0, 2)), ..." a0\n"])].slice(0, 12);
  const units = [...letters, ...letters.flatMap((first) => letters.map((second) => first + second))];
  const end = `\n\0${named}`;
  const plain = units.flatMap((unit) => [shapeOf("", unit, ""), shapeOf("", unit, end), shapeOf(named, unit, end)]);
  return [...plain, ...matches(expression).flatMap((match) => pumped(match, end))];
}

const shapeOf = (lead: string, unit: string, tail: string): Shape => ({ lead, unit, tail });

function matches(expression: RegExp): string[] {
  try {
    return fc.sample(fc.stringMatching(new RegExp(expression.source, expression.flags.replaceAll(/[gimyv]/gu, ""))), {
      numRuns: 6,
      seed: 1,
    });
  } catch {
    // Not every construct is known to the generator.
    return [];
  }
}

function pumped(match: string, end: string): Shape[] {
  const starts = Array.from({ length: Math.min(match.length, 6) }, (_, index) => index);
  return starts.flatMap((start) =>
    [1, 2, 5].flatMap((size) => {
      const unit = match.slice(start, start + size);
      return unit === "" ? [] : ["\0", match.slice(start + size) + end].map((tail) => shapeOf(match.slice(0, start), unit, tail));
    }),
  );
}
