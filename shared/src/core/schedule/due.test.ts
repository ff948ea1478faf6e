import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostilePayload, hostileText } from "../../../../test/support/arbitrary/json.ts";
import { data } from "../../../../test/support/data.ts";
import { compileConditions } from "../conditions.ts";
import { type JsonObject, type JsonValue, parseJson, printJson } from "../json.ts";
import { planEvent, type BindingToPlan, eventTrace } from "../plan.ts";
import { describeReason } from "../reason.ts";
import type { TemplateDefinition } from "../template/definition.ts";
import { compileSchedule } from "./due.ts";
import type { Schedule } from "./schedule.ts";

const now = new Date("2026-11-20T12:00:00.000Z");
const timing = (schedule: Schedule, payload: JsonObject = {}, zone = "Europe/Berlin") => compileSchedule(schedule, zone)(payload, now);
const dueAt = { path: "appointment.at", offsetSeconds: -86_400, ifPast: "skip" as const };
const appointment = (at: JsonValue): JsonObject => ({ appointment: { at } });
const evening = { days: [1, 2, 3, 4, 5, 6, 7], from: "18:00", to: "20:00" };
const nothing = { dueAt: null, expiresAt: null, cancelBy: null, restartBy: null };
const at = (time: string): Date => new Date(`2026-11-${time}Z`);

describe("when messages leave", () => {
  test.each<[string, Schedule, JsonObject, object]>([
    ["a delay", { delaySeconds: 3600 }, {}, { dueAt: at("20T13:00") }],
    ["inside the window", { window: { ...evening, from: "08:00" } }, {}, { dueAt: null }],
    ["outside of it", { window: evening }, {}, { dueAt: at("20T17:00") }],
    ["a delay beyond it", { delaySeconds: 8 * 3600, window: evening }, {}, { dueAt: at("21T17:00") }],
    ["before a date", { dueAt }, appointment("2026-11-23T15:00:00+01:00"), { dueAt: at("22T14:00") }],
    ["before a local date", { dueAt }, appointment("2026-11-23"), { dueAt: at("21T23:00") }],
    ["after a date", { dueAt: { ...dueAt, offsetSeconds: 60 } }, appointment("2026-11-20T12:00:00Z"), { dueAt: at("20T12:01") }],
    ["due at this moment", { dueAt }, appointment("2026-11-21T12:00:00Z"), { dueAt: null }],
    ["past, sent", { dueAt: { ...dueAt, ifPast: "send" }, expiresSeconds: 60 }, appointment("2020-01-01"), { expiresAt: at("20T12:01") }],
    [
      "past, sent in the window",
      { dueAt: { ...dueAt, ifPast: "send" }, window: evening },
      appointment("2020-01-01"),
      { dueAt: at("20T17:00") },
    ],
    ["expiring", { expiresSeconds: 60 }, {}, { expiresAt: at("20T12:01") }],
    [
      "counted from before the window",
      { delaySeconds: 3600, window: evening, expiresSeconds: 60 },
      {},
      { dueAt: at("20T17:00"), expiresAt: at("20T13:01") },
    ],
    [
      "400 days ahead",
      { dueAt: { ...dueAt, offsetSeconds: 0 } },
      appointment("2027-12-25T12:00:00Z"),
      { dueAt: new Date("2027-12-25T12:00Z") },
    ],
  ])("%s", (_name, schedule, payload, expected) => {
    expect(timing(schedule, payload)).toEqual({ ...nothing, ...expected });
  });

  test.each<[JsonValue | undefined, string | null]>([
    [undefined, null],
    [null, null],
    ["", null],
    ["soon", "soon"],
    [1_795_186_800, "1795186800"],
    [20261123, "20261123"],
    [true, "true"],
    [["2026-11-23"], '["2026-11-23"]'],
    ["2027-12-25T12:00:00.001Z", "2027-12-25T12:00:00.001Z"],
    ["x\0".repeat(100), `${"x\ufffd".repeat(50)}…`],
  ])("a date of %j cannot be read", (value, saw) => {
    expect(timing({ dueAt }, value === undefined ? {} : appointment(value))).toEqual({
      code: "due_unreadable",
      path: "appointment.at",
      saw,
    });
  });

  test("one that is past is told", () => {
    const problem = timing({ dueAt }, appointment("2026-11-21T11:59:59Z"));
    expect(problem).toEqual({ code: "due_past", path: "appointment.at", saw: "2026-11-21T11:59:59Z" });
  });
});

