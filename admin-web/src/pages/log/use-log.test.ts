import { expect, test } from "vitest";
import { bringsResend, withoutResent } from "./use-log.ts";

const rows = (...items: [id: string, resendOf: string | null][]) => ({
  items: items.map(([id, resendOf]) => ({ id, resendOf })),
  nextCursor: null,
});

test("a resend counts until it is shown, other news never", () => {
  const shown = rows(["b", "a"], ["a", null]);
  expect(bringsResend(shown, rows(["c", "a"], ["b", "a"], ["a", null]))).toBe(true);
  expect(bringsResend(shown, rows(["c", null], ["b", "a"], ["a", null]))).toBe(false);
  expect(bringsResend(shown, undefined)).toBe(false);
  expect(bringsResend(undefined, shown)).toBe(true);
});

test("a message is shown once: a row whose resend is shown is left out, one whose resend waits to be shown says so", () => {
  const row = (id: string, resendOf: string | null = null) => ({ id, resendOf, resentAs: null as string | null });
  const [first, second, other] = [row("a"), row("c", "a"), row("b")];
  expect(withoutResent([other, first], [second, other])).toEqual([other, { ...first, resentAs: "c" }]);
  expect(withoutResent([second, other, first], [second, other])).toEqual([second, other]);
  expect(withoutResent([row("d", "c"), second, other, first], [])).toEqual([row("d", "c"), other]);
});
