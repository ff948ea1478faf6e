import type { Plan } from "shared/core/plan";
import { expect, it } from "vitest";
import { decidedChat } from "./decided-chat.ts";

const planOf = (sendable: number, failed: number, skip: Plan["skip"] = null) => {
  const message = (failure: object | null) => ({ failure });
  return { skip, messages: [...Array(sendable).fill(message(null)), ...Array(failed).fill(message({}))] } as unknown as Plan;
};

it("what nobody gets is decided, in a dry run as well", () => {
  expect(decidedChat(planOf(0, 0, "skipped_no_phone"), false)).toBe("skipped_no_phone");
  expect(decidedChat(planOf(0, 0, "no_bindings"), true)).toBe("no_bindings");
  expect([false, true].map((dryRun) => decidedChat(planOf(0, 2), dryRun))).toEqual(["failed", "failed"]);
});

it("of what can be sent the platform decides", () => {
  expect([planOf(1, 0), planOf(1, 2)].map((plan) => decidedChat(plan, false))).toEqual([null, null]);
});

it("in a dry run it passes for sent", () => {
  expect([planOf(1, 0), planOf(1, 1), planOf(2, 1)].map((plan) => decidedChat(plan, true))).toEqual(["sent", "partial", "partial"]);
});
