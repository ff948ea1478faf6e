import type { NewEvent } from "shared/db/event-kind";
import { expect, test } from "vitest";
import { defaultLearningLimits } from "./kinds.ts";
import { type Budget, choosePayloads, isSpent } from "./learner.ts";

const limits = { ...defaultLearningLimits, payloadBytes: 1_000, sampleBytes: 2_000 };
const event = (id: string, newest: number, bytes: number | null): NewEvent => ({ site_id: "s", id, name: "n", newest, total: 1, bytes });
const chosen = (events: NewEvent[], budget: Budget): string[] => choosePayloads(events, budget, limits).map(({ id }) => id);

test("the newest of each name come first, and of those the shortest; what is gone or too long is left out", () => {
  const events = [event("old", 2, 10), event("long", 1, 900), event("short", 1, 20), event("gone", 1, null), event("huge", 1, 1_001)];
  expect(chosen(events, { payloads: 100, bytes: 10_000 })).toEqual(["short", "long", "old"]);
});

test("a run learns in full until its budget is spent, then the newest of each name", () => {
  const budget = { payloads: 8, bytes: 10_000 };
  const page = (from: number) => Array.from({ length: 12 }, (_, n) => event(`${from + n}`, n + 1, 100));
  expect(chosen(page(0), budget)).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
  expect(isSpent(budget)).toBe(true);
  expect(chosen(page(20), budget)).toEqual(["20", "21", "22", "23", "24"]);
  expect(isSpent({ payloads: 1, bytes: 0 })).toBe(true);
  expect(isSpent({ payloads: 1, bytes: 1 })).toBe(false);
});

test("the bytes of one page are bounded, and every page may sample some", () => {
  const budget = { payloads: 100, bytes: 3_500 };
  expect(chosen([event("a", 1, 1_000), event("b", 2, 1_000), event("c", 3, 1_000), event("d", 4, 1_000)], budget)).toEqual(["a", "b", "c"]);
  expect(isSpent(budget)).toBe(true);
  expect(chosen([event("e", 1, 900), event("f", 1, 950), event("g", 1, 960)], budget)).toEqual(["e", "f"]);
});
