import fc from "fast-check";
import { expect, test } from "vitest";
import { hostileJson } from "../../../test/support/arbitrary/json.ts";
import { data } from "../../../test/support/data.ts";
import { parseCallback } from "./callback.ts";

const envelope = (...values: unknown[]) => ({
  object: "whatsapp_business_account",
  entry: [{ id: "102000000000001", changes: values.map((value) => ({ field: "messages", value })) }],
});
const statuses = (...items: unknown[]) => parseCallback(envelope({ messaging_product: "whatsapp", statuses: items }));
const sent = { id: "wamid.1", status: "sent", timestamp: "1790000000", recipient_id: "491701234567" };

test("a sent message", () => {
  const pricing = { billable: true, pricing_model: "PMP", type: "regular", category: "utility" };
  expect(statuses({ ...sent, recipient_user_id: "DE.8123abc", biz_opaque_callback_data: "t1:a:b:1", pricing })).toEqual({
    statuses: [
      {
        waMessageId: "wamid.1",
        status: "sent",
        at: new Date(1_790_000_000_000),
        recipient: "491701234567",
        userId: "DE.8123abc",
        pricing: { category: "utility", type: "regular", billable: true },
        reference: "t1:a:b:1",
        error: null,
      },
    ],
    templates: [],
    preferences: [],
    messages: [],
    moves: [],
    notices: [],
    ignored: 0,
  });
});

test("a failed message carries the first error and keeps all", () => {
  const errors = data<object[]>("platform-callback", "errors");
  expect(statuses({ ...sent, status: "failed", errors }).statuses[0]).toMatchObject({
    status: "failed",
    reference: null,
    error: {
      code: "131026",
      reason: "Message undeliverable: Message Undeliverable.",
      class: "recipient",
      detail: errors,
    },
  });
});

test.each(data<[string, object, object][]>("platform-callback", "a failed message with s"))(
  "a failed message with %s",
  (_, more, error) => {
    expect(statuses({ ...sent, status: "failed", ...more }).statuses[0]?.error).toMatchObject(error);
  },
);

test("only a failure has an error", () => {
  expect(statuses({ ...sent, errors: [{ code: 1 }] }).statuses[0]?.error).toBeNull();
});

test.each(data<[string, string][]>("platform-callback", "status s is s"))("status %s is %s", (status, expected) => {
  expect(statuses({ ...sent, status }).statuses.map((update) => update.status)).toEqual([expected]);
});

test("unknown statuses, items without an id and other oddities are counted, the rest counts", () => {
  const odd = [{ ...sent, status: "deleted" }, { ...sent, id: "" }, { status: "sent" }, { id: 7, status: "sent" }, null, [], 3, "sent", {}];
  const callback = statuses(...odd, sent);
  expect(callback.statuses).toHaveLength(1);
  expect(callback.ignored).toBe(odd.length);
});

test.each([
  ["1790000000", 1_790_000_000],
  [1_790_000_000, 1_790_000_000],
  [1_790_000_000.9, 1_790_000_000],
  [1_790_000_000n, 1_790_000_000],
])("a time of %s", (timestamp, seconds) => {
  expect(statuses({ ...sent, timestamp }).statuses[0]?.at).toEqual(new Date(seconds * 1_000));
});

test.each([
  "",
  "soon",
  "0",
  0,
  -1,
  "1790000000000",
  1e300,
  NaN,
  null,
  undefined,
  {},
  "99999999999999999999",
  2n ** 80n,
  "1790000000.5",
  " 1790000000",
])("no time in %s", (timestamp) => {
  expect(statuses({ ...sent, timestamp }).statuses[0]).toMatchObject({ waMessageId: "wamid.1", at: null });
});

test("what the database cannot hold or index does not get that far", () => {
  const id = `wam\0id${"😀".repeat(2_000)}`;
  const [update] = statuses({ ...sent, id, recipient_id: "\ud800", biz_opaque_callback_data: "\0" }).statuses;
  expect(update).toMatchObject({ recipient: "\ufffd", reference: "\ufffd" });
  expect(Buffer.byteLength(update?.waMessageId ?? "")).toBeLessThan(2_700);
  expect(statuses({ ...sent, id }).statuses[0]?.waMessageId).toBe(update?.waMessageId);
});

const about = { message_template_id: 594425479261596, message_template_name: "order_shipped", message_template_language: "en-US" };
const template = data<object>("platform-callback", "template");

