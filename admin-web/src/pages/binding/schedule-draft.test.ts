import { describeSchedule } from "shared/core/schedule/describe";
import { flattenSchedule, mergeSchedule } from "shared/core/schedule/merge";
import type { Schedule } from "shared/core/schedule/schedule";
import { beforeAll, describe, expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { loadSchemas } from "../../ui/form/input-issues.ts";
import { bindingIssues, emptyDraft, previewable, toInput } from "./draft.ts";
import { emptySchedule, presets, type ScheduleDraft, toSchedule, toScheduleDraft, withPreset } from "./schedule-draft.ts";
import { datesFirst } from "./slot-fields.tsx";

beforeAll(loadSchemas);

const presetOf = (name: string, before = emptySchedule): Schedule | null => {
  const preset = presets.find((each) => each.name === name);
  return preset === undefined ? null : mergeSchedule(toSchedule(withPreset(before, preset)));
};
const everyDay = [1, 2, 3, 4, 5, 6, 7];

describe("presets", () => {
  test("say what operators would", () => {
    expect(presetOf("Abandoned cart")).toEqual(data("admin-web-pages-binding-schedule-draft", "say what operators would"));
    expect(presetOf("Appointment reminder")).toEqual({
      window: { days: everyDay, from: "08:00", to: "20:00" },
      dueAt: { path: "data.appointment_at", offsetSeconds: -86_400, ifPast: "skip" },
    });
    expect(presetOf("Review request")).toEqual({ delaySeconds: 259_200, window: { days: everyDay, from: "10:00", to: "20:00" } });
    expect(describeSchedule(presetOf("Quiet hours"))).toBe("between 8:00 and 21:00, every day, in the shop's time");
  });

  test("quiet hours are added to what is there", () => {
    expect(presetOf("Quiet hours", { ...emptySchedule, start: "delay" })).toMatchObject({ delaySeconds: 3_600, window: { to: "21:00" } });
  });
});

test.each<Schedule>(data("admin-web-pages-binding-schedule-draft", "j comes back as it was"))("%j comes back as it was", (schedule) => {
  expect(toSchedule(toScheduleDraft(flattenSchedule(schedule)))).toEqual(flattenSchedule(schedule));
});

test("what is switched off is not sent, and stays in its fields", () => {
  const draft: ScheduleDraft = {
    ...toScheduleDraft(flattenSchedule({ delaySeconds: 120, restartBy: "a" })),
    start: "now",
    restartBy: { on: false, path: "a" },
  };
  expect(mergeSchedule(toSchedule(draft))).toBeNull();
  expect(draft.delaySeconds).toEqual({ count: "2", unit: "60" });
});

test("faults are told at their fields in the words of these, and left out while the rest is tried out", () => {
  const id = "0190c0de-0000-7000-8000-000000000001";
  const schedule: ScheduleDraft = {
    ...emptySchedule,
    start: "date",
    dueAt: { ...emptySchedule.dueAt, offsetSeconds: { count: "x", unit: "60" } },
    window: { ...emptySchedule.window, on: true, days: [], to: "08:00" },
    cancelOn: { ...emptySchedule.cancelOn, on: true },
    restartBy: { on: true, path: "" },
    throttle: { ...emptySchedule.throttle, on: true, max: "" },
    expiresSeconds: { on: true, count: "366", unit: "86400" },
  };
  const input = toInput({ ...emptyDraft, siteId: id, event: "a", templateId: id, schedule }, undefined);
  expect(Object.fromEntries(bindingIssues(input).map(({ path, message }) => [path.join("."), message]))).toEqual(
    data("admin-web-pages-binding-schedule-draft", "faults are told at their fields in the words of"),
  );
  expect(previewable(input)?.input).toMatchObject(flattenSchedule(null));
  const good = previewable({ ...input, delaySeconds: 60, dueAt: null });
  expect(good?.input).toMatchObject({ ...flattenSchedule(null), delaySeconds: 60 });
});

test("fields that held a date are offered first", () => {
  const field = (path: string, sample: string | null) => ({ path, sample, type: "string" as const, lastSeenAt: "" });
  const fields = [field("id", "17"), field("at", "2026-11-20T15:00:00Z"), field("none", null), field("day", "2026-11-20")];
  expect(datesFirst(fields).map(({ path }) => path)).toEqual(["at", "day", "id", "none"]);
});
