import fc from "fast-check";
import { expect, test, describe } from "vitest";
import { scaled } from "../../../../test/faults/harness/scale.ts";
import { hostileText } from "../../../../test/support/arbitrary/json.ts";
import { data } from "../../../../test/support/data.ts";
import { describeReason } from "../reason.ts";
import { textLength } from "../text.ts";
import type { TemplateDefinition } from "./definition.ts";
import { unsendable, cleanText, buildComponents, renderText, tooLong } from "./message.ts";

describe("unsendable", () => {
  const definition: TemplateDefinition = data("shared-core-template-message", "definition");
  const copy = { type: "OTHER", kind: "COPY_CODE", text: "Copy" } as const;
  const file = { id: "file-1", name: "a.png", mediaId: null };

  test.each(data<Partial<TemplateDefinition>[]>("core-template-message", "a message can be made of"))(
    "a message can be made of %j",
    (change) => {
      expect(unsendable({ ...definition, ...change })).toBeNull();
    },
  );

  test.each<[Partial<TemplateDefinition>, RegExp]>([
    [
      { header: { format: "OTHER", type: "LOCATION" } },
      /^The template cannot be sent: its header is of type LOCATION, .*; use a template without it\.$/,
    ],
    [
      { header: { format: "VIDEO", url: null } },
      /: its VIDEO header has no file to send: add one to the template, by address or upload\.$/,
    ],
    [{ header: { format: "IMAGE", url: null, file } }, /: WhatsApp does not have its header's file a\.png yet: sync the templates\.$/],
    ...["https://shop.example{{1}}", "https://{{1}}", "{{1}}", "https://shop.example:{{1}}/a", "https://a@{{1}}"].map(
      (url): [Partial<TemplateDefinition>, RegExp] => [
        { buttons: [{ type: "URL", text: "Go", url }] },
        /: the variable of its button "Go" could change the server/,
      ],
    ),
    [
      { buttons: [{ ...copy, kind: "CAROUSEL", text: "", needsParameter: true }] },
      /: it has a carousel of cards \(CAROUSEL\), which cannot/,
    ],
    [
      {
        buttons: [
          { ...copy, needsParameter: true },
          { ...copy, kind: "LIMITED_TIME_OFFER", text: "", needsParameter: true },
        ],
      },
      /: it has an offer that ends \(LIMITED_TIME_OFFER\), which cannot/,
    ],
    [{ buttons: [{ ...copy, kind: "ODD", text: "", needsParameter: true }] }, /: it has a part of type ODD, which cannot/],
    [{ buttons: [{ ...copy, needsParameter: true }] }, /: its button "Copy" needs a value .*; use a template without it\.$/],
  ])("none can be made of %j", (change, reason) => {
    const found = unsendable({ ...definition, ...change });
    expect(found && describeReason(found)).toMatch(reason);
  });
});

describe("clean text", () => {
  test.each(data<[string, string][]>("core-template-message", "is sent as"))("%j is sent as %j", (value, sent) => {
    expect(cleanText(value)).toBe(sent);
  });

  test("what is left is what the platform takes, and stays when cleaned again", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(hostileText, (value) => {
        const sent = cleanText(value);
        expect(sent).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029]|\p{Zs}{2}|^\s|\s$/u);
        expect(cleanText(sent)).toBe(sent);
      }),
      { seed: 6, numRuns: scaled(400, 2_000) },
    );
  });

  test.each([" ", "\n", "\ud800", "\0", "a\n", " \n"])("a megabyte of %j does not hold anything up", (part) => {
    expect(cleanText(part.repeat(2 ** 20 / part.length))).not.toMatch(/\n/);
  });
});

describe("render", () => {
  const full = data<TemplateDefinition>("core-template-message", "full");
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

  test("a body is too long exactly if its text is, however often a slot is mentioned", () => {
    const mention = fc.constantFrom("{{1}}", "{{2}}", "Hello ");
    const value = fc.integer({ min: 1, max: 700 }).map((length) => "😀x".repeat(length).slice(0, length));
    fc.assert(
      fc.property(fc.array(mention, { minLength: 1, maxLength: 6 }), value, value, (pieces, one, two) => {
        const definition: TemplateDefinition = { ...bare, footer: null, body: pieces.join("") };
        const filled = { header: [], body: [one, two], buttonUrl: [] };
        const length = textLength(renderText(definition, filled));
        expect(tooLong(definition, filled)).toEqual(
          length > 1024 ? { code: "too_long", group: "body", button: null, length, limit: 1024 } : null,
        );
      }),
    );
  });

  test("components: string index over all buttons, nothing for static parts", () => {
    expect(buildComponents(full, slots)).toEqual(
      data("core-template-message", "components string index over all buttons, nothing for static"),
    );
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
    expect(buildComponents(named, slots)).toEqual(
      data("core-template-message", "components of a named template carry the names, except on bu"),
    );
  });

  type Linked = ["IMAGE" | "VIDEO" | "DOCUMENT", string, unknown];
  test.each(data<Linked[]>("core-template-message", "a header goes by link"))(
    "a %s header of %s goes by link",
    (format, url, parameter) => {
      expect(buildComponents({ ...bare, header: { format, url } }, none)).toEqual([{ type: "header", parameters: [parameter] }]);
    },
  );

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
});