test.each([
  [
    "approved",
    { event: "APPROVED", reason: "NONE", message_template_category: "MARKETING" },
    { status: "approved", category: "MARKETING" },
  ],
  ["approved, with null", { event: "APPROVED", reason: null }, { status: "approved" }],
  ["rejected", { event: "REJECTED", reason: "INVALID_FORMAT" }, { status: "rejected", reason: "INVALID_FORMAT" }],
  [
    "rejected, with advice",
    { event: "REJECTED", reason: "INVALID_FORMAT", rejection_info: { reason: "Bad variable", recommendation: "Move it" } },
    { status: "rejected", reason: "INVALID_FORMAT: Bad variable: Move it" },
  ],
  [
    "paused",
    { event: "PAUSED", reason: "NONE", other_info: { title: "FIRST_PAUSE", description: "Low quality" } },
    { status: "paused", reason: "FIRST_PAUSE: Low quality" },
  ],
  ["disabled", { event: "DISABLED", disable_info: { disable_date: "2026-01-01" } }, { status: "disabled" }],
  ["deleted", { event: "DELETED", reason: null }, { status: "disabled" }],
  ["of another quality", { previous_quality_score: "GREEN", new_quality_score: "yellow" }, { quality: "YELLOW" }],
  ["of another category", { previous_category: "UTILITY", new_category: "MARKETING" }, { category: "MARKETING" }],
  [
    "to be of another category",
    { new_category: "UTILITY", correct_category: "MARKETING", category_update_timestamp: 1_790_000_000 },
    { category: null, upcoming: { category: "MARKETING", at: new Date(1_790_000_000_000) } },
  ],
])("a template that is %s", (_, value, expected) => {
  expect(parseCallback(envelope({ ...about, ...value }))).toMatchObject({ templates: [{ ...template, ...expected }], ignored: 0 });
});

test("a template's advice beside the value counts too, and ids may be texts or longer than a double", () => {
  const change = {
    value: { ...about, message_template_id: 12_345_678_901_234_567_890n, event: "REJECTED" },
    rejection_info: { reason: "Bad variable" },
  };
  expect(parseCallback({ entry: [{ changes: [change] }] }).templates).toMatchObject([
    { platformId: "12345678901234567890", reason: "Bad variable" },
  ]);
  expect(parseCallback(envelope({ ...about, message_template_id: "77", event: "PENDING" })).templates).toMatchObject([
    { platformId: "77", status: "pending" },
  ]);
});

test.each(data<[string, object, object][]>("platform-callback", "s asks for a look at the list"))(
  "%s asks for a look at the list",
  (_, value, expected) => {
    expect(parseCallback(envelope({ ...about, ...value })).templates).toEqual([{ ...template, ...expected, needsLook: true }]);
  },
);

test("an entry's time is that of what it tells of templates", () => {
  const change = { value: { ...about, event: "APPROVED" } };
  const [update] = parseCallback({ entry: [{ time: 1_790_000_000, changes: [change] }] }).templates;
  expect(update).toEqual({ ...template, status: "approved", at: new Date(1_790_000_000_000) });
});

test.each([
  ["one that is not named", { event: "APPROVED" }],
  ["account news", { event: "ACCOUNT_UPDATE", ban_info: {} }],
])("%s is ignored", (_, value) => {
  expect(parseCallback(envelope(value))).toEqual(data("platform-callback", "s is ignored"));
});

test("people stop and resume", () => {
  const item = { wa_id: "491701234567", detail: "…", category: "marketing_messages", timestamp: 1_790_000_000 };
  const callback = parseCallback(
    envelope({
      user_preferences: [
        { ...item, value: "stop" },
        { ...item, value: "resume" },
        { ...item, value: "maybe" },
      ],
    }),
  );
  expect(callback.preferences).toEqual([
    { sender: "491701234567", userId: null, value: "stop", category: "marketing_messages", at: new Date(1_790_000_000_000) },
    { sender: "491701234567", userId: null, value: "resume", category: "marketing_messages", at: new Date(1_790_000_000_000) },
  ]);
  expect(callback.ignored).toBe(1);
});

test("incoming messages: their texts, and those of buttons", () => {
  const at = { from: "491701234567", timestamp: "1790000000" };
  const { messages, ignored } = parseCallback(
    envelope({
      contacts: [{ profile: { name: "Ada" }, wa_id: "491701234567" }],
      messages: [
        { ...at, type: "text", text: { body: "Stop" } },
        { ...at, type: "button", button: { payload: "p", text: "Stop promotions" } },
        { ...at, type: "interactive", interactive: { type: "button_reply", button_reply: { id: "1", title: "Start" } } },
        { ...at, type: "interactive", interactive: { type: "list_reply", list_reply: { id: "1", title: "Later" } } },
        { ...at, type: "image", image: { caption: "Stop" } },
        { ...at, type: "text", text: { body: 7 } },
        { type: "text", text: { body: "Stop" } },
        { ...at, type: "reaction", text: { body: "Stop" } },
        { ...at, id: "wamid.1", type: "text", text: { body: "Where?" }, context: { from: "1", id: "wamid.0" } },
      ],
    }),
  );
  const message = (type: string, text: string) => ({
    id: null,
    sender: "491701234567",
    userId: null,
    type,
    text,
    context: null,
    at: new Date(1_790_000_000_000),
  });
  const read = ["text Stop", "button Stop promotions", "interactive Start", "interactive Later", "image ", "text ", "reaction "];
  expect(messages).toEqual([
    ...read.map((one) => message(one.split(" ", 1)[0] ?? "", one.slice(one.indexOf(" ") + 1))),
    { ...message("text", "Where?"), id: "wamid.1", context: "wamid.0" },
  ]);
  expect(ignored).toBe(1);
});

