import { expect, test } from "vitest";
import type { TemplateDefinition } from "../definition.ts";
import { unsendable } from "./unsendable.ts";

const definition: TemplateDefinition = {
  parameterFormat: "POSITIONAL",
  header: null,
  body: "Thanks.",
  footer: null,
  buttons: [],
  examples: { header: [], body: [], buttonUrl: [] },
};
const copy = { type: "OTHER", kind: "COPY_CODE", text: "Copy" } as const;
const file = { id: "file-1", name: "a.png", mediaId: null };

test.each<Partial<TemplateDefinition>>([
  {},
  { header: { format: "TEXT", text: "Hi" } },
  { header: { format: "IMAGE", url: "https://cdn.example/a.png" } },
  { header: { format: "IMAGE", url: null, file: { ...file, mediaId: "media-1" } } },
  {
    buttons: [
      { ...copy, needsParameter: false },
      { type: "QUICK_REPLY", text: "Help" },
    ],
  },
])("a message can be made of %j", (change) => {
  expect(unsendable({ ...definition, ...change })).toBeNull();
});

test.each<[Partial<TemplateDefinition>, RegExp]>([
  [{ header: { format: "OTHER", type: "LOCATION" } }, /^its header is of type LOCATION, .*; use a template without it$/],
  [{ header: { format: "VIDEO", url: null } }, /^its VIDEO header has no file to send; give the template one, by address or upload$/],
  [{ header: { format: "IMAGE", url: null, file } }, /^the platform does not have its header's file a\.png yet; sync the templates$/],
  [{ buttons: [{ ...copy, needsParameter: true }] }, /^its button "Copy" needs a value .*; use a template without it$/],
])("none can be made of %j", (change, reason) => {
  expect(unsendable({ ...definition, ...change })).toMatch(reason);
});
