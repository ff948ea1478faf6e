import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { type Expression, parseSync, Visitor } from "oxc-parser";
import { expect, it, vi } from "vitest";
import { scaled } from "../faults/harness/scale.ts";
import { root, sourceFiles } from "./graph.ts";

/** A file's regular expressions: the written ones, and whether it makes some of texts when it runs. */
interface Found {
  path: string;
  written: RegExp[];
  makes: boolean;
}

function regularExpressionsOf(path: string): Found {
  const found: Found = { path, written: [], makes: false };
  const note = ({ callee }: { callee: Expression }): void => {
    if (callee.type === "Identifier" && callee.name === "RegExp") found.makes = true;
  };
  new Visitor({
    Literal: (node) => {
      if ("regex" in node) found.written.push(new RegExp(node.regex.pattern, node.regex.flags));
    },
    NewExpression: note,
    CallExpression: note,
  }).visit(parseSync(path, readFileSync(join(root, path), "utf8")).program);
  return found;
}

const sources = sourceFiles(/\.tsx?$/u).filter((path) => !path.startsWith("test/") && !/\.test\.tsx?$/u.test(path));
const all = sources.map(regularExpressionsOf);

it("no regular expression takes more than linear time, whatever its text", { timeout: 300_000 }, () => {
  const written = new Map(all.flatMap(({ path, written: some }) => some.map((each) => [String(each), { path, each }])));
  expect(written.size).toBeGreaterThan(100);
  const slow = [...written].flatMap(([text, { path, each }]) => {
    const hostile = hostileInput(each);
    return hostile === null ? [] : [`${path}: ${text} of ${JSON.stringify(hostile)}`];
  });
  expect(slow).toEqual([]);
});

it("nor does one that is made of texts at run time", async () => {
  // The first one only colours samples of the documentation, and the second one is the build's.
  expect(all.filter(({ makes }) => makes).map(({ path }) => path)).toEqual([
    "admin-web/src/ui/base/code-sample.tsx",
    "admin-web/vite.config.ts",
    ...Object.keys(makers),
  ]);
  const made: RegExp[] = [];
  const construct = (target: RegExpConstructor, args: [string, string]): RegExp => {
    const expression = new target(...args);
    made.push(expression);
    return expression;
  };
  // Modules that another test has loaded make theirs anew.
  vi.resetModules();
  vi.stubGlobal("RegExp", new Proxy(RegExp, { construct }));
  for (const make of Object.values(makers)) await make();
  vi.unstubAllGlobals();
  expect(made.length).toBeGreaterThan(Object.keys(makers).length);
  expect(made.filter((expression) => hostileInput(expression) !== null)).toEqual([]);
});

/** Functions that make the expressions of each file that makes some. */
const makers: Record<string, () => Promise<unknown>> = {
  "shared/src/core/fields/learn.ts": async () => import("shared/core/fields/learn"),
  "shared/src/core/phone-in-text.ts": async () => import("shared/core/phone-in-text"),
  "shared/src/core/phone-search.ts": async () => {
    const { phoneFinder, phonePattern } = await import("shared/core/phone-search");
    phoneFinder(phonePattern("+491701234567"));
  },
  "shared/src/core/text.ts": async () => import("shared/core/text"),
  "shared/src/secrets/site-key.ts": async () => import("shared/secrets/site-key"),
};

/** The parts of a text; the middle one is repeated. */
interface Shape {
  lead: string;
  unit: string;
  tail: string;
}

/** The texts for which the expression's time grows faster than their length; null if none is found. */
function hostileInput({ source, flags }: RegExp): Shape | null {
  const outsideClasses = source.replaceAll(/\\.|\[(?:[^\]\\]|\\.)*\]/gu, "a");
  if (!/[*+]|\{\d+,\}/u.test(outsideClasses)) return null;
  const everywhere = new RegExp(source, flags.includes("g") ? flags : `${flags}g`);
  const isSlow = (shape: Shape, { length, times, tries }: Effort): boolean => {
    const text = textOf(shape, length);
    const longest = times * referenceTime(length);
    return Array.from({ length: tries }).every(() => timeOf(everywhere, text) > longest);
  };
  return shapesFor(new RegExp(source, flags)).find((shape) => isSlow(shape, glance) && isSlow(shape, proof)) ?? null;
}

