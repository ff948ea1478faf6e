import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostilePayload, hostileText } from "../../../test/support/arbitrary/json.ts";
import { data } from "../../../test/support/data.ts";
import { parseJson, type JsonObject } from "./json.ts";
import { maxMessages, planEvent, type BindingToPlan, type PlanInput, type PlannedMessage } from "./plan.ts";
import { describeReason } from "./reason.ts";
import type { MessageComponent, TemplateDefinition } from "./template/definition.ts";
import { cleanSlots } from "./template/message.ts";
import { slotNames } from "./template/slots.ts";
import type { VariableMap } from "./variables.ts";

const definition = data<TemplateDefinition>("core-plan", "definition");
const variableMap: VariableMap = {
  header: { "1": { source: "field", path: "order.number" } },
  body: { "1": { source: "field", path: "customer.first_name" }, "2": { source: "field", path: "order.number", fallback: "(none)" } },
  button_url: { "1": { source: "field", path: "order.order_url_customer" } },
};
const template = { id: "template-1", name: "order_shipped", language: "en", status: "approved" as const, definition };
const binding: BindingToPlan = { id: "binding-1", recipient: { strategy: "customer" }, variableMap, template };
const payload = (text: string): JsonObject => parseJson(text) as JsonObject;
/** The sentence that says why the first message fails. */
const sentenceOf = ([message]: readonly PlannedMessage[]): string | null => (message?.failure ? describeReason(message.failure) : null);

const componentsOf = (messages: readonly PlannedMessage[]) => JSON.parse(messages[0]?.components ?? "[]") as MessageComponent[];
const order = payload(`{
  "customer": {"first_name": "Ada", "phone_e164": "+491701234567"},
  "order": {"number": 12345678901234567890, "order_url_customer": "https://shop.example/t/7 7"}
}`);
const input: PlanInput = {
  bindings: [binding],
  payload: order,
  test: false,
  site: { testPhone: "+4900000000", activePhones: ["+4911111111", "+4922222222", "+4911111111", "0170"] },
  account: { timezone: "UTC", configured: true },
  now: new Date("2026-05-18T12:00:00Z"),
};
const plan = (change: Partial<PlanInput>): ReturnType<typeof planEvent> => planEvent({ ...input, ...change });
const withBinding = (change: Partial<BindingToPlan>): ReturnType<typeof planEvent> => plan({ bindings: [{ ...binding, ...change }] });
const withPayload = (text: string): ReturnType<typeof planEvent> => plan({ payload: payload(text) });
const longPhones = Array.from({ length: 150 }, (_, index) => `+49170${String(index).padStart(7, "0")}`);

test("an event with all that its template needs", () => {
  expect(planEvent(input)).toEqual(data("core-plan", "an event with all that"));
});

test("previews have the documented members in their order", () => {
  expect(JSON.stringify(planEvent(input).previews[0])).toMatch(
    /^\{"binding_id":.*,"template":.*,"language":.*,"recipients":.*,"slots":\{"header":.*,"body":.*,"buttonUrl":.*\},"resolved":true\}$/,
  );
});

describe("skip, first that applies", () => {
  const unconfigured = { timezone: "UTC", configured: false };

  test("no binding, also when nothing is configured", () => {
    const nothing = { judged: [], previews: [], traces: [], messages: [] };
    expect(plan({ bindings: [], account: unconfigured })).toEqual({ skip: "no_bindings", ...nothing });
  });

  test("no configuration, also when there is no phone; previews are there all the same", () => {
    const { skip, previews, messages } = plan({ account: unconfigured });
    expect([skip, previews[0]?.resolved, messages]).toEqual(["skipped_no_config", true, []]);
    expect(plan({ account: unconfigured, payload: {} }).skip).toBe("skipped_no_config");
  });

  test("no phone at any binding", () => {
    const { skip, previews, traces, messages } = withPayload('{"customer":{"phone_e164":"0170 1234567"}}');
    expect([skip, previews[0]?.recipients, previews[0]?.resolved, messages]).toEqual(["skipped_no_phone", [], false, []]);
    expect(traces[0]?.reasons[0]).toEqual({ code: "phones_not_e164", count: 1 });
  });
});

