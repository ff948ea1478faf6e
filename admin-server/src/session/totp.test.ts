import { expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import { findStep, makeTotpSecret, otpauthUrl, totpCode, totpStep } from "./totp.ts";

/** RFC 6238, appendix B, for SHA-1: the last six of its eight digits. */
test.each(data<[number, string][]>("admin-server-session-totp", "at second the code is"))("at second %i the code is %s", (second, code) => {
  // The bytes of "12345678901234567890".
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  expect(totpCode(secret, totpStep(new Date(second * 1000)))).toBe(code);
});

test("a code is taken one step around its own, and only after the last that was taken", () => {
  const [secret, now] = [makeTotpSecret(), new Date("2031-01-01T00:00:10Z")];
  const current = totpStep(now);
  const found = (step: number, last = 0) => findStep(secret, totpCode(secret, step), { now, last });
  expect([-2, -1, 0, 1, 2].map((away) => found(current + away))).toEqual([null, current - 1, current, current + 1, null]);
  expect([-1, 0, 1].map((away) => found(current + away, current))).toEqual([null, null, current + 1]);
  expect(findStep(secret, "éééééé", { now, last: 0 })).toBeNull();
  expect(["", "12345", "1234567", " ", "abcdef"].map((code) => findStep(secret, code, { now, last: 0 }))).toEqual(
    data("admin-server-session-totp", "a code is taken one step around its own, and only after the"),
  );
});

test("the address for apps names the issuer, the person and the secret", () => {
  const url = new URL(otpauthUrl("ABC", "a+b@example.com"));
  expect([url.protocol, url.host, decodeURIComponent(url.pathname)]).toEqual(["otpauth:", "totp", "/Tidings:a+b@example.com"]);
  expect(Object.fromEntries(url.searchParams)).toEqual({ secret: "ABC", issuer: "Tidings", algorithm: "SHA1", digits: "6", period: "30" });
});
