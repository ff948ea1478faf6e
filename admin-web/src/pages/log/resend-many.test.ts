import { expect, test } from "vitest";
import { resendFilter } from "./resend-many.tsx";

const none = { from: undefined, to: undefined };

test.each([
  [{}, none],
  [{ status: "failed", event: "a", errorCode: "131026" } as const, { ...none, event: "a", errorCode: "131026" }],
  [{ search: "0049 170 1234567" }, { ...none, phone: "+491701234567" }],
  [
    { search: "+491701234567", phone: "+491701234567" },
    { ...none, phone: "+491701234567" },
  ],
])("%j", (filters, input) => {
  expect(resendFilter(filters)).toEqual({ input });
});

test.each([
  [{ status: "read" } as const, /status read/],
  [{ search: "wamid.A" }, /single messages/],
  [{ search: "019aa000-0000-7000-8000-0000000000aa" }, /single messages/],
  [{ search: "+491701234567", phone: "+491701234568" }, /two different phones/],
])("%j resends nothing", (filters, why) => {
  expect(resendFilter(filters)).toEqual({ why: expect.stringMatching(why) });
});
