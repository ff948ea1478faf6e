import { expect, test } from "vitest";
import { eventTrace } from "./event-trace.ts";
import type { Plan } from "./plan.ts";

interface Traced {
  recipients?: string[];
  dropped?: string[];
  reasons?: string[];
}

const planOf = (bindings: Traced[]): Plan => ({
  skip: null,
  previews: bindings.map(({ recipients = [] }, index) => ({
    binding_id: `binding-${index}`,
    template: "order_shipped",
    language: "en",
    recipients,
    slots: { header: [], body: [], buttonUrl: [] },
    resolved: true,
  })),
  traces: bindings.map(({ dropped = [], reasons = [] }, index) => ({ bindingId: `binding-${index}`, dropped, reasons })),
  messages: [],
});
const phone = "+491701234567";

test("nothing is kept of bindings whose messages tell it all", () => {
  expect(eventTrace(planOf([]), false)).toBeNull();
  expect(eventTrace(planOf([{ recipients: [phone] }, { recipients: [phone] }]), true)).toBeNull();
});

test("what has no message is kept: nobody reached, phones dropped, and everything of an event that logs none", () => {
  const plan = planOf([{ recipients: [phone] }, { reasons: ["no recipient"] }, { recipients: [phone], dropped: ["0170"] }]);
  const kept = { template: "order_shipped", language: "en" };
  const [silent, dropping] = [
    { ...kept, bindingId: "binding-1", recipients: 0, dropped: [], reasons: ["no recipient"] },
    { ...kept, bindingId: "binding-2", recipients: 1, dropped: ["0170"], reasons: [] },
  ];
  expect(eventTrace(plan, true)).toEqual({ bindings: [silent, dropping], more: 0 });
  const whole = { ...kept, bindingId: "binding-0", recipients: 1, dropped: [], reasons: [] };
  expect(eventTrace(plan, false)).toEqual({ bindings: [whole, silent, dropping], more: 0 });
});

test("of many there are a few, and the number of the others", () => {
  const trace = eventTrace(planOf(Array.from({ length: 23 }, () => ({}))), true);
  expect(trace?.bindings).toHaveLength(20);
  expect(trace?.more).toBe(3);
  expect(eventTrace(planOf([{}]), true)?.more).toBe(0);
});

test("texts and lists are cut, and can be stored", () => {
  const dropped = ["x".repeat(40), "y".repeat(41), "a\0", ...Array.from({ length: 9 }, () => "z")];
  const reasons = ["r".repeat(301), "b", "c", "d"];
  expect(eventTrace(planOf([{ dropped, reasons }]), true)?.bindings[0]).toMatchObject({
    dropped: ["x".repeat(40), `${"y".repeat(40)}…`, "a\ufffd", ...Array<string>(7).fill("z")],
    reasons: [`${"r".repeat(300)}…`, "b", "c"],
  });
});
