import { TRPCError } from "@trpc/server";
import { describe, expect, it } from "vitest";
import { readCursor, toPage } from "./paging.ts";

const page = (rows: string[], limit: number, list = "things") =>
  toPage(
    list,
    rows,
    limit,
    (row) => row,
    (row) => ({ id: row }),
  );

describe("a list's pages", () => {
  it("end where there is no row beyond the limit", () => {
    expect(page(["c", "b"], 2)).toEqual({ items: [{ id: "c" }, { id: "b" }], nextCursor: null });
    expect(page([], 2)).toEqual({ items: [], nextCursor: null });
  });

  it("go on after the last row that was shown", () => {
    const { items, nextCursor } = page(["c", "b", "a"], 2);
    expect(items).toEqual([{ id: "c" }, { id: "b" }]);
    expect(readCursor("things", nextCursor, () => true)).toBe("b");
    const id = "0193e1f0-0000-7000-8000-000000000000";
    expect(readCursor("things", page([id, "a"], 1).nextCursor)).toBe(id);
  });

  it("begin without a cursor", () => {
    expect(readCursor("things", undefined)).toBeNull();
    expect(readCursor("things", null)).toBeNull();
  });

  const real = page(["0193e1f0-0000-7000-8000-000000000001", "a"], 1).nextCursor ?? "";
  it.each([
    ["empty", ""],
    ["a word", "abc"],
    ["an id", "0193e1f0-0000-7000-8000-000000000000"],
    ["cut", real.slice(0, -1)],
    ["lengthened", `${real}A`],
    ["padded", `${real}=`],
    ["changed in one place", (real.startsWith("A") ? "B" : "A") + real.slice(1)],
    ["well made around what is no id", page(["no id", "a"], 1).nextCursor],
    ["of another list", page(["0193e1f0-0000-7000-8000-000000000001", "a"], 1, "others").nextCursor],
  ])("refuse a cursor that is %s", (_, cursor) => {
    expect(() => readCursor("things", cursor)).toThrow(TRPCError);
  });
});
