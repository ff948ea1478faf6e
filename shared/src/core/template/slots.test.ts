import { describe, expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import type { TemplateDefinition } from "./definition.ts";
import { cutAtSlots, fillSlots, slotCounts, slotNames, slotNamesOf, urlSlotsOf } from "./slots.ts";

const template = (parts: Partial<TemplateDefinition>): TemplateDefinition => ({
  parameterFormat: "POSITIONAL",
  header: null,
  body: "",
  footer: null,
  buttons: [],
  examples: { header: [], body: [], buttonUrl: [] },
  ...parts,
});

describe("slotNames", () => {
  test("positional: up to the highest number, however often and in whatever order they stand", () => {
    const definition = template({ header: { format: "TEXT", text: "{{1}}" }, body: "a {{2}} b {{1}} c {{2}}" });
    expect(slotNames(definition)).toEqual({ header: ["1"], body: ["1", "2"], buttonUrl: [] });
  });

  test("named: in the order in which they first appear", () => {
    const definition = template({
      parameterFormat: "NAMED",
      header: { format: "TEXT", text: "{{shop}}" },
      body: "{{last}} {{first_1}} {{last}} {{1}}",
    });
    expect(slotNames(definition)).toEqual({ header: ["shop"], body: ["last", "first_1", "1"], buttonUrl: [] });
  });

  test("what looks like a slot and is none", () => {
    const body = "{{0}} {{ 1 }} {1} {{a}} {{1000}} {{}} {{-1}} {{1}";
    expect(slotCounts(template({ body }))).toEqual({ header: 0, body: 0, buttonUrl: 0 });
    expect(slotCounts(template({ body: "{{1}} {{1000}}" })).body).toBe(1);
  });

  test("media headers and static buttons have none", () => {
    const definition = template(data("shared-core-template-slots", "media headers and static buttons have none"));
    expect(slotCounts(definition)).toEqual({ header: 0, body: 0, buttonUrl: 0 });
  });
});

test("URL slots are numbered among themselves and know their place among all buttons", () => {
  const definition = template(data("shared-core-template-slots", "URL slots are numbered among themselves and know their p"));
  expect(slotNames(definition).buttonUrl).toEqual(["1", "2"]);
  expect(urlSlotsOf(definition)).toEqual([
    { index: 2, fixed: "https://shop.example/t/", rest: "" },
    { index: 3, fixed: "https://shop.example/", rest: "/end" },
  ]);
});

describe("fillSlots", () => {
  const fill = (text: string, format: "POSITIONAL" | "NAMED", values: string[]) =>
    fillSlots(cutAtSlots(text, format), values, slotNamesOf(text, format));

  test.each(data<[string, string[], string][]>("core-template-slots", "s with j"))("%s with %j", (text, values, filled) => {
    expect(fill(text, "POSITIONAL", values)).toBe(filled);
  });

  test("named", () => {
    expect(fill("{{b}} {{a}} {{b}}", "NAMED", ["1", "2"])).toBe("1 2 1");
  });

  test.each(["{{", "{{1", "{{1}}", "}", "{{{1}}}"])("a megabyte of %j does not hold anything up", (part) => {
    const text = part.repeat(2 ** 20 / part.length);
    expect(fill(text, "POSITIONAL", [])).toBe(text);
    expect(fill(text, "NAMED", [])).toBe(text);
  });
});
