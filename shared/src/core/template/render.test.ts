import { expect, test } from "vitest";
import type { TemplateDefinition } from "./definition.ts";
import { buildComponents } from "./message/build-components.ts";
import { renderText } from "./render.ts";

const full: TemplateDefinition = {
  parameterFormat: "POSITIONAL",
  header: { format: "TEXT", text: "Order {{1}}" },
  body: "Hi {{1}}, your order {{2}} is on its way.\nThanks, {{1}}!",
  footer: "Example shop",
  buttons: [
    { type: "QUICK_REPLY", text: "Help" },
    { type: "URL", text: "Shop", url: "https://shop.example/" },
    { type: "URL", text: "Track", url: "https://shop.example/t/{{1}}" },
    { type: "PHONE_NUMBER", text: "Call", phone: "+4930123456" },
    { type: "OTHER", kind: "COPY_CODE", text: "Copy", needsParameter: false },
  ],
  examples: { header: [], body: [], buttonUrl: [] },
};
const slots = { header: ["#7"], body: ["Ada", "#7 {{1}}"], buttonUrl: ["77?a=b"] };
const bare: TemplateDefinition = { ...full, header: null, body: "Thanks.", footer: null, buttons: [] };
const none = { header: [], body: [], buttonUrl: [] };

test("the message as its recipient reads it", () => {
  expect(renderText(full, slots)).toBe(
    [
      "Order #7",
      "Hi Ada, your order #7 {{1}} is on its way.\nThanks, Ada!",
      "Example shop",
      "[Help]\n[Shop] https://shop.example/\n[Track] https://shop.example/t/77?a=b\n[Call] +4930123456\n[Copy]",
    ].join("\n\n"),
  );
});

test("a body alone, media, and slots without a value", () => {
  expect(renderText(bare, none)).toBe("Thanks.");
  expect(renderText({ ...bare, header: { format: "IMAGE", url: "https://shop.example/a.png" } }, none)).toBe(
    "[IMAGE] https://shop.example/a.png\n\nThanks.",
  );
  expect(renderText({ ...bare, header: { format: "VIDEO", url: null } }, none)).toBe("[VIDEO]\n\nThanks.");
  expect(renderText({ ...bare, header: { format: "OTHER", type: "LOCATION" } }, none)).toBe("[LOCATION]\n\nThanks.");
  expect(renderText(full, { header: [""], body: ["Ada", ""], buttonUrl: [""] })).toContain("Hi Ada, your order {{2}} is");
  expect(renderText(full, none)).toContain("[Track] https://shop.example/t/{{1}}");
});

test("components: string index over all buttons, nothing for static parts", () => {
  expect(buildComponents(full, slots)).toEqual([
    { type: "header", parameters: [{ type: "text", text: "#7" }] },
    {
      type: "body",
      parameters: [
        { type: "text", text: "Ada" },
        { type: "text", text: "#7 {{1}}" },
      ],
    },
    { type: "button", sub_type: "url", index: "2", parameters: [{ type: "text", text: "77?a=b" }] },
  ]);
  expect(buildComponents(bare, none)).toEqual([]);
  expect(buildComponents({ ...bare, header: { format: "TEXT", text: "News" } }, none)).toEqual([]);
});

test("components of a named template carry the names, except on buttons", () => {
  const named: TemplateDefinition = {
    ...full,
    parameterFormat: "NAMED",
    header: { format: "TEXT", text: "{{number}}" },
    body: "{{last}}, {{first}}: {{last}}",
  };
  expect(buildComponents(named, slots)).toEqual([
    { type: "header", parameters: [{ type: "text", parameter_name: "number", text: "#7" }] },
    {
      type: "body",
      parameters: [
        { type: "text", parameter_name: "last", text: "Ada" },
        { type: "text", parameter_name: "first", text: "#7 {{1}}" },
      ],
    },
    { type: "button", sub_type: "url", index: "2", parameters: [{ type: "text", text: "77?a=b" }] },
  ]);
});

test.each([
  ["IMAGE", "https://cdn.example/a.png", { type: "image", image: { link: "https://cdn.example/a.png" } }],
  ["VIDEO", "https://cdn.example/a.mp4", { type: "video", video: { link: "https://cdn.example/a.mp4" } }],
  [
    "DOCUMENT",
    "https://cdn.example/x/terms%20a.pdf?v=1#p",
    { type: "document", document: { link: "https://cdn.example/x/terms%20a.pdf?v=1#p", filename: "terms a.pdf" } },
  ],
  ["DOCUMENT", "https://cdn.example", { type: "document", document: { link: "https://cdn.example", filename: "document" } }],
  [
    "DOCUMENT",
    "https://cdn.example/%zz%0A.pdf",
    { type: "document", document: { link: "https://cdn.example/%zz%0A.pdf", filename: "%zz%0A.pdf" } },
  ],
] as const)("a %s header of %s goes by link", (format, url, parameter) => {
  expect(buildComponents({ ...bare, header: { format, url } }, none)).toEqual([{ type: "header", parameters: [parameter] }]);
});

test("other headers have no component", () => {
  expect(buildComponents({ ...bare, header: { format: "OTHER", type: "LOCATION" } }, none)).toEqual([]);
  expect(buildComponents({ ...bare, header: { format: "IMAGE", url: null } }, none)).toEqual([]);
  const file = { id: "f", name: "a.png", mediaId: null };
  expect(buildComponents({ ...bare, header: { format: "IMAGE", url: null, file } }, none)).toEqual([]);
});

test("a document without a name that can be shown is called one", () => {
  const file = { id: "f", name: " \n", mediaId: "9" };
  expect(buildComponents({ ...bare, header: { format: "DOCUMENT", url: null, file } }, none)).toEqual([
    { type: "header", parameters: [{ type: "document", document: { id: "9", filename: "document" } }] },
  ]);
});
