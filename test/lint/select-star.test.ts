import { expect, test } from "vitest";
import { data } from "../support/data.ts";
import { selectsStar } from "./house-rules.js";

test.each(data<string[]>("test-lint-select-star", "names no columns"))("names no columns: %s", (text) => {
  expect(selectsStar(text)).toBe(true);
});

test.each(data<string[]>("test-lint-select-star", "is let through:"))("is let through: %s", (text) => {
  expect(selectsStar(text)).toBe(false);
});
