import { createBindingInput } from "shared/core/input/bindings";
import { flattenSchedule } from "shared/core/schedule/merge";
import type { TemplateDefinition } from "shared/core/template/definition";
import { beforeAll, expect, test, describe } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { loadSchemas } from "../../ui/form/input-issues.ts";
import {
  emptyDraft,
  emptyRule,
  emptySlot,
  type SavedBinding,
  toDraft,
  bindingIssues,
  previewable,
  toInput,
  templateSlots,
} from "./draft.ts";
import { slotOutcome } from "./preview.tsx";
import { phonesFirst } from "./slot-fields.tsx";

beforeAll(loadSchemas);

describe("draft", () => {
  const template: TemplateDefinition = data("admin-web-pages-binding-draft", "template");

  const saved: SavedBinding = {
    siteId: "0190c0de-0000-7000-8000-000000000001",
    event: "order.created",
    templateId: "0190c0de-0000-7000-8000-000000000002",
    recipient: { strategy: "field_path", path: "driver.phone" },
    variableMap: {
      header: { "1": { source: "static", value: "7" } },
      body: { "1": { source: "field", path: "a.b", fallback: "there" }, "2": { source: "expression", expr: "date.today" } },
      button_url: { "1": { source: "field", path: "c" } },
    },
    conditions: {
      match: "any",
      rules: [
        { path: "order.total", op: "gte", value: "100" },
        { path: "order.status", op: "in", value: ["paid", "sent"] },
        { path: "order.coupon", op: "missing" },
      ],
    },
    ...flattenSchedule(data("admin-web-pages-binding-draft", "draft")),
    enabled: false,
  };

  test("a saved binding comes back as it was", () => {
    expect(toInput(toDraft(saved), template)).toEqual(saved);
    expect(createBindingInput.safeParse(saved).success).toBe(true);
    const fixed = { ...saved, recipient: { strategy: "static_phone", phone: "+14155550123" } } as const;
    expect(toInput(toDraft(fixed), template)).toEqual(fixed);
  });

  test("what the template lacks, and what nothing was entered for, is left out", () => {
    const draft = toDraft({ ...saved, variableMap: { ...saved.variableMap, body: { "3": { source: "field", path: "x" } } } });
    draft.slots["header.1"] = { ...emptySlot, source: "static" };
    draft.slots["button_url.1"] = { ...emptySlot };
    expect(toInput(draft, template).variableMap).toEqual({});
    expect(toInput(draft, undefined).variableMap).toEqual({});
  });

  test("a fallback without a path is told, not dropped", () => {
    const draft = { ...toDraft(saved), slots: { "body.1": { ...emptySlot, fallback: "there" } } };
    const issues = bindingIssues(toInput(draft, template));
    expect(issues).toMatchObject([{ path: ["variableMap", "body", "1", "path"], message: expect.stringMatching(/must not be empty/iu) }]);
  });

  test("an empty form is told field by field", () => {
    const issues = bindingIssues(toInput({ ...emptyDraft, recipient: { strategy: "static_phone", phone: "", path: "" } }, undefined));
    expect(Object.fromEntries(issues.map(({ path, message }) => [path.join("."), message]))).toEqual(
      data("admin-web-pages-binding-draft", "an empty form is told field by field"),
    );
  });

  test("a rule without a value is told, and left out while it is tried out", () => {
    const draft = toDraft(saved);
    const rules = [...draft.conditions.rules, { ...emptyRule, path: "a" }, { ...emptyRule, path: "b", op: "in" as const }, emptyRule];
    const input = toInput({ ...draft, conditions: { match: "any", rules } }, template);
    expect(bindingIssues(input).map(({ path, message }) => [path.join("."), message])).toEqual(
      data("admin-web-pages-binding-draft", "a rule without a value is told, and left out whi"),
    );
    expect(previewable(input)?.input.conditions).toEqual(saved.conditions);
    expect(
      previewable({ ...input, conditions: { match: "all", rules: input.conditions?.rules.slice(3) ?? [] } })?.input.conditions,
    ).toBeNull();
    expect(toInput({ ...draft, conditions: { match: "any", rules: [] } }, template).conditions).toBeNull();
  });

  test("while it is written it can be tried out, without what is not right yet", () => {
    expect(previewable(toInput(emptyDraft, template))).toBeNull();
    const { body } = saved.variableMap;
    const half = { ...saved, event: "Order.Created", variableMap: { body: { ...body, "1": { source: "field" as const, path: "a..b" } } } };
    expect(previewable({ ...half, recipient: { strategy: "static_phone", phone: "+1" } })).toMatchObject({
      hasRecipient: false,
      input: { event: "order.created", variableMap: { body: { "2": body?.["2"] } } },
    });
    expect(previewable(saved)).toMatchObject({ hasRecipient: true, input: { variableMap: saved.variableMap } });
  });
});

describe("template slots", () => {
  const template: TemplateDefinition = data("admin-web-pages-binding-draft", "template (2)");

  test("each slot is shown with what stands around it", () => {
    expect(templateSlots(template).map(({ key, before, mark, after }) => [key, before, mark, after])).toEqual(
      data("admin-web-pages-binding-draft", "each slot is shown with what stands around it"),
    );
  });

  test("what comes of a slot is its text as it is sent, a button's whole address, or why it is empty", () => {
    const preview = {
      slots: { header: [" 7\n8 "], body: ["", ""], buttonUrl: ["x y"] },
      problemCodes: [
        { code: "value_missing" as const, slot: { group: "body" as const, name: "name" }, from: "customer.first_name" },
        { code: "slot_not_mapped" as const, slot: { group: "body" as const, name: "order_no" } },
      ],
    };
    expect(templateSlots(template).map((slot) => slotOutcome(template, slot, preview))).toEqual(
      data("admin-web-pages-binding-draft", "what comes of a slot is its text as it is sent,"),
    );
  });
});

test("what held a phone or is called one comes first, else all stays in order", () => {
  const field = (path: string, sample: string | null) => ({
    path,
    type: "string" as const,
    sample,
    lastSeenAt: "2026-01-01T00:00:00.000Z",
  });
  const fields = [field("order.id", "10042"), field("driver", "+491701234567"), field("note", null), field("customer.mobile", "0170 1")];
  expect(phonesFirst(fields).map(({ path }) => path)).toEqual(["driver", "customer.mobile", "order.id", "note"]);
});
