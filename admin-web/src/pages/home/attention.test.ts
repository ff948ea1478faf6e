import { expect, test } from "vitest";
import { describeEnd, toConcerns } from "./attention.tsx";

const template = { id: "t1", name: "order_created", language: "en", status: "rejected" as const, reason: "Too promotional." };
const binding = {
  id: "b1",
  event: "order.created",
  templateId: "t2",
  template: "order_paid",
  enabled: true,
  problemCodes: [{ code: "slot_not_mapped" as const, slot: { group: "body" as const, name: "1" } }],
};

test("people come first, then templates and bindings, and each concern names its subject and what to do", () => {
  const people = [{ kind: "failed_sign_ins" as const, userId: "u1", email: "ann@example.com", count: 12, at: "2026-11-20T08:00:00.000Z" }];
  expect(toConcerns({ people, templates: [template], bindings: [binding] })).toEqual([
    { kind: "person", id: "failed_sign_ins u1", title: "12 failed sign-ins for ann@example.com", text: expect.stringContaining("audit") },
    {
      kind: "template",
      id: "t1",
      title: "Template order_created (en) is rejected",
      text: "Too promotional. Change it and submit it again.",
    },
    { kind: "binding", id: "b1", title: "order.created cannot send order_paid", text: "The body needs a value for {{1}}." },
  ]);
});

test("a rejection code of the platform is explained", () => {
  const [concern] = toConcerns({ templates: [{ ...template, reason: "INCORRECT_CATEGORY" }], bindings: [] });
  expect(concern).toMatchObject({
    text: "The text does not fit the category: choose the other one, or change the text. Then submit it again.",
  });
});

test.each([
  ["switched off", { enabled: false }, ["template"]],
  ["without a problem", { problemCodes: [] }, ["template"]],
  [
    "whose template is not approved: the diagnosis tells it",
    { problemCodes: [{ code: "template_not_approved" as const, status: "paused" as const }] },
    ["template"],
  ],
  ["whose template is rejected: the diagnosis tells it", { templateId: "t1", problemCodes: [] }, []],
])("a binding %s is no concern of its own", (_what, changes, kinds) => {
  const concerns = toConcerns({ templates: [template], bindings: [{ ...binding, ...changes }] });
  expect(concerns.map(({ kind }) => kind)).toEqual(kinds);
});

const backlog = { queued: 1000, due: 1000, scheduled: 0, oldestQueuedSeconds: 0, oldestDueSeconds: 0, perSecond: 20, limitPerSecond: 80 };

test.each([
  [{}, "At this pace the queue is empty in about 50 seconds."],
  [{ queued: 1 }, "At this pace the queue is empty in about 1 second."],
  [{ queued: 72_000 }, "At this pace the queue is empty in about 1 hour."],
  [{ due: 0, perSecond: 0 }, "Nothing in the queue is due now: it is tried again later."],
  [{ perSecond: 0 }, "Nothing was sent in the last 10 seconds."],
  [{ perSecond: 0, oldestDueSeconds: 150 }, "Nothing was sent in the last 10 seconds. The oldest message has waited for 3 minutes."],
])("%j: %s", (changes, words) => expect(describeEnd({ ...backlog, ...changes })).toBe(words));
