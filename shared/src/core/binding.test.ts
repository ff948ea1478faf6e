import { describe, expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import * as binding from "./binding.ts";
import { describeReason, type Reason } from "./reason.ts";
import type { TemplateDefinition } from "./template/definition.ts";
import { slotNames } from "./template/slots.ts";
import type { VariableMap } from "./variables.ts";

const definition: TemplateDefinition = data("shared-core-binding", "definition");
const x = { source: "static" as const, value: "x" };
const whole: VariableMap = { body: { "1": x, "2": x }, button_url: { "1": x } };

const told =
  <Args extends unknown[]>(reasonsOf: (...args: Args) => Reason[]) =>
  (...args: Args): string[] =>
    reasonsOf(...args).map((reason) => describeReason(reason));
const bindingProblems = told(binding.bindingProblems);
const mapErrors = told(binding.mapErrors);

describe("bindingProblems", () => {
  test("none when the map is whole and the template approved", () => {
    expect(bindingProblems(whole, definition, "approved")).toEqual([]);
  });

  test("slots that the map leaves out", () => {
    expect(bindingProblems({ body: { "1": x } }, definition, "approved")).toEqual([
      "body {{2}} is not in the variable map.",
      "button_url {{1}} is not in the variable map.",
    ]);
  });

  test("values that are the same blank in every message", () => {
    const blank: VariableMap = {
      ...whole,
      body: { "1": { source: "static", value: "" }, "2": { source: "static", value: "\u3164\u2800" } },
    };
    expect(bindingProblems(blank, definition, "approved")).toEqual([
      "body {{1}}: the static value is missing",
      "body {{2}}: the static value is blank",
    ]);
  });

  test.each([
    ["draft", "The template is a draft: submit it for approval."],
    ["pending", "The template is waiting for WhatsApp's approval."],
    ["rejected", "The template was rejected: change it and submit it again."],
    ["paused", "WhatsApp has paused the template."],
    ["disabled", "WhatsApp has disabled the template: use another one."],
  ] as const)("a template that is %s", (status, problem) => {
    expect(bindingProblems(whole, definition, status)).toEqual([problem]);
  });

  test("a template that no message can be made of", () => {
    expect(bindingProblems(whole, { ...definition, header: { format: "OTHER", type: "LOCATION" } }, "approved")).toEqual([
      expect.stringMatching(/^The template cannot be sent: its header is of type LOCATION/),
    ]);
  });
});

describe("a template that changed under its binding", () => {
  const bound = slotNames(definition);
  const changed = (change: Partial<TemplateDefinition>, map = whole) =>
    bindingProblems(map, { ...definition, ...change }, "approved", bound);

  test("another text with the same slots is none", () => {
    expect(changed({ body: "Dear {{1}}, {{2}} has arrived" })).toEqual([]);
  });

  test.each<[string, Partial<TemplateDefinition>, RegExp]>([
    [
      "a slot more",
      { body: "Hi {{1}}, order {{2}} of {{3}} is here" },
      /: body had \{\{1\}\}, \{\{2\}\} and now has \{\{1\}\}, \{\{2\}\}, \{\{3\}\}\./,
    ],
    ["a slot less", { body: "Hi {{1}}, it is here" }, /: body had \{\{1\}\}, \{\{2\}\} and now has \{\{1\}\}\./],
    ["no address with a variable", { buttons: [] }, /: button_url had \{\{1\}\} and now has no slot\./],
    ["a header with one", { header: { format: "TEXT", text: "Order {{1}}" } }, /: header had no slot and now has \{\{1\}\}\./],
  ])("%s", (_, change, problem) => {
    expect(changed(change)[0]).toMatch(problem);
  });

  test("all that changed is told", () => {
    expect(changed({ body: "Hi {{1}}, it is here", buttons: [] })[0]).toMatch(/ now has \{\{1\}\}; button_url had /);
  });

  test("names that changed places are told by their order alone", () => {
    const named = { ...definition, parameterFormat: "NAMED" as const, body: "Hi {{name}}, order {{number}} is here" };
    const turned = { ...named, body: "Order {{number}} of {{name}} is here" };
    expect(bindingProblems(whole, turned, "approved", slotNames(named))).toEqual([
      "The template has changed since the binding was saved: body had {{name}}, {{number}} and now has {{number}}, {{name}}. Check its slots and save it again.",
    ]);
    expect(bindingProblems(whole, turned, "approved", slotNames(turned))).toEqual([]);
  });

  test("without a note of the slots, only those that are gone can be told", () => {
    const body = "Hi {{1}}, it is here";
    expect(bindingProblems(whole, { ...definition, body }, "approved")).toEqual([
      expect.stringContaining("body.2: the template has 1 body slot."),
    ]);
  });
});

describe("mapErrors", () => {
  test("none for slots that the template has, all or some", () => {
    expect(mapErrors(whole, definition)).toEqual([]);
    expect(mapErrors({ body: { "2": x } }, definition)).toEqual([]);
    expect(mapErrors({}, definition)).toEqual([]);
  });

  test("slots that the template lacks", () => {
    expect(mapErrors({ header: { "1": x }, body: { "1": x, "3": x }, button_url: { "2": x } }, definition)).toEqual([
      "header.1: the template has no header slot",
      "body.3: the template has 2 body slots",
      "button_url.2: the template has 1 button_url slot",
    ]);
  });
});
