import { expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { daySpan } from "../../ui/list/search-params.ts";
import { resendFilter } from "./many-messages.tsx";

const days = { from: "2030-01-31", to: "2030-01-31" };
const span = daySpan(days);

test.each(data<[object, object][]>("admin-web-pages-log-many-messages", "j"))("%j", (filters, input) => {
  expect(resendFilter({ ...filters, ...days })).toEqual({ input: { ...input, ...span } });
});

test.each([
  [{ status: "read" } as const, /status read/],
  [{ search: "wamid.A", ...days }, /Select the messages/],
  [{ search: "019aa000-0000-7000-8000-0000000000aa", ...days }, /Select the messages/],
  [{ search: "+491701234567", phone: "+491701234568", ...days }, /two different phones/],
])("%j resends nothing", (filters, why) => {
  expect(resendFilter(filters)).toEqual({ why: expect.stringMatching(why) });
});
