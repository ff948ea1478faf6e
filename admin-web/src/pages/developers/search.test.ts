import { expect, test } from "vitest";
import { allSections } from "./documentation.ts";
import { plainText, searchSections } from "./search.tsx";

const titles = (query: string) => searchSections(allSections, query).map(({ section }) => section.title);

test("finds what holds every word, headings first", () => {
  expect(titles("idempotency")[0]).toBe("Idempotency and retries");
  expect(titles("RETRY when")[0]).toBe("When to retry");
  expect(titles("slot_unresolved")).toContain("Codes in the log");
  expect(titles("zebra retry")).toEqual([]);
  expect([titles(""), titles("  ")]).toEqual([[], []]);
});

test("the snippet is of whole words around the first that was found, without marks", () => {
  const [hit] = searchSections(allSections, "lone surrogates constant unix seconds");
  expect(hit).toBeUndefined();
  const [found] = searchSections(allSections, "unix seconds");
  expect(found?.snippet).toMatch(/unix seconds/u);
  expect(found?.snippet).not.toMatch(/[`|]|\*\*/u);
  expect(found?.snippet.length).toBeLessThan(400);
});

test("marks are left out, words stay", () => {
  expect(plainText("| a | `b` |\n|---|---|\n| **c** | d |\n\n- e\n1. f\n```sh\ng\n```")).toBe("a, b c, d e f g");
});
