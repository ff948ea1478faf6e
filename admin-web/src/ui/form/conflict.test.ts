import { describe, expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { compareSides, type ToldField } from "./conflict.tsx";

interface Fields {
  name: string;
  on: boolean;
  times: { from: string; to: string };
  rules: string[];
}

const tell = ({ name, on, times, rules }: Fields): ToldField[] => [
  { name: "Name", text: name, at: ["name"] },
  { name: "On", text: on ? "yes" : "no", at: ["on"] },
  { name: "From", text: times.from, at: ["times/from"] },
  { name: "To", text: times.to, at: ["times/to"] },
  ...rules.map((rule, index) => ({ name: `Rule ${index}`, text: rule, at: [`rules/${index}`] })),
];

const base: Fields = { name: "Shop", on: true, times: { from: "08:00", to: "20:00" }, rules: ["a", "b"] };
const compare = (mine: Partial<Fields>, theirs: Partial<Fields>) =>
  compareSides(tell, { base, mine: { ...base, ...mine }, theirs: { ...base, ...theirs } });

describe("a form beside what somebody else has saved", () => {
  test("differs nowhere if they changed nothing of it, or the same", () => {
    expect(compare({ name: "Store" }, {})).toEqual({ rows: [], merged: { ...base, name: "Store" } });
    expect(compare({ name: "Store", on: false }, { name: "Store" })).toEqual({ rows: [], merged: { ...base, name: "Store", on: false } });
  });

  test("shows what they changed, and keeps that where the person has not changed it", () => {
    const { rows, merged } = compare(
      { name: "Store", times: { from: "09:00", to: "20:00" }, rules: ["a", "c"] },
      { name: "Market", on: false, times: { from: "08:00", to: "21:00" }, rules: ["z", "b"] },
    );
    expect(rows).toEqual(data("admin-web-ui-conflict", "shows what they changed, and keeps that where th"));
    expect(merged).toEqual({ name: "Store", on: false, times: { from: "09:00", to: "21:00" }, rules: ["z", "c"] });
  });

  test("shows what is there on one side alone", () => {
    expect(compare({}, { rules: ["a"] }).rows).toEqual([{ name: "Rule 1", theirs: "", mine: null }]);
    expect(compare({}, { rules: ["a", "b", "d"] }).rows).toEqual([{ name: "Rule 2", theirs: "d", mine: null }]);
  });
});
