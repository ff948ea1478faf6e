import { expect, test } from "vitest";
import { reasonWords } from "./labels.ts";

test.each([
  ["button_url {{1}} is not in the variable map.", "The button's link needs a value for {{1}}."],
  ["body {{first_name}} is not in the variable map.", "The body needs a value for {{first_name}}."],
  [
    "header {{1}}: not in the variable map; body {{2}}: order.id is missing; button_url {{1}}: the static value is blank; and 2 more",
    "The header needs a value for {{1}}; body {{2}}: order.id is missing; the button's link {{1}}: the static value is blank; and 2 more",
  ],
  ["button_url {{1}}: order.id is missing", "The button's link {{1}}: order.id is missing"],
  [
    "The template has changed since the binding was saved: body had {{1}}, {{2}} and has {{1}} now; button_url had no slot and has {{1}} now. Look at its slots and save it again.",
    "The template has changed since the binding was saved: the body had {{1}}, {{2}} and has {{1}} now; the button's link had no slot and has {{1}} now. Look at its slots and save it again.",
  ],
  [
    "The template has changed since the binding was saved: button_url.1: the template has no button_url slot. Look at its slots and save it again.",
    "The template has changed since the binding was saved: {{1}} of the button's link is filled, but it has no slot now. Look at its slots and save it again.",
  ],
  ["body: only punctuation follows its last variable.", "Body: only punctuation follows its last variable."],
  ["no recipient: customer.phone_e164 is missing or no text", "No recipient: customer.phone_e164 is missing or no text"],
  ["customer.phone is missing", "customer.phone is missing"],
  ["(#131026) Message undeliverable", "(#131026) Message undeliverable"],
  ["", ""],
])("%j reads %j", (reason, words) => {
  expect(reasonWords(reason)).toBe(words);
});
