import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { root, sourceFiles } from "../graph/source-files.ts";

const maxLines = 400;
/** In a folder of more than three files: below it, its files are crumbs. */
const leastMedian = 30;

test(`no source file is longer than ${maxLines} lines`, () => {
  const lengths = sourceFiles().map((path): [string, number] => [path, linesOf(path)]);
  expect(lengths.filter(([, lines]) => lines > maxLines)).toEqual([]);
});

test(`half of a folder's files have at least ${leastMedian} lines`, () => {
  const folders = new Map<string, number[]>();
  for (const path of sourceFiles()) folders.set(dirname(path), [...(folders.get(dirname(path)) ?? []), linesOf(path)]);
  const crumbled = [...folders].filter(([, lengths]) => lengths.length > 3 && median(lengths) < leastMedian);
  expect(crumbled.map(([folder]) => folder)).toEqual([]);
});

test("every file and folder is named in kebab case, after the one thing that it holds", () => {
  expect(
    sourceFiles(/./u)
      .filter((path) => basename(path) !== "README.md")
      .flatMap(badNames),
  ).toEqual([]);
});

test.each([["src/utils/a.ts"], ["src/string-helpers.ts"], ["src/common.ts"], ["src/index.ts"], ["src/twoWords.ts"], ["src/Two/a.ts"]])(
  "%s is no such name",
  (path) => {
    expect(badNames(path)).toEqual([path]);
  },
);

test("lines are counted as an editor counts them", () => {
  expect([lineCount(""), lineCount("a\n"), lineCount("a\nb"), lineCount("a\n".repeat(301))]).toEqual([0, 1, 2, 301]);
});

function linesOf(path: string): number {
  return lineCount(readFileSync(join(root, path), "utf8"));
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

function lineCount(text: string): number {
  return text === "" ? 0 : text.replace(/\n$/u, "").split("\n").length;
}

function badNames(path: string): string[] {
  const stem = basename(path).replace(/^\./u, "").split(".")[0] ?? "";
  const folders = dirname(path)
    .split("/")
    .map((name) => name.replace(/^\./u, ""))
    .filter((name) => name !== "");
  const names = [...folders, stem];
  const kebab = names.every((name) => /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/u.test(name));
  const vague =
    names.some((name) => /(?:^|-)(?:utils?|helpers?|common|misc)$/u.test(name)) || (stem === "index" && !path.endsWith(".html"));
  return kebab && !vague ? [] : [path];
}
