import { TRPCError } from "@trpc/server";
import type { LogPage } from "shared/db/statement";
import { describe, expect, it, vi } from "vitest";
import { endingAt, inStretches, readPage, readStretches } from "./paging.ts";

const [a, b, c] = [1, 2, 3].map((n) => ({ id: `0193e1f0-0000-7000-8000-00000000000${n}` })) as [Row, Row, Row];
interface Row {
  id: string;
}
type Read = (page: { before: string | null; limit: number }) => Promise<Row[]>;

const page = async (rows: Row[], limit: number, list = "things") =>
  readPage(
    list,
    { limit },
    async () => rows,
    ({ id }) => ({ shown: id }),
  );

describe("a list's pages", () => {
  it("end where there is no row beyond the limit", async () => {
    expect(await page([c, b], 2)).toEqual({ items: [{ shown: c.id }, { shown: b.id }], nextCursor: null });
    expect(await page([], 2)).toEqual({ items: [], nextCursor: null });
  });

  it("go on after the last row that was shown", async () => {
    const { items, nextCursor } = await page([c, b, a], 2);
    expect(items).toEqual([{ shown: c.id }, { shown: b.id }]);
    const read = vi.fn<Read>(async () => [a]);
    expect(await readPage("things", { cursor: nextCursor, limit: 2 }, read, (row) => row)).toEqual({ items: [a], nextCursor: null });
    expect(read).toHaveBeenCalledExactlyOnceWith({ before: b.id, limit: 3 });
  });

  it.each([undefined, null])("begin without a cursor: %s", async (cursor) => {
    const read = vi.fn<Read>(async () => []);
    await readPage("things", { cursor, limit: 2 }, read, (row) => row);
    expect(read).toHaveBeenCalledExactlyOnceWith({ before: null, limit: 3 });
  });

  it("may be ordered by a key of their own", async () => {
    const keyed = { keyOf: ({ id }: Row) => `key of ${id}`, isKey: (key: string) => key.startsWith("key of") };
    const { nextCursor } = await readPage(
      "things",
      { limit: 1 },
      async () => [c, b],
      (row) => row,
      keyed,
    );
    const read = vi.fn<Read>(async () => [b]);
    await readPage("things", { cursor: nextCursor, limit: 1 }, read, (row) => row, keyed);
    expect(read).toHaveBeenCalledExactlyOnceWith({ before: `key of ${c.id}`, limit: 2 });
  });

  it.each<[string, (real: string) => string | null | Promise<string | null>]>([
    ["empty", () => ""],
    ["a word", () => "abc"],
    ["an id", () => c.id],
    ["cut", (real) => real.slice(0, -1)],
    ["lengthened", (real) => `${real}A`],
    ["padded", (real) => `${real}=`],
    ["changed in one place", (real) => (real.startsWith("A") ? "B" : "A") + real.slice(1)],
    ["well made around what is no id", async () => (await page([{ id: "no id" }, a], 1)).nextCursor],
    ["of another list", async () => (await page([c, a], 1, "others")).nextCursor],
  ])("refuse a cursor that is %s", async (_, make) => {
    const real = (await page([c, a], 1)).nextCursor ?? "";
    const cursor = await make(real);
    const read = vi.fn<Read>(async () => []);
    await expect(readPage("things", { cursor, limit: 1 }, read, (row) => row)).rejects.toThrow(TRPCError);
    expect(read).not.toHaveBeenCalled();
  });
});

describe("a page of what no index finds", () => {
  // Each stretch ends at the next of these ids, which is its only row.
  const ends = [c, b, a].map(({ id }) => id);
  const endOf = async ({ before }: { before: string | null }) => ends.find((id) => before === null || (id < before && id !== a.id)) ?? null;
  const range = { from: null, before: null, limit: 3 };

  it("goes on a stretch at a time until it is full or at the end, and tells where it stopped", async () => {
    const read = vi.fn<(part: LogPage) => Promise<Row[]>>(async ({ from }) => [{ id: from ?? a.id }]);
    const asked = vi.fn<(page: { before: string | null }, most: number) => Promise<string | null>>(endOf);
    expect(await readStretches(range, endingAt(asked), read)).toEqual({ rows: [c, b, a], readTo: null });
    expect(read.mock.calls.map(([{ from, limit }]) => [from, limit])).toEqual([
      [c.id, 3],
      [b.id, 2],
      [null, 1],
    ]);
    expect(asked.mock.calls.map(([, most]) => most)).toEqual([1_000, 4_000, 10_000]);
    expect(await readStretches({ ...range, limit: 2 }, endingAt(endOf), read)).toEqual({ rows: [c, b], readTo: b.id });
  });

  it("looks at one stretch however long that takes", async () => {
    const seen: (string | null)[] = [];
    for await (const { readTo } of inStretches(range, endingAt(endOf), { mostMs: 0 })) seen.push(readTo);
    expect(seen).toEqual([c.id]);
  });

  it("goes on in the next page", async () => {
    const { nextCursor, items } = await readPage(
      "things",
      { limit: 2 },
      async () => ({ rows: [c], readTo: b.id }),
      (row) => row,
    );
    expect(items).toEqual([c]);
    const read = vi.fn<Read>(async () => [a]);
    expect(await readPage("things", { cursor: nextCursor, limit: 2 }, read, (row) => row)).toEqual({ items: [a], nextCursor: null });
    expect(read).toHaveBeenCalledExactlyOnceWith({ before: b.id, limit: 3 });
  });
});
