import { describe, expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { eventSteps, type TracedBinding, type TracedMessage } from "./event-steps.tsx";

const message = data<TracedMessage>("admin-web-ui-event-steps", "message");
const binding = data<TracedBinding>("admin-web-ui-event-steps", "binding");
const event = { name: "order.shipped", dryRun: false };

const told = (bindings: TracedBinding[], duplicates = 0, dryRun = false) =>
  eventSteps({ ...event, dryRun }, { topic: null, duplicates, bindings, moreBindings: 0 })
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
  test("of a shop that posted by itself names the topic", () => {
    const steps = eventSteps(event, { topic: "fulfillments/create", duplicates: 2, bindings: [binding], moreBindings: 0 });
    expect(steps.slice(0, 3).map(({ title }) => title)).toEqual([
      "The shop's signature is valid",
      "The topic fulfillments/create means order.shipped here",
      "Repeated 2 times",
    ]);
  });

  test("that was sent", () => {
    expect(told([binding])).toEqual(data("admin-web-ui-event-steps", "that was sent"));
  });

  test("without a binding ends there", () => {
    expect(told([], 2)).toEqual([
      "good: Repeated 2 times with the same idempotency key | Repeats get the first answer and send nothing.",
      "bad: No binding is switched on for order.shipped on this site",
    ]);
  });

  test("with conditions tells of each binding whether it fired, and what its rule saw", () => {
    const rules = [{ path: "order.total", op: "gte" as const, values: ["100"], saw: "99" }];
    const held = {
      ...binding,
      template: "vip",
      fired: false,
      recipients: 0,
      messages: [],
      reasons: ["a rule"],
      reasonCodes: [{ code: "conditions_unmet" as const, match: "all" as const, rules, more: 0 }],
    };
    expect(told([held]).slice(1)).toEqual([
      "good: 1 binding matched order.shipped",
      "skipped: The binding did not fire | Condition not met: order.total is at least “100” (it is “99”)",
    ]);
    expect(told([binding, held]).slice(2)).toEqual(
      data("admin-web-ui-event-steps", "with conditions tells of each binding whether it fired, and"),
    );
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
      "bad: No valid phone number | No recipient: the site has no test phone | an older reason | 0170 was left out: it has no country code (+49…)",
    ]);
  });

  test("with an empty variable names it, and stops before the platform", () => {
    expect(told([{ ...binding, messages: [failed("slot_unresolved")] }]).slice(3)).toEqual([
      "bad: The message could not be built | body {{1}}: a.b is missing",
    ]);
  });

  test("counts refused, held back and waiting messages", () => {
    const messages = [
      failed("131026"),
      failed("131026"),
      failed("deadline"),
      { ...message, status: "queued" as const },
      { ...message, status: "scheduled" as const },
      { ...failed("restarted"), status: "cancelled" as const },
    ];
    expect(told([{ ...binding, recipients: 6, messages }]).slice(4)).toEqual(
      data("admin-web-ui-event-steps", "counts refused, held back and waiting messages"),
    );
  });

  test("with several bindings names the template of each step; a dry run stops before the platform", () => {
    expect(told([binding, { ...binding, template: "asked" }], 0, true).slice(1)).toEqual(
      data("admin-web-ui-event-steps", "with several bindings names the template of each step a dry"),
    );
  });
});
