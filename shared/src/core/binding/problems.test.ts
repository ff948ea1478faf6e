import { describe, expect, test } from "vitest";
import type { TemplateDefinition } from "../template/definition.ts";
import type { VariableMap } from "../varspec/schema.ts";
import { mapErrors } from "./map-errors.ts";
import { bindingProblems } from "./problems.ts";

const definition: TemplateDefinition = {
  parameterFormat: "POSITIONAL",
  header: null,
  body: "Hi {{1}}, order {{2}} is here",
  footer: null,
  buttons: [{ type: "URL", text: "Go", url: "https://shop.example/{{1}}" }],
  examples: { header: [], body: [], buttonUrl: [] },
};
const x = { source: "static" as const, value: "x" };
const whole: VariableMap = { body: { "1": x, "2": x }, button_url: { "1": x } };

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

  test.each([
    ["draft", "The template is a draft: submit it for approval."],
    ["pending", "The template waits for the platform's approval."],
    ["rejected", "The template was rejected: change it and submit it again."],
    ["paused", "The platform has paused the template."],
    ["disabled", "The platform has disabled the template: use another one."],
  ] as const)("a template that is %s", (status, problem) => {
    expect(bindingProblems(whole, definition, status)).toEqual([problem]);
  });

  test("a template that no message can be made of", () => {
    expect(bindingProblems(whole, { ...definition, header: { format: "OTHER", type: "LOCATION" } }, "approved")).toEqual([
      expect.stringMatching(/^The template cannot be sent: its header is of type LOCATION/),
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