/** The measure of too slow: this many times the reference's time for this length, in each of this many tries. */
interface Effort {
  length: number;
  times: number;
  tries: number;
}

const glance: Effort = { length: 1_000, times: 4, tries: 3 };
/** Linear expressions take a few times what the reference takes, quadratic ones hundreds of times. */
const proof: Effort = { length: 30_000, times: 50, tries: 3 };

const referenceTimes = new Map<number, number>();
/** The time of the reference: a match at every character of a text of this length. */
function referenceTime(length: number): number {
  const text = textOf({ lead: "", unit: "a", tail: "" }, length);
  const known = referenceTimes.get(length) ?? Math.min(...Array.from({ length: 20 }, () => timeOf(/[^]/g, text)));
  referenceTimes.set(length, known);
  return known;
}

const textOf = ({ lead, unit, tail }: Shape, length: number): string => [lead, unit.repeat(Math.ceil(length / unit.length)), tail].join("");

/**
 * The processor's time, in microseconds: other programs disturb it little, and the least of several tries not at all. It is the sum of user and system
 * time: the system measures the whole and guesses the parts, either of which may stand still for a while.
 */
function timeOf(expression: RegExp, text: string): number {
  const started = process.cpuUsage();
  text.replace(expression, "");
  const { user, system } = process.cpuUsage(started);
  return user + system;
}

/** Texts from the expression's own characters and pairs, and from parts that it matches, repeated; each with an end that spoils the match. */
function shapesFor(expression: RegExp): Shape[] {
  const named = expression.source.replaceAll(/\\[dDsSwWbpP](\{[^}]*\})?/gu, "").replaceAll(/[\^$*+?()|\\]/gu, "");
  const letters = [...new Set(Array.from(`${named.replaceAll(/\w+/gu, (word) => word.slice(0, 2))} a0\n`))].slice(0, scaled(8, 12));
  const units = [...letters, ...letters.flatMap((first) => letters.map((second) => first + second))];
  const end = `\n\0${named}`;
  const plain = units.flatMap((unit) => [shapeOf("", unit, ""), shapeOf("", unit, end), shapeOf(named, unit, end)]);
  return [...plain, ...matches(expression).flatMap((match) => pumped(match, end))];
}

const shapeOf = (lead: string, unit: string, tail: string): Shape => ({ lead, unit, tail });

function matches({ source, flags }: RegExp): string[] {
  // To choose from a class of Unicode, the generator reads all of Unicode: one sign of it does.
  const narrowed = source.replaceAll(/\\([pP])\{(\w+)\}/gu, (_, kind: string, name: string) => (kind === "P" ? "~" : (signs[name] ?? "a")));
  try {
    const samples = fc.sample(fc.stringMatching(new RegExp(narrowed, flags.replaceAll(/[gimyv]/gu, ""))), { numRuns: 6, seed: 1 });
    return samples.filter((sample) => new RegExp(source, flags).test(sample));
  } catch {
    // The generator does not know every construct.
    return [];
  }
}

/** A sign of a class of Unicode, as expressions write it; a letter stands for every other class. */
const signs: Readonly<Record<string, string>> = {
  C: "\\x01",
  Cc: "\\x01",
  Cf: "\\u200d",
  N: "1",
  Nd: "1",
  M: "\\u0301",
  P: "!",
  S: "¬",
  Lu: "A",
};

function pumped(match: string, end: string): Shape[] {
  const starts = Array.from({ length: Math.min(match.length, 6) }, (_, index) => index);
  return starts.flatMap((start) =>
    [1, 2, 5].flatMap((size) => {
      const unit = match.slice(start, start + size);
      return unit === "" ? [] : ["\0", match.slice(start + size) + end].map((tail) => shapeOf(match.slice(0, start), unit, tail));
    }),
  );
}
