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

  test.each(data<[string, TemplateInput][]>("core-template-check", "is taken"))("takes %s", (_, input) => {
    expect(checkTemplate(input)).toEqual([]);
  });

  test.each(data<[Partial<TemplateInput>, string, RegExp][]>("core-template-check", "is refused at a field"))(
    "refuses %o at %s",
    (change, field, message) => {
      const faults = checkTemplate({ ...plain, ...change });
      expect(faults.map((fault) => fault.field)).toEqual([field]);
      expect(messagesOf(faults)[0]).toMatch(message);
    },
  );

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