describe("recipients", () => {
  test.each(data<[BindingToPlan["recipient"], string[]][]>("core-plan", "cases"))("%j", (recipient, phones) => {
    expect(withBinding({ recipient }).previews[0]?.recipients).toEqual(phones);
    const testPhones = plan({ test: true, bindings: [{ ...binding, recipient }] }).previews[0]?.recipients;
    expect(testPhones).toEqual(["+4900000000"]);
  });

  test("a test event without a test phone reaches nobody", () => {
    const { skip, traces } = plan({ test: true, site: { testPhone: null, activePhones: ["+4911111111"] } });
    expect([skip, traces[0]?.reasons]).toEqual(["skipped_no_phone", [{ code: "no_test_phone" }]]);
  });

  test.each<[BindingToPlan["recipient"], string]>(data("core-plan", "j says why there is none"))(
    "%j says why there is none",
    (recipient, reason) => {
      const { traces } = plan({ payload: {}, site: { testPhone: null, activePhones: [] }, bindings: [{ ...binding, recipient }] });
      expect(traces[0]?.reasons.map((each) => describeReason(each))[0]).toBe(reason);
    },
  );
});

describe("messages that cannot be right", () => {
  test("an unresolved slot is empty in its place, and named in the failure", () => {
    const { previews, messages } = withPayload(
      '{"customer":{"first_name":" \\n","phone_e164":"+491701234567"},"order":{"order_url_customer":"https://shop.example/t/"}}',
    );
    expect(previews[0]?.slots).toEqual({ header: [""], body: ["", "(none)"], buttonUrl: [""] });
    expect(previews[0]?.resolved).toBe(false);
    expect(messages[0]?.components).toBe("[]");
    expect(messages[0]?.failure?.code).toBe("slot_unresolved");
    expect(sentenceOf(messages)).toBe(
      "header {{1}}: order.number is missing; body {{1}}: customer.first_name is blank; button_url {{1}}: order.order_url_customer is blank",
    );
  });

  test("slots that the map leaves out; expressions and static values; named slots", () => {
    const named: TemplateDefinition = { ...definition, parameterFormat: "NAMED", header: null, body: "{{a}} {{b}} {{c}}", buttons: [] };
    const map: VariableMap = {
      body: { "2": { source: "expression", expr: "items.summary_short" }, "3": { source: "static", value: " " } },
    };
    const { messages } = withBinding({ variableMap: map, template: { ...template, definition: named } });
    expect(sentenceOf(messages)).toBe(
      "body {{a}}: not in the variable map; body {{b}}: items.summary_short is missing; body {{c}}: the static value is blank",
    );
  });

  test("many unresolved slots are counted, not listed", () => {
    const many = {
      ...definition,
      header: null,
      buttons: [],
      body: Array.from({ length: 8 }, (_, index) => `x {{${index + 1}}}`).join(" "),
    };
    const { messages } = withBinding({ variableMap: {}, template: { ...template, definition: many } });
    expect(sentenceOf(messages)).toMatch(/^body \{\{1\}\}.*body \{\{5\}\}: not in the variable map; and 3 more$/);
  });

  test.each(["draft", "pending", "rejected", "paused", "disabled"] as const)(
    "a template that is %s; the preview is none the worse",
    (status) => {
      const { previews, messages } = withBinding({ template: { ...template, status } });
      expect(previews[0]?.resolved).toBe(true);
      expect(messages[0]?.failure?.code).toBe("template_not_approved");
      expect(sentenceOf(messages)).toBe(`The template order_shipped (en) is ${status}; only an approved one can be sent.`);
      expect(componentsOf(messages)).toHaveLength(3);
    },
  );

  test("the status is named before what is wrong with the content, and nothing half-filled is kept", () => {
    const { messages, traces } = withBinding({ variableMap: {}, template: { ...template, status: "draft" } });
    expect([messages[0]?.failure?.code, messages[0]?.components]).toEqual(["template_not_approved", "[]"]);
    expect(traces[0]?.reasons).toMatchObject([
      { code: "template_not_approved", status: "draft" },
      { code: "slot_unresolved", slots: [{ code: "value_not_mapped", slot: { group: "header", name: "1" } }, {}, {}, {}] },
    ]);
  });

  test.each<Partial<TemplateDefinition>>([
    { header: { format: "OTHER", type: "LOCATION" } },
    { header: { format: "IMAGE", url: null } },
    { buttons: [{ type: "OTHER", kind: "COPY_CODE", text: "Copy", needsParameter: true }] },
  ])("a template with %j cannot be sent", (change) => {
    const { messages } = withBinding({ template: { ...template, definition: { ...definition, ...change } } });
    expect(messages[0]?.failure?.code).toBe("template_not_sendable");
  });

  const name = (length: number): JsonObject => ({ ...order, customer: { first_name: "😀".repeat(length), phone_e164: "+491701234567" } });

  test("a body that is full to the last character, and one that is not", () => {
    const rest = "Hi , your order 12345678901234567890 is on its way.".length;
    expect(plan({ payload: name(1024 - rest) }).messages[0]?.failure).toBeNull();
    const { messages } = plan({ payload: name(1025 - rest) });
    expect(messages[0]).toMatchObject({ components: "[]", failure: { code: "too_long" } });
    expect(sentenceOf(messages)).toBe("body: 1025 characters with its values, WhatsApp allows 1024");
  });

  test("a header and an address", () => {
    const header = payload(
      `{"customer":{"first_name":"A","phone_e164":"+491701234567"},"order":{"number":"${"n".repeat(55)}","order_url_customer":"7"}}`,
    );
    expect(sentenceOf(plan({ payload: header }).messages)).toBe("header: 61 characters with its values, WhatsApp allows 60");
    const url = payload(
      `{"customer":{"first_name":"A","phone_e164":"+491701234567"},"order":{"number":"1","order_url_customer":"${"ä".repeat(330)}"}}`,
    );
    expect(sentenceOf(plan({ payload: url }).messages)).toBe("button_url {{1}}: 2003 characters with its values, WhatsApp allows 2000");
  });
});

