import { expect, test } from "vitest";
import type { TemplateDefinition } from "../template/definition.ts";
import { slotNames } from "../template/slots.ts";
import type { VariableMap } from "../varspec/schema.ts";
import { planEvent } from "./plan-event.ts";
import type { BindingToPlan } from "./plan.ts";

const definition: TemplateDefinition = {
  parameterFormat: "POSITIONAL",
  header: null,
  body: "Hi {{1}}, your order {{2}} is on its way.",
  footer: null,
  buttons: [],
  examples: { header: [], body: [], buttonUrl: [] },
};
const variableMap: VariableMap = { body: { "1": { source: "static", value: "Ada" }, "2": { source: "static", value: "7" } } };
const template = { id: "template-1", name: "order_shipped", language: "en", status: "approved" as const, definition };
const binding: BindingToPlan = { id: "binding-1", recipient: { strategy: "static_phone", phone: "+491701234567" }, variableMap, template };
const withBinding = (change: Partial<BindingToPlan>): ReturnType<typeof planEvent> =>
  planEvent({
    bindings: [{ ...binding, ...change }],
    payload: {},
    test: false,
    site: { testPhone: null, activePhones: [] },
    account: { timezone: "UTC", configured: true },
    now: new Date("2026-05-18T12:00:00Z"),
  });

test("a template that changed since its binding was saved gets no values that may mean something else", () => {
  const boundShape = slotNames(definition);
  const changed = (body: string, shape: typeof boundShape | null = boundShape) =>
    withBinding({ template: { ...template, boundShape: shape, definition: { ...definition, body } } });
  const { messages, traces, previews } = changed("Hi {{1}}, it is on its way.");
  expect(messages).toMatchObject([
    { failure: { code: "template_changed", reason: expect.stringContaining("body had {{1}}, {{2}} and has {{1}} now") }, components: [] },
  ]);
  expect(traces[0]?.reasons).toEqual([expect.stringContaining("Save the binding's slots again")]);
  expect(previews[0]).toMatchObject({ resolved: true, slots: { body: ["Ada"] } });
  expect(changed("Hi {{1}}, it is on its way.", null).messages[0]?.failure?.code).toBe("template_changed");
  expect(changed("Dear {{1}}, order {{2}} is on its way.").messages[0]?.failure).toBeNull();
});

test("a media header is sent by its link, else by the platform's id of an uploaded file, else not at all", () => {
  const sent = (header: TemplateDefinition["header"]) => {
    const { messages } = withBinding({ template: { ...template, definition: { ...definition, header } } });
    return [messages[0]?.failure?.code, messages[0]?.components[0]];
  };
  const file = { id: "f", name: "Invoice 7.pdf", mediaId: "778812345" };
  expect(sent({ format: "IMAGE", url: "https://cdn.example/a.png" })).toEqual([
    undefined,
    { type: "header", parameters: [{ type: "image", image: { link: "https://cdn.example/a.png" } }] },
  ]);
  expect(sent({ format: "DOCUMENT", url: null, file })).toEqual([
    undefined,
    { type: "header", parameters: [{ type: "document", document: { id: "778812345", filename: "Invoice 7.pdf" } }] },
  ]);
  expect(sent({ format: "VIDEO", url: null, file })[1]).toEqual({
    type: "header",
    parameters: [{ type: "video", video: { id: "778812345" } }],
  });
  expect(sent({ format: "IMAGE", url: null, file: { ...file, mediaId: null } })).toEqual(["template_not_sendable", undefined]);
});
