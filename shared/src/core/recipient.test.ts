import { expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import { recipientSchema } from "./recipient.ts";

test.each([
  { strategy: "customer" },
  { strategy: "site_recipients" },
  { strategy: "test" },
  { strategy: "static_phone", phone: "+491701234567" },
  { strategy: "field_path", path: "order.billing.phone" },
])("takes %j", (recipient) => {
  expect(recipientSchema.parse(recipient)).toEqual(recipient);
});

test.each(data<[unknown, string][]>("core-recipient", "refuses"))("refuses %j", (recipient, message) => {
  expect(recipientSchema.safeParse(recipient).error?.issues.map((issue) => issue.message)).toEqual([message]);
});
