import { describe, expect, test } from "vitest";
import { countNewRows, mergeNewest, updateRows } from "./live-list.tsx";

const rows = (ids: string, nextCursor: string | null = null, status = "sent") => ({
  items: Array.from(ids, (id) => ({ id, status })),
  nextCursor,
});
const idsOf = ({ items }: { items: { id: string }[] }): string => items.map(({ id }) => id).join("");

describe("the newest messages", () => {
  test.each([
    ["nothing is new", rows("cba"), rows("cba"), 0, false],
    ["two are", rows("cba"), rows("edcba"), 2, false],
    ["one came late, between others", rows("eca"), rows("ecba"), 1, false],
    ["all are, and there may be more between", rows("cba"), rows("zyx", "older than x"), 3, true],
    ["all are, and there are no others", rows(""), rows("cba"), 3, false],
  ])("%s", (_, shown, newest, count, more) => {
    expect(countNewRows(shown, newest)).toEqual({ count, more });
  });

  test("are put on top of what was loaded, which goes on where it did", () => {
    const merged = mergeNewest(rows("dcba", "older than a"), rows("fed", "older than d", "read"));
    expect(idsOf(merged)).toBe("fedcba");
    expect(merged.nextCursor).toBe("older than a");
    expect(merged.items.map(({ status }) => status)).toEqual(["read", "read", "read", "sent", "sent", "sent"]);
  });

  test("go on where they end themselves when they reach as far as what was loaded", () => {
    expect(mergeNewest(rows("dc", "older than c"), rows("edcb", "older than b"))).toEqual(rows("edcb", "older than b"));
  });

  test("show that one does not fit the filters any more", () => {
    expect(idsOf(mergeNewest(rows("dcba", "x"), rows("db", "y")))).toBe("dba");
    expect(idsOf(mergeNewest(rows("dcba"), rows("db")))).toBe("db");
    expect(idsOf(mergeNewest(rows("dcba"), rows("")))).toBe("");
  });

  test("leave what was loaded where they end before the first of it", () => {
    expect(mergeNewest(rows("dcba", "x"), rows("", "y"))).toEqual(rows("dcba", "x"));
  });

  test.each([
    ["rows that have left at the top", rows("4132", "after 2"), rows("13", "after 3"), "132"],
    ["rows that came between", rows("4132", "after 2"), rows("417", "after 7"), "41732"],
    ["the end", rows("4132", "after 2"), rows("41"), "41"],
    ["nothing that was there", rows("4132", "after 2"), rows("56", "after 6"), "56"],
  ])("keep what is below them where ids tell no order: %s", (_, shown, newest, merged) => {
    expect(idsOf(mergeNewest(shown, newest))).toBe(merged);
  });

  test("change what is shown in its place alone while somebody reads it", () => {
    const updated = updateRows(rows("cba", "x"), rows("edb", "y", "read"));
    expect(idsOf(updated)).toBe("cba");
    expect(updated.nextCursor).toBe("x");
    expect(updated.items.map(({ status }) => status)).toEqual(["sent", "read", "sent"]);
  });
});
