import { expect, test, describe } from "vitest";
import { compileConditions, type ConditionRule, type Conditions } from "./conditions.ts";
import { eventTrace, type Plan, planEvent } from "./plan.ts";
import { type Reason } from "./reason.ts";
import type { TemplateDefinition } from "./template/definition.ts";
import type { VariableMap } from "./variables.ts";

describe("event trace", () => {
  interface Traced {
    recipients?: string[];
    dropped?: string[];
    reasons?: Reason[];
  }

  const planOf = (bindings: Traced[]): Plan => ({
    skip: null,
    judged: [],
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
  const noTestPhone: Reason = { code: "no_test_phone" };

  test("nothing is kept of bindings whose messages tell it all", () => {
    expect(eventTrace(planOf([]), false)).toBeNull();
    expect(eventTrace(planOf([{ recipients: [phone] }, { recipients: [phone] }]), true)).toBeNull();
  });

  test("what has no message is kept: nobody reached, phones dropped, and everything of an event that logs none", () => {
    const plan = planOf([{ recipients: [phone] }, { reasons: [noTestPhone] }, { recipients: [phone], dropped: ["0170"] }]);
    const kept = { template: "order_shipped", language: "en" };
    const [silent, dropping] = [
      {
        ...kept,
        bindingId: "binding-1",
        recipients: 0,
        dropped: [],
        reasons: ["no recipient: the site has no test phone"],
        reasonCodes: [noTestPhone],
      },
      { ...kept, bindingId: "binding-2", recipients: 1, dropped: ["0170"], reasons: [], reasonCodes: [] },
    ];
    expect(eventTrace(plan, true)).toEqual({ bindings: [silent, dropping], more: 0 });
    const whole = { ...kept, bindingId: "binding-0", recipients: 1, dropped: [], reasons: [], reasonCodes: [] };
    expect(eventTrace(plan, false)).toEqual({ bindings: [whole, silent, dropping], more: 0 });
  });

  test("phones that could not be read stand in it with what is wrong with them, cut short", () => {
    const plan = planOf([{ dropped: ["0170"] }]);
    const value = "x".repeat(500);
    const phoneProblems = [{ value, reason: "not_a_number" as const }];
    const traces = plan.traces.map((trace) => ({ ...trace, phoneProblems }));
    const [traced] = eventTrace({ ...plan, traces }, true)?.bindings ?? [];
    expect(traced?.phoneProblems).toEqual([{ value: `${"x".repeat(40)}…`, reason: "not_a_number" }]);
  });

  test("of many there are a few, and the number of the others", () => {
    const trace = eventTrace(planOf(Array.from({ length: 23 }, () => ({}))), true);
    expect(trace?.bindings).toHaveLength(20);
    expect(trace?.more).toBe(3);
    expect(eventTrace(planOf([{}]), true)?.more).toBe(0);
  });

  test("bindings that did not fire are kept with their rules, as many as an event may have", () => {
    const unmet = { match: "all" as const, rules: [{ path: "a", op: "exists" as const, values: [], saw: null }], more: 0 };
    const held = (index: number): Plan["judged"][number] => ({
      binding: { id: `held-${index}`, template: { name: "t", language: "en" } } as never,
      unmet,
      timing: null,
    });
    const fired = { ...held(0), unmet: null };
    const of = (judged: Plan["judged"]) => eventTrace({ ...planOf([{ recipients: [phone] }]), judged }, true);
    expect(of([fired])).toBeNull();
    const kept = { bindingId: "held-1", template: "t", language: "en", recipients: 0, dropped: [], reasons: [], unmet };
    expect(of([fired, held(1)])).toEqual({ bindings: [kept], more: 0 });
    expect(of(Array.from({ length: 53 }, (_, index) => held(index)))).toMatchObject({ bindings: { length: 50 }, more: 3 });
  });

  test("texts and lists are cut, and can be stored", () => {
    const dropped = ["x".repeat(40), "y".repeat(41), "a\0", ...Array.from({ length: 9 }, () => "z")];
    const atPath = (path: string): Reason => ({ code: "no_phone_at_path", path });
    const reasons = ["r".repeat(301), "r".repeat(1000), "c", "d"].map(atPath);
    expect(eventTrace(planOf([{ dropped, reasons }]), true)?.bindings[0]).toMatchObject({
      dropped: ["x".repeat(40), `${"y".repeat(40)}…`, "a\ufffd", ...Array<string>(7).fill("z")],
      reasons: [`no recipient: ${"r".repeat(286)}…`, `no recipient: ${"r".repeat(286)}…`, "no recipient: c is missing or is not text"],
      reasonCodes: [reasons[0], null, reasons[2]],
    });
  });
});

const template = (definition: Partial<TemplateDefinition>) => ({
  id: "template-1",
  name: "order_shipped",
  language: "en",
  status: "approved" as const,
  definition: {
    parameterFormat: "POSITIONAL" as const,
    header: null,
    body: "",
    footer: null,
    buttons: [],
    examples: noExamples,
    ...definition,
  },
});
const noExamples = { header: [], body: [], buttonUrl: [] };
const input = {
  payload: { order: { number: "7" } },
  test: false,
  account: { timezone: "UTC", configured: true },
  now: new Date("2026-11-27T12:00:00Z"),
};

describe("a template of one-time codes", () => {
  const url = "https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}";
  const codes = template({ body: "*{{1}}* ist dein Code.", buttons: [{ type: "URL", text: "Kopieren", url }] });
  const made = (code: string, more: VariableMap = {}) => {
    const variableMap = { body: { "1": { source: "static" as const, value: code } }, ...more };
    const bindings = [{ id: "b", recipient: { strategy: "site_recipients" as const }, variableMap, template: codes }];
    return planEvent({ ...input, bindings, site: { testPhone: null, activePhones: ["+4915550100001"] } });
  };

  test("takes one variable, which fills body and button; a map of earlier versions, which fills the button too, is good", () => {
    const parameters = [{ type: "text", text: "493817" }];
    for (const more of [{}, { button_url: { "1": { source: "static" as const, value: "493817" } } }]) {
      const { previews, messages } = made("493817", more);
      expect(previews[0]).toMatchObject({ resolved: true, slots: { body: ["493817"], buttonUrl: [] } });
      expect(JSON.parse(messages[0]?.components ?? "")).toEqual([
        { type: "body", parameters },
        { type: "button", sub_type: "url", index: "0", parameters },
      ]);
    }
  });

  test("takes no code of more than 15 characters", () => {
    expect(made("123456789012345").previews[0]?.resolved).toBe(true);
    const { previews, messages } = made("1234567890123456");
    expect([previews[0]?.resolved, messages[0]?.failure]).toEqual([
      false,
      { code: "too_long", group: "body", button: null, length: 16, limit: 15 },
    ]);
  });
});

test("conditions on recipient.country leave recipients out one by one; where none is left, the binding does not fire", () => {
  const country: ConditionRule = { path: "recipient.country", op: "neq", value: "US" };
  const number: ConditionRule = { path: "order.number", op: "eq", value: "1" };
  const countryOf = (phone: string) => (phone.startsWith("+1") ? "US" : "DE");
  const judged = (conditions: Conditions, activePhones: string[]) => {
    const to = { recipient: { strategy: "site_recipients" as const }, variableMap: {}, conditions: compileConditions(conditions) };
    const bindings = [{ id: "b", template: template({ body: "Hi" }), ...to }];
    const made = planEvent({ ...input, bindings, countryOf, site: { testPhone: null, activePhones } });
    const trace = eventTrace(made, true)?.bindings[0];
    return [made.skip, made.messages.map(({ toPhone }) => toPhone), trace?.unmet ?? null, ...(trace?.reasonCodes ?? [])];
  };
  const [us, de] = ["+12025550123", "+4915550100001"];
  expect(judged({ match: "all", rules: [country] }, [us, de])).toEqual([
    null,
    [de],
    null,
    { code: "country_excluded", count: 1, countries: ["US"] },
  ]);
  const saw = { path: "recipient.country", op: "neq", values: ["US"], saw: "US" };
  expect(judged({ match: "all", rules: [country] }, [us])).toEqual([
    "skipped_conditions",
    [],
    { match: "all", rules: [saw], more: 0 },
    { code: "country_excluded", count: 1, countries: ["US"] },
  ]);
  expect(judged({ match: "all", rules: [country] }, [])[0]).toBe("skipped_no_phone");
  expect(judged({ match: "all", rules: [number, country] }, [de])[0]).toBe("skipped_conditions");
  expect(judged({ match: "any", rules: [number, country] }, [us, de])[1]).toEqual([de]);
  expect(judged({ match: "any", rules: [{ ...number, op: "neq" } as ConditionRule, country] }, [us, de])).toEqual([null, [us, de], null]);
});
