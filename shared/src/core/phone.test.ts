import { expect, test } from "vitest";
import { isE164 } from "./phone.ts";

test.each(["+1234567", "+491701234567", "+123456789012345"])("%s is E.164", (phone) => {
  expect(isE164(phone)).toBe(true);
});

test.each([
  "+123456",
  "+1234567890123456",
  "+0123456789",
  "491701234567",
  "+49 170 1234567",
  "+491701234567\n",
  "+49170123456٧",
  "",
  "++491701234567",
])("%j is not", (phone) => {
  expect(isE164(phone)).toBe(false);
});
