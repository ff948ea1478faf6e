import { expect, test } from "vitest";
import { matching } from "./matching.ts";
import type { PaletteGroup } from "./palette-entry.ts";

const group = (label: string, ...labels: [string, string?][]): PaletteGroup => ({
  label,
  entries: labels.map(([name, hint]) => ({ id: name, label: name, hint, icon: null as never, run: () => {} })),
});
const groups = [group("Pages", ["Access tokens", "Settings"], ["Sites", "Set up"]), group("Actions", ["New site"], ["Sign out"])];
const found = (query: string) => matching(groups, query).map(({ label, entries }) => [label, ...entries.map((entry) => entry.label)]);

test("every word must be there, in any order and case, in label or hint", () => {
  expect(found("SITE new")).toEqual([["Actions", "New site"]]);
  expect(found("set")).toEqual([["Pages", "Access tokens", "Sites"]]);
  expect(found("site")).toEqual([
    ["Pages", "Sites"],
    ["Actions", "New site"],
  ]);
});

test("nothing typed finds everything, nonsense nothing", () => {
  expect(found("  ").flat()).toHaveLength(6);
  expect(found("xyzzy")).toEqual([]);
});
