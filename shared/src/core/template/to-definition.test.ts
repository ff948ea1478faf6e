import { expect, test } from "vitest";
import type { TemplateDefinition } from "./definition.ts";
import type { TemplateInput } from "./input.ts";
import { toDefinition } from "./to-definition.ts";
import { toInput } from "./to-input.ts";

const named = { name: "thanks", language: "en", category: "UTILITY" };

test("fills in what the input leaves out, and writes line breaks one way", () => {
  expect(toDefinition({ ...named, body: "a\r\nb\rc", footer: "" })).toEqual({
    parameterFormat: "POSITIONAL",
    header: null,
    body: "a\nb\nc",
    footer: null,
    buttons: [],
    examples: { header: [], body: [], buttonUrl: [] },
  });
});

test("there and back", () => {
  const input: TemplateInput = {
    ...named,
    header: { format: "IMAGE", url: "https://cdn.example/a.png" },
    body: "Hi {{1}} there",
    footer: "Bye",
    buttons: [{ type: "URL", text: "Go", url: "https://shop.example/{{1}}" }],
    examples: { header: [], body: ["Ada"], buttonUrl: ["7"] },
  };
  expect(toInput({ ...named, definition: toDefinition(input) })).toEqual(input);
  for (const header of [null, { format: "TEXT" as const, text: "News" }]) {
    expect(toInput({ ...named, definition: toDefinition({ ...input, header }) })).toEqual({ ...input, header });
  }
});

test("an uploaded file goes by its id", () => {
  const input: TemplateInput = { ...named, header: { format: "VIDEO", fileId: "019aa000-0000-7000-8000-00000000abcd" }, body: "Thanks" };
  const definition = toDefinition(input);
  expect(definition.header).toEqual({
    format: "VIDEO",
    url: null,
    file: { id: "019aa000-0000-7000-8000-00000000abcd", name: "", mediaId: null },
  });
  expect(toInput({ ...named, definition })?.header).toEqual(input.header);
});

test.each<Partial<TemplateDefinition>>([
  { parameterFormat: "NAMED" },
  { header: { format: "OTHER", type: "LOCATION" } },
  { header: { format: "IMAGE", url: null } },
  { buttons: [{ type: "OTHER", kind: "FLOW", text: "Start", needsParameter: true }] },
])("a template with %j is no input", (change) => {
  const definition = { ...toDefinition({ ...named, body: "Thanks" }), ...change };
  expect(toInput({ ...named, definition })).toBeNull();
});
