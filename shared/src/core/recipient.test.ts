import { expect, test } from "vitest";
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

test.each<[unknown, string]>([
  [{ strategy: "everybody" }, "strategy: must be customer, site_recipients, test, static_phone or field_path"],
  ["customer", "must be an object whose strategy is customer, site_recipients, test, static_phone or field_path"],
  [{ strategy: "static_phone", phone: "0170 1234567" }, "phone: must be a phone number in E.164 form, as in +491701234567"],
  [{ strategy: "static_phone" }, "phone: must be a phone number in E.164 form, as in +491701234567"],
  [{ strategy: "field_path", path: "order." }, "path: must be keys joined by single dots, as in customer.first_name"],
  [{ strategy: "customer", phone: "+491701234567" }, "has no member phone"],
])("refuses %j", (recipient, message) => {
  expect(recipientSchema.safeParse(recipient).error?.issues.map((issue) => issue.message)).toEqual([message]);
});
