import { afterEach, expect, test, vi } from "vitest";
import { isUuid, uuidTime } from "../core/uuid.ts";
import { newId } from "./ids.ts";

afterEach(() => vi.useRealTimers());

test("ids are UUIDs of now, and each is greater than the one before", () => {
  const before = Date.now();
  const ids = Array.from({ length: 20_000 }, newId);
  expect(ids.every((id) => isUuid(id) && id[14] === "7")).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(ids.toSorted());
  expect(uuidTime(ids[0] ?? "")).toBeGreaterThanOrEqual(before);
});

test("a clock that steps back does not take the ids with it", () => {
  const id = newId();
  vi.useFakeTimers({ now: Date.now() - 60_000 });
  expect(newId() > id).toBe(true);
});