test("incoming messages without a sender and system errors are counted", () => {
  expect(parseCallback(envelope({ messages: [{ type: "text" }, { type: "button" }], errors: [{ code: 1 }] })).ignored).toBe(3);
});

test("people whose phone is hidden are known by their user id, and move", () => {
  const hidden = { from_user_id: "ES.2000AbC9", type: "text", text: { body: "STOP" }, timestamp: "1790000000" };
  const system = { type: "user_changed_number", wa_id: "34600333444", user_id: "ES.3000XyZ1", previous_user_id: "ES.2000AbC9" };
  const { messages, moves } = parseCallback(envelope({ messages: [hidden, { ...hidden, from: "34600111222", type: "system", system }] }));
  expect(messages).toMatchObject([{ sender: null, userId: "ES.2000AbC9", text: "STOP" }]);
  expect(moves).toMatchObject([
    { from: "34600111222", to: "34600333444", formerUserId: "ES.2000AbC9", userId: "ES.3000XyZ1", hasNewNumber: true },
  ]);
});

const restriction = { restriction_type: "RESTRICTED_BIZ_INITIATED_MESSAGING", expiration: "1796204800", remediation: "Review it." };
test.each([
  [
    { event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "DISABLE", waba_ban_date: "May 1" } },
    { kind: "stop", code: "DISABLE", reason: "May 1" },
    0,
  ],
  [{ event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "REINSTATE" } }, { kind: "resume" }, 0],
  [{ event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "SCHEDULE_FOR_DISABLE" } }, null, 1],
  [{ event: "ACCOUNT_DELETED" }, { kind: "stop", code: "ACCOUNT_DELETED", until: null }, 0],
  [
    { event: "ACCOUNT_RESTRICTION", restriction_info: [restriction, { restriction_type: "RESTRICTED_ADD_PHONE_NUMBER_ACTION" }] },
    { kind: "stop", code: "RESTRICTED_BIZ_INITIATED_MESSAGING", reason: "Review it.", until: new Date(1_796_204_800_000) },
    1,
  ],
  [
    { event: "ACCOUNT_RESTRICTION", restriction_info: [{ ...restriction, restriction_type: "RESTRICTED_UTILITY_TEMPLATES" }] },
    { kind: "read_templates" },
    1,
  ],
  [{ event: "SOMETHING_NEW", why: { not: 7 } }, null, 1],
])("account news %j", (value, effect, told) => {
  const { notices, ignored } = parseCallback({ entry: [{ changes: [{ field: "account_update", value }] }] });
  expect(notices).toMatchObject([{ effect }]);
  expect([notices[0]?.told.length, ignored]).toEqual([told, 0]);
});

test("any JSON is read without an error", { timeout: 60_000 }, () => {
  const item = fc.oneof(
    hostileJson,
    fc.record({ id: hostileJson, status: fc.constantFrom("sent", "failed"), timestamp: hostileJson, errors: hostileJson }),
  );
  const message = fc.record({
    from: hostileJson,
    type: fc.constantFrom("text", "button", "interactive", "image"),
    text: fc.oneof(hostileJson, fc.record({ body: hostileJson })),
    interactive: fc.oneof(hostileJson, fc.record({ button_reply: hostileJson })),
  });
  const value = fc.oneof(
    hostileJson,
    fc.record({ statuses: fc.array(item), user_preferences: fc.array(item), messages: fc.array(fc.oneof(item, message)) }),
    fc.record({ event: hostileJson, message_template_id: hostileJson }),
  );
  const body = fc.oneof(hostileJson, fc.record({ entry: fc.array(fc.record({ changes: fc.array(fc.record({ value })) })) }));
  fc.assert(
    fc.property(body, (json) => {
      const { statuses: found, ignored } = parseCallback(json);
      for (const { waMessageId, status, error } of found) {
        expect(waMessageId).toMatch(/./s);
        expect(error === null).toBe(status !== "failed");
      }
      expect(ignored).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 40 },
  );
});
