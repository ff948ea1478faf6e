import { describe, expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import { describeSummary, type EventSummary } from "./event-summary.ts";
import { english, type Write } from "./wording.ts";

const nothing = data<EventSummary>("core-event-summary", "nothing");
const noPhone = {
  text: "no recipient: customer.phone is missing or is not text",
  code: { code: "no_phone_at_path", path: "customer.phone" },
} as const;

describe("in English a summary reads", () => {
  test.each<[Partial<EventSummary>, string]>([
    [{}, "The event is still being processed."],
    [{ chat: "accepted" }, "The event was accepted. Its messages are queued."],
    [
      { chat: "no_bindings" },
      "No binding of this site was switched on for order.created, so nothing was sent. Create a binding, or check the event's name.",
    ],
    [
      { chat: "skipped_conditions", missing: [{ text: "a", code: null }] },
      "The conditions of the binding were not met, so nothing was sent: a.",
    ],
    [{ chat: "skipped_conditions", heldBack: "conditions" }, "The conditions of all bindings were not met, so nothing was sent: ."],
    [{ chat: "skipped_conditions", heldBack: "moment" }, "No binding fired, so nothing was sent: ."],
    [
      { chat: "skipped_no_config" },
      "WhatsApp was not connected, so nothing was sent. Connect it under Settings, Platform, then post the event again.",
    ],
    [
      { chat: "skipped_no_phone", missing: [noPhone, { phone: "0170 1" }, noPhone] },
      "No valid phone number was found, so nothing was sent: no recipient: customer.phone is missing or is not text; 0170 1 was dropped.",
    ],
    [{ chat: "sent", dryRun: true }, "Dry run: nothing is sent. A live event would answer sent."],
    [{ chat: "sent", dryRun: true, missing: [{ phone: "1" }] }, "Dry run: nothing is sent. A live event would answer sent: 1 was dropped."],
    [{ chat: "sent", test: true, sent: 1 }, "Test event: it goes only to the site's test phone. WhatsApp accepted 1 of 1 message."],
    [
      { chat: "partial", sent: 1, failed: 1, failure: "No such number.", missing: [{ phone: "1" }] },
      "WhatsApp accepted 1 of 2 messages. No such number. Not sent: 1 was dropped.",
    ],
    [{ chat: "scheduled", scheduled: 1 }, "1 message is scheduled."],
    [
      { chat: "scheduled", scheduled: 2, dropped: [{ status: "cancelled", count: 1, because: [{ text: "Gone.", code: null }] }] },
      "2 messages are scheduled. 1 message was cancelled: Gone.",
    ],
    [
      {
        chat: "scheduled",
        sent: 1,
        dropped: [
          {
            status: "cancelled",
            count: 3,
            because: [
              { text: "Gone.", code: null },
              { text: "Late.", code: null },
            ],
          },
        ],
      },
      "WhatsApp accepted 1 of 1 message. 3 messages were cancelled: Gone. Late.",
    ],
  ])("%j", (of, sentence) => expect(describeSummary({ ...nothing, ...of })).toBe(sentence));
});

test("a page's words are asked for reasons and explanations too, and texts without data stay", () => {
  const loud: Write = (text, values) => english(text, values).toUpperCase();
  const translated = (text: string): string => `[${text}]`;
  const summary: EventSummary = {
    ...nothing,
    chat: "partial",
    sent: 1,
    failed: 1,
    failure: "No such number.",
    dropped: [
      {
        status: "cancelled",
        count: 1,
        because: [
          { text: "a.b arrived, which cancels this binding's waiting messages.", code: { code: "cancelled_by_event", event: "a.b" } },
          { text: "Gone.", code: null },
        ],
      },
    ],
    missing: [noPhone, { text: "as it was stored {x}", code: null }],
  };
  expect(describeSummary(summary, loud, translated)).toBe(
    "WHATSAPP ACCEPTED 1 OF 2 MESSAGES. [No such number.] 1 MESSAGE WAS CANCELLED: A.B ARRIVED, WHICH CANCELS THIS BINDING'S WAITING MESSAGES. [GONE.] NOT SENT: NO RECIPIENT: CUSTOMER.PHONE IS MISSING OR IS NOT TEXT; AS IT WAS STORED {X}.",
  );
});
