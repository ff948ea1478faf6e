import { expect, test } from "vitest";
import { prettyJson } from "./pretty-json.ts";

const values = [{}, [], { a: [1, { b: null }], "c:{,": 'x"\\y[', d: {}, e: [], "": [[], [[]]] }, "text: {", 1.5, [true, false]];

test.each(values)("%j is set out as JSON.stringify does", (value) => {
  expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
  expect(prettyJson(JSON.stringify(value, null, 7))).toBe(JSON.stringify(value, null, 2));
});

test("numbers and texts stay as they were written", () => {
  expect(prettyJson('{"id":10042000000000000001,"price":12.50,"name":"\\u00e9"}')).toBe(
    '{\n  "id": 10042000000000000001,\n  "price": 12.50,\n  "name": "\\u00e9"\n}',
  );
});
