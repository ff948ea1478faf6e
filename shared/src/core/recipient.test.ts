import { expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import { recipientSchema } from "./recipient.ts";

test.each(data<{ strategy: string; phone?: string; path?: string }[]>("core-recipient", "takes j"))("takes %j", (recipient) => {
  expect(recipientSchema.parse(recipient)).toEqual(recipient);
});

test.each(data<[unknown, string][]>("core-recipient", "refuses"))("refuses %j", (recipient, message) => {
  expect(recipientSchema.safeParse(recipient).error?.issues.map((issue) => issue.message)).toEqual([message]);
});
