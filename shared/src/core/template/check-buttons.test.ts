import { expect, test } from "vitest";
import { checkButtons } from "./check.ts";

const reply = { type: "QUICK_REPLY", text: "Help" } as const;
const call = { type: "PHONE_NUMBER", text: "Call", phone: "+4930123456" } as const;
const open = { type: "URL", text: "Open", url: "https://shop.example/" } as const;

test.each([[[reply, call]], [[call, reply]], [[reply, reply, call, open]], [[call, open, reply, reply]], [[reply]], [[]]])(
  "replies stand together in %j",
  (buttons) => {
    expect(checkButtons(buttons)).toEqual([]);
  },
);

test.each([[[reply, call, reply]], [[call, reply, open]], [[reply, call, open, reply]]])("replies stand apart in %j", (buttons) => {
  const message = "must have the quick replies together, before or behind all others";
  expect(checkButtons(buttons)).toEqual([{ field: "buttons", message }]);
});

test.each(["030 (12) 34-56", "+1", "1".repeat(20)])("%j is a number to call", (phone) => {
  expect(checkButtons([{ ...call, phone }])).toEqual([]);
});

test.each(["", "+", "x30", "30x", " 30", "++30", "1".repeat(21)])("%j is no number to call", (phone) => {
  const message = "must be a phone number of at most 20 characters, as in +4930123456";
  expect(checkButtons([{ ...call, phone }])).toEqual([{ field: "buttons.0.phone", message }]);
});

test.each([
  [" ", "must not be empty"],
  ["l".repeat(26), "must be at most 25 characters long"],
  ["a\nb", "must be one line without variables"],
  ["a\rb", "must be one line without variables"],
  ["{", "must be one line without variables"],
])("the label %j: %s", (text, message) => {
  expect(checkButtons([call, { ...reply, text }])).toEqual([{ field: "buttons.1.text", message }]);
});
