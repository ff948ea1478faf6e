import { expect, test } from "vitest";
import { selectsStar } from "./house-rules.js";

test.each([
  "select * from site",
  "select s.* from site s",
  "select id, s.*, name from site s",
  "with x as (select 1) select x.*\nfrom x",
  "insert into site values (1) returning *",
  "update site set a = 1 returning *;",
  "select * into x from y",
  "with gone as (delete from site returning *) select id from gone",
])("names no columns: %s", (text) => {
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
