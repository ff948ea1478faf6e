import type { Plan, PlannedMessage } from "shared/core/plan";
import { describe, expect, it } from "vitest";
import { messageOf } from "../../../test/support/planned-event.ts";
import { decidedOutcome, waits } from "./event.ts";

const timed = { dueAt: new Date("2026-06-01T08:00:00Z"), expiresAt: null, cancelBy: null, restartBy: null };
const messages = {
  now: messageOf(0).message,
  later: { ...messageOf(1).message, timing: timed as PlannedMessage["timing"] },
  untimed: { ...messageOf(2).message, timing: { ...timed, dueAt: null } as PlannedMessage["timing"] },
  failed: messageOf(3, { code: "recipient_opted_out" }).message,
};
type Kind = keyof typeof messages;
const ordinary = { queued: false, site: { holdMessages: false }, dryRun: false };
const held = { ...ordinary, site: { holdMessages: true } };
const queued = { ...ordinary, queued: true };

it("a message waits for its time, for a held site and in the queue, unless it fails", () => {
  const waiting = (event: typeof ordinary) => (Object.keys(messages) as Kind[]).filter((kind) => waits(messages[kind], event));
  expect([ordinary, held, queued].map(waiting)).toEqual([["later"], ["now", "later", "untimed"], ["now", "later", "untimed"]]);
});

describe("the answer that is known before the platform is asked", () => {
  const dry = { ...ordinary, dryRun: true };
  it.each<[Kind[], typeof ordinary, string | null]>([
    [["now"], ordinary, null],
    [["now", "later"], ordinary, null],
    [["now"], dry, "sent"],
    [["now", "failed"], dry, "partial"],
    [["now", "later"], dry, "sent"],
    [["later"], dry, "scheduled"],
    [["later"], ordinary, "scheduled"],
    [["later", "later"], ordinary, "scheduled"],
    [["later", "failed"], ordinary, "failed"],
    [["failed"], ordinary, "failed"],
    [["failed"], queued, "failed"],
    [["now", "failed"], held, "failed"],
    [["now"], held, "scheduled"],
    [["now"], queued, "accepted"],
    [["later", "failed"], queued, "accepted"],
  ])("%j, %j: %s", (kinds, event, chat) => {
    const plan = { skip: null, messages: kinds.map((kind) => messages[kind]) } as unknown as Plan;
    expect(decidedOutcome(plan, event)).toBe(chat);
  });

  it("is the reason why nothing is sent at all", () => {
    expect(decidedOutcome({ skip: "no_bindings", messages: [] } as unknown as Plan, ordinary)).toBe("no_bindings");
  });
});
