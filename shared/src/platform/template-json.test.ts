import fc from "fast-check";
import { expect, test } from "vitest";
import { hostileJson } from "../../../test/support/arbitrary/json.ts";
import { data } from "../../../test/support/data.ts";
import { templateStatuses, type TemplateButton, type TemplateDefinition } from "../core/template/definition.ts";
import { readDefinition, readTemplate, templateStatusOf, writeComponents } from "./template-json.ts";

/** The example from the platform's documentation. */
const documented = data<{ type: string }[]>("platform-template-json", "documented");
const definition = data<TemplateDefinition>("platform-template-json", "definition");

test("the documented template is read and written", () => {
  expect(readDefinition({ components: documented })).toEqual(definition);
  expect(writeComponents(definition)).toEqual(documented);
});

test("types and formats may be in lower case, a flat list of examples counts", () => {
  const lower = documented.map((component) => ({
    ...component,
    type: component.type.toLowerCase(),
    ...("format" in component && { format: "text" }),
  }));
  lower[1] = { ...documented[1], type: "body", example: { body_text: ["Ada", "DHL-77"] } } as never;
  expect(readDefinition({ components: lower, parameter_format: "positional" })).toEqual(definition);
});

test("named parameters are in the order of their first appearance", () => {
  const named = data<object[]>("platform-template-json", "named parameters");
  const read = readDefinition({ components: named, parameter_format: "named" });
  expect(read).toMatchObject({ parameterFormat: "NAMED", examples: { header: ["Ada"], body: ["2", "1"], buttonUrl: [] } });
  expect(writeComponents(read)[0]).toEqual(named[0]);
  expect(writeComponents(read)[1]).toHaveProperty("example.body_text_named_params", [
    { param_name: "b", example: "2" },
    { param_name: "a", example: "1" },
  ]);
});

test.each(["IMAGE", "VIDEO", "DOCUMENT"] as const)(
  "a header with %s has no link of ours, and is written with the uploaded sample",
  (format) => {
    const component = { type: "HEADER", format, example: { header_handle: ["https://cdn.example/x?expires=1"] } };
    const read = readDefinition({ components: [component] });
    expect(read.header).toEqual({ format, url: null });
    expect(writeComponents(read, "4::aW")[0]).toEqual({ type: "HEADER", format, example: { header_handle: ["4::aW"] } });
    expect(writeComponents(read)[0]).toEqual({ type: "HEADER", format });
  },
);

test("what cannot be filled here is told apart, at its place among all buttons", () => {
  const read = readDefinition(data("shared-platform-template-json", "what cannot be filled here is told apart, at its place a"));
  expect(read.header).toEqual({ format: "OTHER", type: "LOCATION" });
  expect(read.buttons).toEqual(data("platform-template-json", "what cannot be filled here is told apart, at its place among"));
  expect(read.examples.buttonUrl).toEqual([""]);
});

const item = { id: 594425479261596, name: "order_shipped", language: "en-US", status: "approved", category: "utility", components: [] };

test("an item of the list", () => {
  expect(readTemplate({ ...item, rejected_reason: "NONE" })).toMatchObject(data<object>("platform-template-json", "an item of the list"));
});

test.each([
  [{ status: "REJECTED", rejected_reason: "INVALID_FORMAT" }, "rejected", "INVALID_FORMAT"],
  [{ status: "REJECTED", rejected_reason: "NONE" }, "rejected", null],
  [{ status: "PAUSED" }, "paused", null],
  [{ status: "ARCHIVED" }, "disabled", "ARCHIVED"],
  [{ status: "IN_APPEAL" }, "pending", "IN_APPEAL"],
  [{ status: "SPARKLING" }, "disabled", "SPARKLING"],
  [{ status: undefined }, "disabled", null],
])("%j is %s because of %s", (more, status, reason) => {
  expect(readTemplate({ ...item, ...more })).toMatchObject({ status, reason });
});

test.each([null, [], "t", {}, { ...item, id: undefined }, { ...item, name: "" }, { ...item, language: 7 }])("%j is no template", (json) => {
  expect(readTemplate(json)).toBeNull();
});

test("only what the platform lets one send is approved", () => {
  const all =
    "APPROVED PENDING REJECTED PAUSED DISABLED IN_APPEAL PENDING_DELETION DELETED ARCHIVED LIMIT_EXCEEDED FLAGGED LOCKED REINSTATED UNARCHIVED NEW";
  expect(all.split(" ").filter((status) => templateStatusOf(status) === "approved")).toEqual(["APPROVED", "FLAGGED", "REINSTATED"]);
  for (const status of all.split(" ")) expect(templateStatuses).toContain(templateStatusOf(status.toLowerCase()));
});

test("any JSON is read without an error", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(hostileJson, hostileJson, hostileJson, (components, buttons, example) => {
      const parts = [
        { type: "HEADER", text: "{{1}}", example },
        { type: "BODY", text: "{{1}}", example },
        { type: "BUTTONS", buttons },
      ];
      expect(readTemplate({ ...item, components, parameter_format: example })).not.toBeNull();
      expect(readTemplate({ ...item, components: parts })?.definition.examples.body).toHaveLength(1);
    }),
  );
});

const word = fc.string({ minLength: 1, maxLength: 12 }).map((text) => text.replaceAll(/[{}]/g, "x"));

/** A template with one example per slot. */
const anyDefinition: fc.Arbitrary<TemplateDefinition> = fc
  .record({
    named: fc.boolean(),
    header: fc.option(word),
    headerExample: fc.option(word),
    body: word,
    bodyExamples: fc.array(word, { maxLength: 5 }),
    footer: fc.option(word),
    buttons: fc.array(fc.record({ kind: fc.constantFrom("URL", "SLOT", "QUICK_REPLY", "PHONE_NUMBER"), text: word, value: word }), {
      maxLength: 6,
    }),
  })
  .map(({ named, header, headerExample, body, bodyExamples, footer, buttons }) => {
    const slots = bodyExamples.map((_, index) => ` {{${named ? `p_${index}` : index + 1}}}`).join("");
    const variable = headerExample === null ? "" : named ? "{{who}}" : "{{1}}";
    return {
      parameterFormat: named ? "NAMED" : "POSITIONAL",
      header: header === null ? null : { format: "TEXT", text: header + variable },
      body: body + slots,
      footer,
      buttons: buttons.map(({ kind, text }): TemplateButton => {
        if (kind === "QUICK_REPLY") return { type: kind, text };
        if (kind === "PHONE_NUMBER") return { type: kind, text, phone: "+4930123456" };
        return { type: "URL", text, url: kind === "SLOT" ? "https://shop.example/{{1}}" : "https://shop.example/" };
      }),
      examples: {
        header: header === null || headerExample === null ? [] : [headerExample],
        body: bodyExamples,
        buttonUrl: buttons.filter(({ kind }) => kind === "SLOT").map(({ value }) => value),
      },
    };
  });

test("what is written is read back the same", () => {
  fc.assert(
    fc.property(anyDefinition, (any) => {
      const sent: unknown = JSON.parse(JSON.stringify({ components: writeComponents(any), parameter_format: any.parameterFormat }));
      expect(readDefinition(sent)).toEqual(any);
    }),
  );
});
