import { expect, test } from "vitest";
import { bringsResend } from "./use-log.ts";

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
