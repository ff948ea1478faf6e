import { expect, test } from "vitest";
import { data } from "../support/data.ts";
import { selectsStar } from "./house-rules.js";

test.each(data<string[]>("test-lint-select-star", "names no columns"))("names no columns: %s", (text) => {
  expect(selectsStar(text)).toBe(true);
});

test.each([
  "select count(*) from site",
  "select count( * ) as n, id from site",
  "select 2 * 3 as six from site",
  "select a * b from site",
  "select id from site where a in (select b from c)",
  "select /* note */ id from site",
  "select json_agg(row(t.id)) from t; grant all on * to x",
])("is let through: %s", (text) => {
  expect(selectsStar(text)).toBe(false);
});