test("beyond the limit of messages the rest fails, across bindings", () => {
  const everybody: BindingToPlan = { ...binding, recipient: { strategy: "site_recipients" } };
  const { messages, previews } = plan({
    bindings: [everybody, { ...everybody, id: "binding-2" }],
    site: { testPhone: null, activePhones: longPhones },
  });
  expect(messages).toHaveLength(300);
  expect(messages.findIndex((message) => message.failure !== null)).toBe(maxMessages);
  expect(new Set(messages.slice(maxMessages).map((message) => message.failure?.code))).toEqual(new Set(["too_many_recipients"]));
  expect(previews[1]?.recipients).toHaveLength(150);
});

describe("whatever the payload", () => {
  const anyPayload = fc.oneof(
    hostilePayload,
    fc.record({ first_name: hostileText, number: hostileText, url: hostileText }).map(({ first_name, number, url }) => ({
      customer: { first_name, phone_e164: "+491701234567" },
      order: { number, order_url_customer: url },
    })),
  );

  test("a plan is made, and a preview's cleaned slots are the parameters sent", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(anyPayload, (value) => {
        const { previews, messages } = plan({ payload: value });
        const [preview, message] = [previews[0], messages[0]];
        if (preview === undefined) throw new Error("no preview");
        const sent = cleanSlots(definition, preview.slots);
        const texts = [...sent.header, ...sent.body, ...sent.buttonUrl];
        expect(preview.resolved).toBe(preview.recipients.length > 0 && texts.every((text) => text !== ""));
        if (message === undefined || message.failure !== null) return;
        expect(componentsOf(messages).flatMap((component) => component.parameters)).toEqual(texts.map((text) => ({ type: "text", text })));
      }),
      { seed: 8, numRuns: 400 },
    );
  });
});

test("a template that changed since its binding was saved gets no values that may mean something else", () => {
  const changed = (body: string, boundShape: ReturnType<typeof slotNames> | null = slotNames(definition)) =>
    withBinding({ template: { ...template, boundShape, definition: { ...definition, body } } });
  const { messages, traces, previews } = changed("Hi {{1}}, it is on its way.");
  expect(messages).toMatchObject([{ failure: { code: "template_changed" }, components: "[]" }]);
  expect(sentenceOf(messages)).toContain("body had {{1}}, {{2}} and now has {{1}}");
  expect(traces[0]?.reasons).toMatchObject([{ code: "template_changed", of: { template: "order_shipped", language: "en" } }]);
  expect(previews[0]).toMatchObject({ resolved: true, slots: { body: ["Ada"] } });
  expect(changed("Hi {{1}}, it is on its way.", null).messages[0]?.failure?.code).toBe("template_changed");
  expect(changed("Dear {{1}}, order {{2}} is on its way.").messages[0]?.failure).toBeNull();
});
