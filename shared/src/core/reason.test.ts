import { expect, test } from "vitest";
import { describeEmptySlot, describeReason, type Reason } from "./reason.ts";
import { english } from "./wording.ts";

const body = (name: string) => ({ group: "body" as const, name });
const link = { group: "button_url" as const, name: "1" };

test.each<[Reason, string, string]>([
  [{ code: "slot_not_mapped", slot: link }, "button_url {{1}} is not in the variable map.", "The button's link needs a value for {{1}}."],
  [
    { code: "value_missing", slot: body("first_name"), from: "customer.name" },
    "body {{first_name}}: customer.name is missing",
    "Body {{first_name}}: customer.name is missing",
  ],
  [
    {
      code: "slot_unresolved",
      slots: [
        { code: "value_not_mapped", slot: { group: "header", name: "1" } },
        { code: "value_missing", slot: body("2"), from: "order.id" },
        { code: "value_blank", slot: link, from: null },
      ],
      more: 2,
    },
    "header {{1}}: not in the variable map; body {{2}}: order.id is missing; button_url {{1}}: the static value is blank; and 2 more",
    "The header needs a value for {{1}}; body {{2}}: order.id is missing; the button's link {{1}}: the static value is blank; and 2 more",
  ],
  [
    {
      code: "template_changed",
      changes: [
        { code: "slots_differ", group: "body", before: ["1", "2"], now: ["1"] },
        { code: "slots_differ", group: "button_url", before: [], now: ["1"] },
      ],
      more: 0,
    },
    "The template has changed since the binding was saved: body had {{1}}, {{2}} and now has {{1}}; button_url had no slot and now has {{1}}. Check its slots and save it again.",
    "The template has changed since the binding was saved: the body had {{1}}, {{2}} and now has {{1}}; the button's link had no variable and now has {{1}}. Check its variables and save it again.",
  ],
  [
    { code: "slot_gone", group: "button_url", slot: 1, count: 0 },
    "button_url.1: the template has no button_url slot",
    "{{1}} of the button's link is filled, but it now has no variable",
  ],
  [{ code: "phones_not_e164", count: 1 }, "the phone is not E.164", "Phone number has no country code (+49…)"],
  [
    { code: "phone_unreadable", path: "customer.phone", problem: "no_country" },
    "no recipient: the phone at customer.phone has no country code (+49…)",
    "No recipient: the phone at customer.phone has no country code (+49…)",
  ],
  [
    { code: "recipient_opted_out" },
    "The recipient has opted out of these messages, so nothing was sent. See the opt-outs under Privacy.",
    "The recipient has opted out of these messages, so nothing was sent. See the opt-outs under Privacy.",
  ],
  [
    { code: "shop_refuses_key", status: 401 },
    "The shop refuses the key (HTTP 401). Create one with the permission Read under WooCommerce, Settings, Advanced, REST API, and enter it.",
    "The shop refuses the key (HTTP 401). Create one with the permission Read under WooCommerce, Settings, Advanced, REST API, and enter it.",
  ],
  [{ code: "empty" }, "must not be empty", "Must not be empty"],
])("%j", (reason, api, page) => {
  expect([describeReason(reason), describeReason(reason, english)]).toEqual([api, page]);
});

test("beside its slot an empty one needs only the cause", () => {
  expect(describeEmptySlot({ code: "value_not_mapped", slot: link })).toBe("not filled yet");
  expect(describeEmptySlot({ code: "value_blank", slot: link, from: null })).toBe("the static value is blank");
  expect(describeEmptySlot({ code: "value_missing", slot: link, from: "order.id" })).toBe("order.id is missing");
});
