import { expect, test, describe } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { navigation } from "./navigation.ts";
import { pastedKind, type PaletteGroup } from "./palette-found.ts";
import { matching } from "./palette.tsx";

describe("pasted", () => {
  test.each(data<[string, string | null][]>("admin-web-pages-shell-palette", "s is s"))("%s is %s", (text, kind) => {
    expect(pastedKind(text, true)).toBe(kind);
  });

  test("whoever sees no phones looks for none", () => {
    expect(pastedKind("+491701234567", false)).toBeNull();
  });
});

describe("matching", () => {
  const group = (label: string, ...labels: [string, string?][]): PaletteGroup => ({
    label,
    entries: labels.map(([name, hint]) => ({ id: name, label: name, hint, icon: null as never, run: () => {} })),
  });
  const groups = [group("Pages", ["Access tokens", "Settings"], ["Sites", "Set up"]), group("Actions", ["New site"], ["Sign out"])];
  const found = (query: string) => matching(groups, query).map(({ label, entries }) => [label, ...entries.map((entry) => entry.label)]);

  test("each page has a letter of its own", () => {
    const letters = navigation.flatMap(({ entries }) => entries.map(({ letter }) => letter));
    expect(letters).toEqual([...new Set(letters)]);
    expect(letters.join("")).toMatch(/^[a-z]+$/u);
  });

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
});
