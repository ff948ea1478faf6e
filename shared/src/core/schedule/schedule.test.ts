import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { data } from "../../../../test/support/data.ts";
import { scheduleMembers } from "../input/binding-members.ts";
import { say } from "../wording.ts";
import { describeSchedule } from "./describe.ts";
import { nextAttempt } from "./due.ts";
import { flattenSchedule, mergeSchedule, scheduleProblem } from "./merge.ts";
import type { Schedule } from "./schedule.ts";

const schema = z.strictObject(scheduleMembers);
const messages = (input: unknown): string[] => schema.safeParse(input).error?.issues.map(({ message }) => message) ?? [];
const window = { days: [1], from: "08:00", to: "20:00" };
const cancelOn = { events: ["order.created"], by: "cart.id" };
const dueAt = { path: "a.b", offsetSeconds: 0, ifPast: "send" };
const whole = (from: number, to: number): string => `must be a whole number from ${from} to ${to}`;
const daysMessage = "window.days: must be a list of 1 to 7 ISO weekdays, 1 (Monday) to 7 (Sunday), each once";

describe("members", () => {
  test.each<[object, string]>([
    [{ delaySeconds: 0 }, `delaySeconds: ${whole(1, 2_592_000)}`],
    [{ delaySeconds: 2_592_001 }, `delaySeconds: ${whole(1, 2_592_000)}`],
    [{ delaySeconds: 1.5 }, `delaySeconds: ${whole(1, 2_592_000)}`],
    [{ delaySeconds: "60" }, `delaySeconds: ${whole(1, 2_592_000)}`],
    [{ delaySeconds: NaN }, `delaySeconds: ${whole(1, 2_592_000)}`],
    [{ delaySeconds: 1e300 }, `delaySeconds: ${whole(1, 2_592_000)}`],
    [{ expiresSeconds: 31_536_001 }, `expiresSeconds: ${whole(1, 31_536_000)}`],
    [{ window: [] }, "window: must be an object with days, from and to, or null"],
    [{ window: { ...window, days: [] } }, daysMessage],
    [{ window: { ...window, days: [0] } }, `window.days.0: ${whole(1, 7)}`],
    [{ window: { ...window, days: [8] } }, `window.days.0: ${whole(1, 7)}`],
    [{ window: { ...window, days: [1, 1] } }, daysMessage],
    [{ window: { ...window, days: "1" } }, daysMessage],
    [{ window: { ...window, from: "8:00" } }, "window.from: must be a time such as 08:00"],
    [{ window: { ...window, from: "24:00" } }, "window.from: must be a time such as 08:00"],
    [{ window: { ...window, to: "24:01" } }, "window.to: must be a time such as 20:00, at most 24:00"],
    [{ window: { ...window, to: "08:00" } }, "window.to: must differ from window.from; for the whole day give 00:00 and 24:00"],
    [{ window: { ...window, timezone: "Mars/Olympus" } }, "window.timezone: must be a time zone such as Europe/Berlin or UTC"],
    [{ window: { ...window, timezone: "+02:00" } }, "window.timezone: must be a time zone such as Europe/Berlin or UTC"],
    [{ window: { ...window, zone: "UTC" } }, "window: has no member zone"],
    [{ cancelOn: { ...cancelOn, events: [] } }, "cancelOn.events: must be a list of 1 to 20 event names"],
    [{ cancelOn: { ...cancelOn, events: Array(21).fill("a") } }, "cancelOn.events: must be a list of 1 to 20 event names"],
    [{ cancelOn: { ...cancelOn, events: ["not a name"] } }, "cancelOn.events.0: must be an event name such as order.created"],
    [{ cancelOn: { events: ["a"] } }, "cancelOn.by: must be a dotted path, as in customer.first_name"],
    [{ restartBy: "a..b" }, "restartBy: must be keys joined by single dots, as in customer.first_name"],
    [{ restartBy: "a.".repeat(300) }, "restartBy: must be at most 512 characters long"],
    [{ dueAt: { ...dueAt, offsetSeconds: -31_536_001 } }, `dueAt.offsetSeconds: ${whole(-31_536_000, 31_536_000)}`],
    [{ dueAt: { ...dueAt, ifPast: "maybe" } }, "dueAt.ifPast: must be send or skip"],
    [{ dueAt: "a.b" }, "dueAt: must be an object with path, offsetSeconds and ifPast, or null"],
    [{ throttle: { max: 1_001, seconds: 1 } }, `throttle.max: ${whole(1, 1_000)}`],
    [{ throttle: { max: 1 } }, `throttle.seconds: ${whole(1, 2_592_000)}`],
  ])("%j: %s", (input, message) => {
    expect(messages(input)).toEqual([message]);
  });

  test("equal schedules come out as equal texts, without what is not set", () => {
    const read = (input: unknown): Schedule | null => mergeSchedule(schema.parse(input));
    const one = read({ throttle: { max: 1, seconds: 2 }, window: { to: "20:00", from: "08:00", days: [7, 1] }, restartBy: null });
    const other = read({ window: { days: [1, 7], from: "08:00", to: "20:00" }, throttle: { seconds: 2, max: 1 }, delaySeconds: null });
    expect(JSON.stringify(one)).toBe(JSON.stringify(other));
    expect(read({ cancelOn: { events: ["Order.Created", "order.created"], by: "a" } })).toEqual({
      cancelOn: { events: ["order.created"], by: "a" },
    });
    expect([read({}), read({ delaySeconds: null })]).toEqual([null, null]);
  });

  test("null clears a member and an absent one stays", () => {
    const stored: Schedule = { delaySeconds: 60, restartBy: "cart.id" };
    expect(mergeSchedule({}, stored)).toEqual(stored);
    expect(mergeSchedule({ delaySeconds: null, expiresSeconds: 5 }, stored)).toEqual({ restartBy: "cart.id", expiresSeconds: 5 });
    expect(mergeSchedule({ delaySeconds: null, restartBy: null }, stored)).toBeNull();
    expect(flattenSchedule(stored)).toEqual(data("core-schedule-schedule", "null clears a member and an absent one stays"));
  });

  test("a delay and a date make no sense together, also where one of them is stored", () => {
    const merged = mergeSchedule(schema.parse({ dueAt }), { delaySeconds: 60 });
    expect(scheduleProblem(merged)).toEqual({
      path: ["delaySeconds"],
      said: say("must not be given together with dueAt; set one of the two to null"),
    });
    expect(scheduleProblem(mergeSchedule(schema.parse({ dueAt, delaySeconds: null }), { delaySeconds: 60 }))).toBeNull();
    expect(scheduleProblem(null)).toBeNull();
  });

  test("anything else is refused with a message", () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(scheduleMembers)), fc.anything(), (member, value) => {
        const { success, error } = schema.safeParse({ [member]: value });
        expect(success || error.issues.every(({ message }) => message.startsWith(member))).toBe(true);
      }),
    );
  });
});

test.each(data<[Schedule | null, string][]>("core-schedule-schedule", "is told in words"))("%j is told in words", (schedule, words) => {
  expect(describeSchedule(schedule)).toBe(words);
});

describe("the next try", () => {
  const first = new Date("2026-11-20T00:00:00Z");
  const wait = (attempt: number, random: number, retryHours = 24): number | null => {
    const next = nextAttempt(attempt, first, first, retryHours, random);
    return next && (next.getTime() - first.getTime()) / 1000;
  };

  test("comes later each time, in the end every half day", () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 60].map((attempt) => wait(attempt, 0.5))).toEqual([
      5, 30, 120, 600, 3_600, 14_400, 43_200, 43_200, 43_200,
    ]);
    expect([wait(1, 0), wait(1, 1)]).toEqual([4, 6]);
  });

  test("never comes after the hours, of which 0 are none", () => {
    expect([wait(6, 0.5, 4), wait(6, 0.51, 4), wait(1, 0.5, 0)]).toEqual([14_400, null, null]);
    expect(nextAttempt(1, new Date("2026-11-20T23:59:58Z"), first, 24, 0.5)).toBeNull();
  });
});
