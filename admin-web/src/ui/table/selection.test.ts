import { expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { released, toggled } from "./selection.tsx";

const list = Array.from("abcdef", (id) => ({ id }));
type State = Parameters<typeof toggled<{ id: string }>>[0];
const none: State = { of: "", rows: new Map(), anchor: null, isAll: false };
const after = (...clicks: string[]) =>
  clicks.reduce<State>((now, click) => toggled(now, list, { id: click.slice(-1), isRange: click.length > 1 }), none);
const ids = (...clicks: string[]) => [...after(...clicks).rows.keys()].join("");

test.each(data<[string, string[], string][]>("admin-web-ui-selection", "s"))("%s", (_, clicks, chosen) => {
  expect(ids(...clicks)).toBe(chosen);
});

test("of all that match the shown ones stay but for one", () => {
  const { rows, isAll } = toggled({ ...none, isAll: true }, list, { id: "c", isRange: false });
  expect([[...rows.keys()].join(""), isAll]).toEqual(["abdef", false]);
});

test("what was chosen since an action began outlasts its end", () => {
  const then = after("b", "⇧d");
  expect([...released(toggled(then, list, { id: "f", isRange: false }), then).rows.keys()].join("")).toBe("f");
  expect(released({ ...then, isAll: true }, then)).toEqual(none);
  const elsewhere = { ...then, of: "other filters" };
  expect(released(elsewhere, then)).toBe(elsewhere);
});

test("what is on another page by now stays, and a range that began there is its last row alone", () => {
  const later = list.slice(3);
  expect([...toggled(after("b"), later, { id: "e", isRange: true }).rows.keys()].join("")).toBe("be");
});

test("a click gives its rows the other state of the last one, and touches no row outside its range", () => {
  const subsets = Array.from({ length: 2 ** list.length }, (_, bits) => list.filter((_row, index) => (bits >> index) % 2 === 1));
  for (const chosen of subsets)
    for (const [from, { id: anchor }] of list.entries())
      for (const [to, { id }] of list.entries()) {
        const was: State = { ...none, rows: new Map(chosen.map((row) => [row.id, row])), anchor };
        const { rows } = toggled(was, list, { id, isRange: true });
        const wanted = list.filter((row, index) => {
          const isTouched = index >= Math.min(from, to) && index <= Math.max(from, to);
          return isTouched ? !was.rows.has(id) : was.rows.has(row.id);
        });
        expect(new Set(rows.keys())).toEqual(new Set(wanted.map((row) => row.id)));
      }
});
