import { expect, test } from "vitest";
import { optedOut, optOutKey, optOutScopeOf } from "./opt-out.ts";

test("two errors of the platform tell what their recipient does not want", () => {
  expect(["131050", "130403", "131026", "", null].map(optOutScopeOf)).toEqual(["marketing", "all", null, null, null]);
});

test("an entry is known by its account and the number, however that is written", () => {
  expect(optOutKey("a", "+491701234567")).toBe("opt-out a 491701234567");
  expect(optOutKey("a", "+5511987654321")).toBe(optOutKey("a", "551187654321"));
  expect(optOutKey("b", "+491701234567")).not.toBe(optOutKey("a", "+491701234567"));
});

test("why a message is not sent", () => {
  expect(optedOut).toEqual({ code: "recipient_opted_out", reason: expect.stringMatching(/opted out .* Nothing was sent\.$/) });
});
