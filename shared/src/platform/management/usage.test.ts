import { expect, test } from "vitest";
import { pauseFor, readUsage } from "./usage.ts";

const header = (value: unknown) => ({ "x-business-use-case-usage": typeof value === "string" ? value : JSON.stringify(value) });
const counts = (more: object) => ({ call_count: 12, total_cputime: 3, total_time: 4, estimated_time_to_regain_access: 0, ...more });

test("of several counts and kinds the worst is told, by business account", () => {
  const usage = readUsage(
    header({ "1001": [counts({}), counts({ total_time: 93 })], "1002": [counts({ estimated_time_to_regain_access: 7 })] }),
  );
  expect(Object.fromEntries(usage)).toEqual({ "1001": { percent: 93, regainMs: 0 }, "1002": { percent: 12, regainMs: 420_000 } });
});

test.each([
  ["no header", {}],
  ["no JSON", header("{")],
  ["null", header("null")],
  ["a list", header([])],
])("%s says nothing", (_, headers) => {
  expect(readUsage(headers).size).toBe(0);
});

test("counts of another shape are none", () => {
  expect(readUsage(header({ "1": "much", "2": [{ call_count: "96" }], "3": [null] })).get("2")).toEqual({ percent: 0, regainMs: 0 });
});

test("calls slow down from 80 % on and stop before the last", () => {
  const pause = (percent: number, regainMs = 0) => pauseFor({ percent, regainMs });
  expect([pauseFor(null), pause(0), pause(79)]).toEqual([0, 0, 0]);
  expect(pause(80)).toBeGreaterThan(0);
  expect(pause(94)).toBeGreaterThan(pause(80));
  expect([pause(95), pause(100), pause(10, 60_000)]).toEqual([Infinity, Infinity, Infinity]);
});
