import { describe, expect, test } from "vitest";
import { eventSteps, type TracedBinding, type TracedMessage } from "./event-steps.tsx";

const message: TracedMessage = { id: "m", status: "sent", resendOf: null, errorCode: null, errorReason: null, explanation: null };
const binding: TracedBinding = {
  bindingId: "b",
  template: "shipped",
  recipients: 1,
  dropped: [],
  reasons: [],
  reasonCodes: [],
  messages: [message],
};
const event = { name: "order.shipped", dryRun: false };

const told = (bindings: TracedBinding[], duplicates = 0, dryRun = false) =>
  eventSteps({ ...event, dryRun }, { duplicates, bindings, moreBindings: 0 })
    .slice(1)
    .map(({ state, title, details }) => [`${state}: ${title}`, ...details].join(" | "));

const failed = (errorCode: string): TracedMessage => ({
  ...message,
  status: "failed",
  errorCode,
  errorReason: "body {{1}}: a.b is missing",
  explanation: { text: "In words." },
});

describe("the way of an event", () => {
  test("that was sent", () => {
    expect(told([binding])).toEqual([
      "good: It was no duplicate",
      "good: A binding for order.shipped matched",
      "good: One recipient was found",
      "good: The template was approved and every slot filled",
      "good: The platform took one message",
    ]);
  });

  test("without a binding ends there", () => {
    expect(told([], 2)).toEqual([
      "good: It came 2 times again with its key | Those got the first answer and sent nothing.",
      "bad: No binding was switched on for order.shipped at this site",
    ]);
  });

  test("without a recipient says why", () => {
    const dropped = [{ code: "phone_dropped" as const, phone: "0170" }];
    const nobody = {
      ...binding,
      recipients: 0,
      messages: [],
      dropped,
      reasons: ["no recipient", "an older reason"],
      reasonCodes: [{ code: "no_test_phone" as const }, null],
    };
    expect(told([nobody]).slice(2)).toEqual([
      "bad: Nobody to write to was found | No recipient: the site has no test phone | an older reason | 0170 was left out: it has no country code (+49…)",
    ]);
  });

  test("with an empty slot names it, and no platform was asked", () => {
    expect(told([{ ...binding, messages: [failed("slot_unresolved")] }]).slice(3)).toEqual([
      "bad: The message could not be put together | body {{1}}: a.b is missing",
    ]);
  });

  test("with the platform's refusal, what was held back, and what is under way, each counted", () => {
    const messages = [
      failed("131026"),
      failed("131026"),
      failed("deadline"),
      { ...message, status: "queued" as const },
      { ...message, resendOf: "m" },
    ];
    expect(told([{ ...binding, recipients: 4, messages }]).slice(4)).toEqual([
      "open: Still to be handed over: one message",
      "bad: The platform was not asked to send one message | In words.",
      "bad: The platform did not deliver 2 messages | In words.",
    ]);
  });

  test("with several bindings says whose each step is; a dry run asks no platform", () => {
    expect(told([binding, { ...binding, template: "asked" }], 0, true).slice(1)).toEqual([
      "good: 2 bindings for order.shipped matched",
      "good: shipped: One recipient was found",
      "good: shipped: The template was approved and every slot filled",
      "good: asked: One recipient was found",
      "good: asked: The template was approved and every slot filled",
    ]);
  });
});
