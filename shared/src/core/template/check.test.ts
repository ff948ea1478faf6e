import { describe, expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { templateInputSchema } from "../input/templates.ts";
import { describeReason, type Reason } from "../reason.ts";
import {
  checkTemplate,
  type TemplateInput,
  templateWarnings,
  checkExamples,
  blankedVariables,
  variableMark,
  variableFaults,
  checkBody,
  checkButtons,
  checkHeader,
  hostOf,
  isHttpUrl,
} from "./check.ts";
import { type TemplateDefinition } from "./definition.ts";
import { toDefinition } from "./draft.ts";
import { languages } from "./platform-limits.ts";

const messagesOf = (faults: { reason: Reason }[]): string[] => faults.map(({ reason }) => describeReason(reason));

describe("check", () => {
  const valid = data<TemplateInput>("core-template-check", "valid");
  const plain: TemplateInput = { name: "thanks", language: "en", category: "MARKETING", body: "Thanks for your order." };
  const url = (address: string): TemplateInput["buttons"] => [{ type: "URL", text: "Go", url: address }];
  const replies = (count: number): { type: "QUICK_REPLY"; text: string }[] =>
    Array.from({ length: count }, (_, index) => ({ type: "QUICK_REPLY", text: `R${index}` }));

  test.each<[string, TemplateInput]>([
    ["all parts", valid],
    ["a body alone", plain],
    ["nulls and empties", { ...plain, header: null, footer: null, buttons: null, examples: null }],
    ["an empty footer", { ...plain, footer: "", buttons: [], examples: {} }],
    ["media", { ...plain, header: { format: "IMAGE", url: "https://cdn.example/a.png" } }],
    ["an uploaded file", { ...plain, header: { format: "DOCUMENT", fileId: "019aa000-0000-7000-8000-000000000001" } }],
    ["a single underscore", { ...plain, header: { format: "TEXT", text: "Order no_1" } }],
    ["a phone with a country code and spaces", { ...plain, buttons: [{ type: "PHONE_NUMBER", text: "Call", phone: "+49 (30) 12-34" }] }],
    [
      "limits reached",
      {
        ...plain,
        name: "n".repeat(512),
        header: { format: "TEXT", text: "h".repeat(60) },
        body: "b".repeat(1024),
        footer: "f".repeat(60),
        buttons: replies(10),
      },
    ],
    ["characters counted, not halves", { ...plain, body: `${"ß".repeat(1022)}𝒳𝒴` }],
    ["a label of 25", { ...plain, buttons: [{ type: "QUICK_REPLY", text: "l".repeat(25) }] }],
    ["ten emoji, sequences as one", { ...plain, body: `Thanks ${"👩‍👩‍👧".repeat(9)}🇩🇪 ok` }],
    ["two line breaks", { ...plain, body: "a\n\nb\r\n\r\nc" }],
    ["WhatsApp markup in the body", { ...plain, body: "*Thanks* _for_ ~your~ `order`" }],
    ["a repeated variable", { ...plain, body: "Hi {{1}}, dear {{1}}, yes", examples: { body: ["Ada"] } }],
    ["variables that end before a full stop", { ...plain, body: "Hi {{1}}, order {{2}}.", examples: { body: ["Ada", "7"] } }],
    [
      "two URL buttons",
      {
        ...plain,
        buttons: [...(url("https://a.example/") ?? []), ...(url("http://b.example:8080/x?y={{1}}") ?? [])],
        examples: { buttonUrl: ["1"] },
      },
    ],
    ["a host that only resembles", { ...plain, buttons: url("https://notwa.me.example/whatsapp.com") }],
  ])("takes %s", (_, input) => {
    expect(checkTemplate(input)).toEqual([]);
  });

  test.each<[Partial<TemplateInput>, string, RegExp]>([
    [{ name: "" }, "name", /lower-case/],
    [{ name: "Order-Shipped" }, "name", /lower-case/],
    [{ name: "n".repeat(513) }, "name", /512/],
    [{ name: "hello_world" }, "name", /reserved/],
    [{ name: "sample_flight" }, "name", /reserved/],
    [{ language: "pt-BR" }, "language", /use pt_BR/],
    [{ language: "no" }, "language", /use nb/],
    [{ language: "pt" }, "language", /pt_BR or pt_PT/],
    [{ language: "constructor" }, "language", /not a WhatsApp language code/],
    [{ language: "EN" }, "language", /use en/],
    [{ category: "PROMOTION" }, "category", /UTILITY or MARKETING/],
    [{ category: "AUTHENTICATION" }, "body", /must be left out/],
    [{ header: { format: "TEXT", text: " " } }, "header.text", /empty/],
    [{ header: { format: "TEXT", text: "h".repeat(61) } }, "header.text", /60/],
    [{ header: { format: "TEXT", text: "a\nb" } }, "header.text", /one line/],
    [{ header: { format: "TEXT", text: "Hi 😀" } }, "header.text", /emoji/],
    [{ header: { format: "TEXT", text: "*Hi*" } }, "header.text", /markup/],
    [{ header: { format: "TEXT", text: "_Hi_" } }, "header.text", /markup/],
    [{ header: { format: "TEXT", text: "{{1}} and {{2}}" }, examples: { header: ["a", "b"] } }, "header.text", /at most one/],
    [{ header: { format: "TEXT", text: "Hi {{name}}" } }, "header.text", /malformed/],
    [{ header: { format: "IMAGE", url: "ftp://cdn.example/a.png" } }, "header.url", /http/],
    [{ header: { format: "VIDEO", url: "" } }, "header.url", /http/],
    [{ header: { format: "DOCUMENT", url: `https://cdn.example/${"a".repeat(2000)}` } }, "header.url", /2000/],
    [{ header: { format: "IMAGE" } }, "header.url", /must be given/],
    [{ header: { format: "IMAGE", url: "https://cdn.example/a.png", fileId: "x" } }, "header.fileId", /given together/],
    [{ header: { format: "TEXT", text: "a\u2028b" } }, "header.text", /one line/],
    [{ header: { format: "TEXT", text: "~Hi~" } }, "header.text", /markup/],
    [{ header: { format: "TEXT", text: "`Hi`" } }, "header.text", /markup/],
    [{ header: { format: "TEXT", text: "Hi {{2}}" }, examples: { header: ["a", "b"] } }, "header.text", /without gaps/],
    [{ header: { format: "TEXT", text: "Order {{1}}" } }, "examples.header", /one example/],
    [{ header: { format: "TEXT", text: "Order {{1}}" }, examples: { header: ["7".repeat(60)] } }, "examples", /header: 66 characters/],
    [{ body: "" }, "body", /empty/],
    [{ body: " \n" }, "body", /empty/],
    [{ body: "b".repeat(1025) }, "body", /1024/],
    [{ body: "a\n\n\nb" }, "body", /line breaks/],
    [{ body: "a\r\n\r\n\r\nb" }, "body", /line breaks/],
    [{ body: `Hi ${"😀".repeat(11)}` }, "body", /10 emoji/],
    [{ body: "{{1}}, hello you", examples: { body: ["Ada"] } }, "body", /begin or end/],
    [{ body: "Hello you {{1}} ", examples: { body: ["Ada"] } }, "body", /begin or end/],
    [{ body: "Hi {{1}} and {{3}} there", examples: { body: ["a", "b", "c"] } }, "body", /without gaps/],
    [{ body: "Hi {{0}} there" }, "body", /without gaps/],
    [{ body: "Hi {{1}}{{2}} there", examples: { body: ["a", "b"] } }, "body", /between/],
    [{ body: "Hi {{name}} there" }, "body", /malformed/],
    [{ body: "Hi {{ 1 }} there" }, "body", /malformed/],
    [{ body: "Hi {{1} there" }, "body", /malformed/],
    [{ body: "Hi {{{1}}} there", examples: { body: ["a"] } }, "body", /malformed/],
    [{ body: "Hi {{#1}} there" }, "body", /malformed/],
    [{ body: "Hi {{$1}} there" }, "body", /malformed/],
    [{ body: "Hi {{%1}} there" }, "body", /malformed/],
    [{ body: "Hi {{1} there}} you" }, "body", /malformed/],
    [{ body: "Hi {{01}} there" }, "body", /without gaps/],
    [{ body: "- {{1}} -", examples: { body: ["a"] } }, "body", /too many variables/],
    [{ body: "Hi {{1}} {{2}} {{3}} ok", examples: { body: ["a", "b", "c"] } }, "body", /too many variables/],
    [{ footer: "f".repeat(61) }, "footer", /60/],
    [{ footer: "a\nb" }, "footer", /one line/],
    [{ footer: "Bye 👋" }, "footer", /emoji/],
    [{ footer: "Bye {{1}}" }, "footer", /variables/],
    [{ footer: "  " }, "footer", /empty/],
    [{ buttons: replies(11) }, "buttons", /10/],
    [{ buttons: [...replies(1), { type: "PHONE_NUMBER", text: "Call", phone: "+4930123456" }, ...replies(1)] }, "buttons", /together/],
    [{ buttons: ["a", "b", "c"].map((text) => ({ type: "URL" as const, text, url: "https://a.example" })) }, "buttons", /2 URL/],
    [{ buttons: ["a", "b"].map((text) => ({ type: "PHONE_NUMBER" as const, text, phone: "+4930123456" })) }, "buttons", /one phone/],
    [{ buttons: [{ type: "QUICK_REPLY", text: "" }] }, "buttons.0.text", /empty/],
    [{ buttons: [...replies(1), { type: "QUICK_REPLY", text: "l".repeat(26) }] }, "buttons.1.text", /25/],
    [{ buttons: [{ type: "QUICK_REPLY", text: "Hi {{1}}" }] }, "buttons.0.text", /without variables/],
    [{ buttons: [{ type: "PHONE_NUMBER", text: "Call", phone: "call me" }] }, "buttons.0.phone", /phone number/],
    [{ buttons: [{ type: "PHONE_NUMBER", text: "Call", phone: "1".repeat(21) }] }, "buttons.0.phone", /20/],
    [{ buttons: url("shop.example") }, "buttons.0.url", /http/],
    [{ buttons: url("https://shop.example/a b") }, "buttons.0.url", /http/],
    [{ buttons: url(`https://shop.example/${"u".repeat(1980)}`) }, "buttons.0.url", /2000/],
    [{ buttons: url("https://{{1}}"), examples: { buttonUrl: ["a"] } }, "buttons.0.url", /http/],
    [{ buttons: url("https://shop.example/{{1}}/x"), examples: { buttonUrl: ["a"] } }, "buttons.0.url", /very end/],
    [{ buttons: url("https://shop.example/{{2}}"), examples: { buttonUrl: ["a"] } }, "buttons.0.url", /very end/],
    [{ buttons: url("https://shop.example/{{1}}{{1}}"), examples: { buttonUrl: ["a"] } }, "buttons.0.url", /very end/],
    [{ buttons: url("https://WA.me/49170") }, "buttons.0.url", /wa\.me/],
    [{ buttons: url("https://user@api.whatsapp.com:443/send") }, "buttons.0.url", /wa\.me/],
    [{ buttons: [{ type: "URL", text: "l".repeat(26), url: "https://a.example" }] }, "buttons.0.text", /25/],
    [{ buttons: [{ type: "PHONE_NUMBER", text: "a\nb", phone: "+4930123456" }] }, "buttons.0.text", /one line/],
    [
      { buttons: url(`https://shop.example/${"u".repeat(1970)}{{1}}`), examples: { buttonUrl: ["7".repeat(10)] } },
      "examples",
      /button_url \{\{1\}\}: 2001 characters/,
    ],
    [{ body: "Hi {{1}} there" }, "examples.body", /one example for each variable: 1/],
    [{ body: "Hi {{1}} there", examples: { body: ["a", "b"] } }, "examples.body", /one example/],
    [{ body: "Hi {{1}} there", examples: { body: [" "] } }, "examples.body.0", /empty/],
    [{ examples: { header: ["a"] } }, "examples.header", /no variable/],
    [{ buttons: url("https://shop.example/{{1}}") }, "examples.buttonUrl", /one example/],
    [{ body: "Hi {{1}} there", examples: { body: ["x".repeat(1024)] } }, "examples", /body: 1033 characters/],
  ])("refuses %o at %s", (change, field, message) => {
    const faults = checkTemplate({ ...plain, ...change });
    expect(faults.map((fault) => fault.field)).toEqual([field]);
    expect(messagesOf(faults)[0]).toMatch(message);
  });

  test("the list of languages is whole and each is taken", () => {
    expect(languages).toHaveLength(new Set(languages).size);
    expect(languages.length).toBe(111);
    expect(languages.every((language) => checkTemplate({ ...plain, language }).length === 0)).toBe(true);
  });

  describe("templateInputSchema", () => {
    test("takes what the rules take", () => {
      expect(templateInputSchema.parse(valid)).toEqual(valid);
    });

    test("names the field of a broken rule in path and message", () => {
      const issues = templateInputSchema.safeParse({ ...plain, buttons: url("shop.example") }).error?.issues;
      expect(issues?.map(({ path, message }) => [path, message])).toEqual([
        [["buttons", 0, "url"], "buttons.0.url: must be an http or https address of at most 2000 characters"],
      ]);
    });

    test("takes a draft whose examples are still to come, and no wrong ones", () => {
      const draft = { ...plain, body: "Hi {{1}} there" };
      expect(templateInputSchema.safeParse(draft).success).toBe(true);
      expect(checkTemplate(draft)).toMatchObject([{ field: "examples.body", awaited: true }]);
      expect(templateInputSchema.safeParse({ ...draft, examples: { body: ["a", "b"] } }).success).toBe(false);
    });

    test("refuses other shapes", () => {
      expect(templateInputSchema.safeParse({ ...plain, bodyy: "x" }).success).toBe(false);
      expect(templateInputSchema.safeParse({ ...plain, header: { format: "LOCATION" } }).success).toBe(false);
      expect(templateInputSchema.safeParse({ ...plain, buttons: [{ type: "COPY_CODE", text: "x" }] }).success).toBe(false);
      expect(templateInputSchema.safeParse({ ...plain, body: 1 }).success).toBe(false);
    });
  });
});

describe("input", () => {
  test("a name is of its letters from end to end", () => {
    for (const name of ["order!", "!order", "order shipped", "order\n"]) {
      const issues = templateInputSchema.safeParse({ name, language: "en", category: "UTILITY", body: "Thanks." }).error?.issues;
      expect(issues?.map((issue) => issue.message)).toEqual(["name: must contain only lower-case letters a-z, digits and underscores"]);
    }
  });

  test("an issue's path has numbers for the places in a list, of any length", () => {
    const body = Array.from({ length: 11 }, (_, index) => `some word {{${index + 1}}}`).join(", ");
    const examples = { body: Array.from({ length: 11 }, (_, index) => (index === 10 ? "" : "x")) };
    const input = { name: "a", language: "en", category: "UTILITY", body: `${body}.`, examples };
    expect(templateInputSchema.safeParse(input).error?.issues).toMatchObject([
      { code: "custom", path: ["examples", "body", 10], message: "examples.body.10: must not be empty" },
    ]);
  });
});

describe("warnings", () => {
  const reply = (text: string) => ({ type: "QUICK_REPLY" as const, text });
  const link = { type: "URL" as const, text: "Go", url: "https://shop.example" };

  test.each<[string, Partial<TemplateDefinition>, RegExp[]]>([
    ["a plain one", {}, []],
    ["words behind the last variable", { body: "Your order is {{1}}, thanks." }, []],
    ["a full stop alone", { body: "Your order is {{1}}." }, [/^body: only punctuation/]],
    ["exclamation marks alone", { body: "Your order is {{1}}!!" }, [/^body: only punctuation/]],
    ["a link", { buttons: [link] }, []],
    ["three replies", { buttons: ["a", "b", "c"].map(reply) }, []],
    ["a reply and a link", { buttons: [reply("a"), link] }, [/desktops/]],
    ["four replies", { buttons: ["a", "b", "c", "d"].map(reply) }, [/See all options/, /desktops/]],
  ])("%s", (_, change, expected) => {
    const definition = { ...toDefinition({ name: "a", language: "en", category: "UTILITY", body: "All is well." }), ...change };
    expect(templateWarnings(definition).map((warning) => describeReason(warning))).toEqual(
      expected.map((pattern) => expect.stringMatching(pattern)),
    );
  });
});

describe("check examples", () => {
  const template = { name: "a", language: "en", category: "UTILITY", body: "Hi {{1}} and {{2}}." };
  const button = (url: string) => ({ type: "URL" as const, text: "See", url });
  const missing = (part: string) => ({ field: `examples.${part}`, reason: { code: "examples_missing", count: 1 }, awaited: true });

  test("a text that is as long as it may be with its variable still wants an example", () => {
    const header = { format: "TEXT" as const, text: "{{1}}".padStart(60, "h") };
    const body = "{{1}}".padStart(1024, "b");
    const buttons = [button("https://shop.example/".padEnd(1995, "u") + "{{1}}")];
    expect(checkExamples({ ...template, header, body, buttons })).toEqual([missing("header"), missing("body"), missing("buttonUrl")]);
  });

  test("what is wrong with single examples is told before the length of their message", () => {
    expect(checkExamples({ ...template, examples: { body: ["x".repeat(1024), " "] } })).toEqual([
      { field: "examples.body.1", reason: { code: "empty" } },
    ]);
  });

  test("examples without a variable are refused, not only missed", () => {
    const examples = { body: ["a", "b"], buttonUrl: ["x"] };
    expect(checkExamples({ ...template, examples, buttons: [button("https://shop.example/")] })).toEqual([
      { field: "examples.buttonUrl", reason: { code: "examples_unneeded" } },
    ]);
  });
});

describe("variables", () => {
  const [malformed, gaps, neighbours] = ["variable_malformed", "variables_with_gaps", "variables_adjacent"];
  const upTo = (count: number): string => Array.from({ length: count }, (_, index) => `{{${index + 1}}}`).join(" ");

  test("a text's variables become a character that the text itself does not hold", () => {
    expect(blankedVariables(`a\0b {{1}} {{12}} {{x}} {1}`)).toBe(`ab ${variableMark} ${variableMark} {{x}} {1}`);
  });

  test.each([
    ["", []],
    [upTo(12), []],
    ["{{2}} and {{1}} and {{2}}", []],
    ["{1} } {", []],
    [`${upTo(9)} {{11}}`, [gaps]],
    ["{{01}}", [gaps]],
    ["{{1}}{{2}}", [neighbours]],
    ["{{1}}{{1}} {{3}}", [gaps, neighbours]],
    ["{{1}} {{", [malformed]],
    ["{{1}} }}", [malformed]],
    ["{{{1}}", [malformed]],
    ["{{1}}}", [malformed]],
    ["{{1}}{{2}} {{x}}", [malformed]],
  ])("%j: %j", (text, faults) => {
    expect(variableFaults(text).map(({ code }) => code)).toEqual(faults);
  });
});

describe("check texts", () => {
  test.each(data<[string, string[]][]>("core-template-check", "the body j j"))("the body %j: %j", (body, expected) => {
    expect(messagesOf(checkBody(body))).toEqual(expected);
  });

  test.each(data<[string, string[]][]>("core-template-check", "the header"))("the header %j: %j", (text, expected) => {
    expect(messagesOf(checkHeader({ format: "TEXT", text }))).toEqual(expected);
  });
});

describe("http url", () => {
  test.each(data<[string, string][]>("core-template-check", "the host of is"))("the host of %s is %s", (url, host) => {
    expect(hostOf(url)).toBe(host);
    expect(isHttpUrl(url)).toBe(true);
  });

  test.each(data<string[]>("core-template-check", "is no http address"))("%j is no http address", (url) => {
    expect(hostOf(url)).toBeNull();
    expect(isHttpUrl(url)).toBe(false);
  });
});

const reply = { type: "QUICK_REPLY", text: "Help" } as const;
const call = { type: "PHONE_NUMBER", text: "Call", phone: "+4930123456" } as const;
const open = { type: "URL", text: "Open", url: "https://shop.example/" } as const;

test.each([[[reply, call]], [[call, reply]], [[reply, reply, call, open]], [[call, open, reply, reply]], [[reply]], [[]]])(
  "replies stand together in %j",
  (buttons) => {
    expect(checkButtons(buttons)).toEqual([]);
  },
);

test.each([[[reply, call, reply]], [[call, reply, open]], [[reply, call, open, reply]]])("replies stand apart in %j", (buttons) => {
  expect(checkButtons(buttons)).toEqual([{ field: "buttons", reason: { code: "replies_apart" } }]);
});

test.each(["030 (12) 34-56", "+1", "1".repeat(20)])("%j is a number to call", (phone) => {
  expect(checkButtons([{ ...call, phone }])).toEqual([]);
});

test.each(["", "+", "x30", "30x", " 30", "++30", "1".repeat(21)])("%j is no number to call", (phone) => {
  expect(checkButtons([{ ...call, phone }])).toEqual([{ field: "buttons.0.phone", reason: { code: "no_phone_number", limit: 20 } }]);
});

test.each([
  [" ", "must not be empty"],
  ["l".repeat(26), "must be at most 25 characters long"],
  ["a\nb", "must be one line without variables"],
  ["a\rb", "must be one line without variables"],
  ["{", "must be one line without variables"],
])("the label %j: %s", (text, message) => {
  const faults = checkButtons([call, { ...reply, text }]);
  expect([faults.map(({ field }) => field), messagesOf(faults)]).toEqual([["buttons.1.text"], [message]]);
});
