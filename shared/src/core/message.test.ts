import { expect, test, describe } from "vitest";
import { data } from "../../../test/support/data.ts";
import { readLogSearch, splitPhone } from "./log-search.ts";
import { hasNoNews, optOutScopeOf } from "./message.ts";
import { optOutKey } from "./person-key.ts";

describe("opt out", () => {
  test("one error of the platform tells what its recipient does not want; that the business blocked them does not", () => {
    expect(["131050", "130403", "131026", "", null].map(optOutScopeOf)).toEqual(["marketing", null, null, null, null]);
  });

  test("an entry is known by its account and the number, however that is written", () => {
    expect(optOutKey("a", "+491701234567")).toBe("opt-out a 491701234567");
    expect(optOutKey("a", "+5511987654321")).toBe(optOutKey("a", "551187654321"));
    expect(optOutKey("b", "+491701234567")).not.toBe(optOutKey("a", "+491701234567"));
  });
});

describe("search log", () => {
  test.each(data<[string, object][]>("core-message", "examples"))("%s", (text, expected) => {
    expect(readLogSearch(text)).toEqual(expected);
  });

  test("a phone beside another word is one of two conditions, unless a phone is asked for already", () => {
    const split = { phone: "+15550108011", search: "10120" };
    for (const search of ["+15550108011 10120", "10120  0015550108011 "]) expect(splitPhone({ search })).toEqual(split);
    for (const search of ["+15550108011", "+1 555 010 8011", "Anna 10120", undefined]) expect(splitPhone({ search })).toEqual({ search });
    const asked = { search: "+15550108011 10120", phone: "+491701234567" };
    expect(splitPhone(asked)).toEqual(asked);
  });
});

const now = new Date("2026-11-20T12:00:00Z");
const before = (minutes: number): Date => new Date(now.getTime() - minutes * 60_000);
const days = 24 * 60;

describe("no news of a message that was sent", () => {
  test.each([
    ["AUTHENTICATION", 10, false],
    ["authentication", 10.01, true],
    ["UTILITY", 30 * days, false],
    ["UTILITY", 30 * days + 1, true],
    ["MARKETING", 30 * days + 1, true],
    ["MARKETING", 11, false],
    [null, 29 * days, false],
    [null, 31 * days, true],
  ])("%s after %d minutes: %s", (category, minutes, expected) => {
    expect(hasNoNews({ status: "sent", category, sentAt: before(minutes) }, now)).toBe(expected);
  });

  test.each([
    [7200, 120, false],
    [7200, 120.01, true],
    [-1, 29 * days, false],
  ])("a template's own time to live counts: %d s after %d minutes: %s", (ttlSeconds, minutes, expected) => {
    expect(hasNoNews({ status: "sent", category: "AUTHENTICATION", ttlSeconds, sentAt: before(minutes) }, now)).toBe(expected);
  });

  test.each(["queued", "sending", "failed", "delivered", "read"] as const)("is never said of %s", (status) => {
    expect(hasNoNews({ status, category: "UTILITY", sentAt: before(90 * days) }, now)).toBe(false);
  });

  test("needs a time to count from", () => {
    expect(hasNoNews({ status: "sent", category: "UTILITY", sentAt: null }, now)).toBe(false);
  });
});