describe("what waiting messages are compared by", () => {
  const keyOf = (value: JsonValue): string | null => {
    const found = timing({ cancelOn: { events: ["order.created"], by: "v.0" }, restartBy: "v.0" }, { v: [value] });
    if ("code" in found) throw new Error(found.code);
    expect(found.cancelBy).toBe(found.restartBy);
    return found.cancelBy;
  };

  test.each<[JsonValue, string | null]>([
    ["c-1", "c-1"],
    [" c-1", " c-1"],
    ["007", "007"],
    ["49.90", "49.9"],
    [49.9, "49.9"],
    [true, "true"],
    [{ a: 1 }, '{"a":1}'],
    [null, null],
    ["", null],
    [["x".repeat(20_000)], null],
  ])("%j: %j", (value, key) => {
    expect(keyOf(value)).toBe(key);
  });

  test("integers count digit for digit", () => {
    expect(keyOf(12345678901234567890n)).toBe("12345678901234567890");
  });

  test("a path that leads nowhere equals nothing, whatever the sender did not write", () => {
    for (const by of ["v.length", "__proto__.a", "constructor", "toString.name"])
      expect(timing({ restartBy: by }, { v: ["x"] })).toMatchObject({ restartBy: null });
  });

  test("long texts, and those that cannot be stored, are told apart", () => {
    const long = "x".repeat(300_000);
    const texts = [
      long,
      `${long}x`,
      `${long.slice(1)}y`,
      "a\0",
      "a\ufffd",
      "a\ud800",
      "a\udc00",
      `a${"\ufffd".repeat(199)}`,
      "x".repeat(200),
      "x".repeat(201),
    ];
    const keys = texts.map(keyOf);
    expect(new Set(keys).size).toBe(texts.length);
    expect(keys.every((key) => key !== null && key.length < 260 && !/[\0\ud800-\udfff]/.test(key))).toBe(true);
    expect(texts.map(keyOf)).toEqual(keys);
  });

  test("are equal as conditions' eq says", () => {
    const text = fc.oneof(hostileText, fc.constantFrom("1", "1.0", "01", "-0", "0", "true", "\0", "\ud800"), fc.integer().map(String));
    fc.assert(
      fc.property(text, text, (one, other) => {
        fc.pre(one !== "" && one.length < 16_384);
        const isEqual = compileConditions({ match: "all", rules: [{ path: "v.0", op: "eq", value: one }] })({ v: [other] }) === null;
        expect(keyOf(one) === keyOf(other)).toBe(isEqual);
      }),
    );
  });
});

test("whatever the payload, messages leave within the bounds, or it is told why not", () => {
  const path = fc.constantFrom("deep", "order", "__proto__", "a.b", "v", "v.0");
  const schedule: fc.Arbitrary<Schedule> = fc.record(
    {
      window: fc.record({ days: fc.constantFrom([1], [6, 7]), from: fc.constant("22:00"), to: fc.constantFrom("23:00", "06:00", "24:00") }),
      cancelOn: fc.record({ events: fc.constant(["a"]), by: path }),
      restartBy: path,
      dueAt: fc.record({ path, offsetSeconds: fc.integer({ min: -31_536_000, max: 31_536_000 }), ifPast: fc.constantFrom("send", "skip") }),
      expiresSeconds: fc.integer({ min: 1, max: 31_536_000 }),
    },
    { requiredKeys: [] },
  );
  const payloads = fc.oneof(
    hostilePayload,
    fc
      .oneof(
        fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
        fc.jsonValue(),
      )
      .map((v) => ({ v: v as JsonValue })),
  ) as fc.Arbitrary<JsonObject>;
  fc.assert(
    fc.property(schedule, payloads, fc.constantFrom("UTC", "America/New_York", "No/Where"), (given, payload, zone) => {
      const before = printJson(payload);
      const found = timing(given, payload, zone);
      expect(printJson(payload)).toBe(before);
      expect(JSON.stringify(found).length).toBeLessThan(1_000);
      const { dueAt: due, expiresAt } = { dueAt: null, expiresAt: null, ...found };
      const days = ((due ?? now).getTime() - now.getTime()) / 86_400_000;
      expect(days).toBeGreaterThanOrEqual(0);
      expect(days).toBeLessThan(400 + 365 + 9);
      expect((expiresAt ?? now).getTime()).toBeGreaterThanOrEqual(now.getTime());
    }),
  );
});

describe("in the plan of an event", () => {
  const definition = { ...data<TemplateDefinition>("core-plan", "definition"), header: null, body: "Hi", buttons: [] };
  const template = { id: "t", name: "reminder", language: "en", status: "approved", definition } as unknown as BindingToPlan["template"];
  const variableMap = { header: {}, body: {}, button_url: {} };
  const bindingOf = (id: string, schedule: Schedule | null): BindingToPlan => ({
    id,
    recipient: { strategy: "static_phone", phone: "+491701234567" },
    variableMap,
    template,
    schedule: schedule && compileSchedule(schedule, "UTC"),
  });
  const plan = (payload: JsonObject, ...schedules: (Schedule | null)[]) =>
    planEvent({
      bindings: schedules.map((schedule, index) => bindingOf(`b${index}`, schedule)),
      payload,
      test: false,
      site: { testPhone: null, activePhones: [] },
      account: { timezone: "UTC", configured: true },
      now,
    });

  test("messages carry their timing; a preview tells when they are due, and nothing where they leave now", () => {
    const planned = plan(
      parseJson('{"cart":{"id":7}}') as JsonObject,
      null,
      { delaySeconds: 60, restartBy: "cart.id" },
      { expiresSeconds: 60 },
    );
    expect(planned.messages.map((message) => message.timing)).toEqual([
      null,
      { ...nothing, dueAt: at("20T12:01"), restartBy: "7" },
      { ...nothing, expiresAt: at("20T12:01") },
    ]);
    expect(planned.previews.map((preview) => ("due_at" in preview ? preview.due_at : "none"))).toEqual([
      "none",
      "2026-11-20T12:01:00.000Z",
      "none",
    ]);
  });

  test("a binding whose date is past or none does not fire, and the trace says so", () => {
    const planned = plan(appointment("2020-01-01"), { dueAt });
    expect([planned.skip, planned.previews, planned.messages]).toEqual(["skipped_conditions", [], []]);
    const unmet = { code: "due_past", path: "appointment.at", saw: "2020-01-01" } as const;
    expect(eventTrace(planned, true)?.bindings).toMatchObject([{ bindingId: "b0", unmet }]);
    expect(describeReason(unmet)).toBe("too late: the message was due before the event arrived (appointment.at is “2020-01-01”)");
    const both = plan({}, { dueAt }, { delaySeconds: 1 });
    expect([both.skip, both.previews.length]).toEqual([null, 1]);
    expect(describeReason({ code: "due_unreadable", path: "a.b", saw: null })).toBe("no date: a.b is missing");
  });
});
