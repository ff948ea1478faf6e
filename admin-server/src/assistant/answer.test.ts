import type { TemplateDefinition } from "shared/core/template/definition";
import type { UncheckedTemplate } from "shared/core/template/draft";
import { describe, expect, it } from "vitest";
import { data } from "../../../test/support/data.ts";
import { cleaned, foreignContacts, judgeBinding, judgeDraft, judgeTranslation } from "./answer.ts";

const draft = {
  name: "order_shipped",
  category: "UTILITY",
  header: "Order {{1}}",
  body: "Hello {{1}}, your order left our house today.",
  footer: "Example Shop",
  buttons: [{ type: "URL", text: "Track", url: "https://shop.example/t/{{1}}", phone: null }],
  examples: { header: ["A-1"], body: ["Anna"], buttonUrl: ["A-1"] },
};
const request = "Tell that the order left. Link to https://shop.example/t/ and call +49 30 1234567.";
const judge = (change: object) => judgeDraft({ ...draft, ...change }, { request, language: "en" });
const problemsOf = (judged: object): string => ("problems" in judged ? (judged.problems as string[]).join("\n") : "none");

describe("a draft", () => {
  it("that keeps all rules is a template", () => {
    expect(judge({})).toMatchObject({
      proposal: { name: "order_shipped", language: "en", header: { format: "TEXT", text: "Order {{1}}" } },
    });
    const phone = { type: "PHONE_NUMBER", text: "Call", url: null, phone: "+49301234567" };
    expect(judge({ buttons: [phone], examples: { ...draft.examples, buttonUrl: [] } })).toHaveProperty("proposal");
  });

  it.each<[string, object, RegExp]>([
    ["breaks a rule of the platform", { body: "{{1}} is here" }, /variable/],
    ["has more variables than examples", { body: "Hello {{1}}, it is {{2}} for you." }, /examples.body/],
    ["has another category", { category: "AUTHENTICATION" }, /category/],
    ["links elsewhere", { buttons: [{ ...draft.buttons[0], url: "https://evil.example/{{1}}" }] }, /evil.example/],
    [
      "links to a host that only ends alike",
      { buttons: [{ ...draft.buttons[0], url: "https://notshop.example/{{1}}" }] },
      /notshop.example/,
    ],
    ["links by user info", { buttons: [{ ...draft.buttons[0], url: "https://shop.example@evil.example/{{1}}" }] }, /evil.example/],
    ["has a link in its text", { body: "Hello {{1}}, see https://evil.example/now for it." }, /evil.example/],
    ["has a bare domain in its text", { body: "Hello {{1}}, see evil.example/now for it." }, /evil.example/],
    ["has a mail address in its text", { footer: "me@evil.example" }, /me@evil.example/],
    ["has a phone in its text", { body: "Hello {{1}}, call +1 202 555 0100 at once." }, /202 555/],
    [
      "has another phone in a button",
      { buttons: [{ type: "PHONE_NUMBER", text: "Call", url: null, phone: "+12025550100" }] },
      /12025550100/,
    ],
    ["has a link in an example", { examples: { ...draft.examples, body: ["https://evil.example"] } }, /evil.example/],
    ["has a script for an address", { buttons: [{ ...draft.buttons[0], url: "javascript:alert(1)" }] }, /http/],
    ["has a button without an address", { buttons: [{ ...draft.buttons[0], url: null }] }, /buttons/],
    ["has members that nobody asked for", { siteId: "019aa000-0000-7000-8000-000000000001" }, /siteId/],
    ["has a file", { header: { format: "IMAGE", url: "https://shop.example/a.png" } }, /header/],
    ["is too long", { body: `Hello {{1}} ${"word ".repeat(500)}` }, /body/],
  ])("is refused when it %s", (_, change, problem) => {
    expect(problemsOf(judge(change))).toMatch(problem);
  });

  it.each([null, "text", 5, [], { name: 1 }, { ...draft, body: null }])("is refused when it is none: %j", (answer) => {
    expect(problemsOf(judgeDraft(answer, { request, language: "en" }))).not.toBe("none");
  });

  it("loses what people would not see", () => {
    const [hidden, tag] = ["\u202e", "\u{e0041}"];
    const judged = judge({ body: `Hello${hidden} {{1}}, your order${tag} left our house today.` });
    expect(judged).toMatchObject({ proposal: { body: "Hello {{1}}, your order left our house today." } });
  });
});

it("an answer is looked at as deep and as long as answers are, whatever a model makes of it", () => {
  const deep = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`) as unknown;
  expect(JSON.stringify(cleaned(deep)).length).toBeLessThan(100);
  expect(problemsOf(judgeDraft(deep, { request, language: "en" }))).not.toBe("none");
  const judged = problemsOf(
    judge({ body: Array.from({ length: 5_000 }, (_, n) => `https://${n}.evil.example/${"x".repeat(500)}`).join(" ") }),
  );
  expect(judged.length).toBeLessThan(3_000);
});

describe("a translation", () => {
  const source = data<UncheckedTemplate>("admin-server-assistant-answer", "source");
  const german = {
    header: "Bestellung {{1}}",
    body: "Hallo {{1}}, die Bestellung {{2}} ist unterwegs. Mehr auf shop.example dazu.",
    footer: "Beispiel",
    buttons: ["Verfolgen", "Stopp"],
  };

  it("has the source's name, addresses and examples", () => {
    expect(judgeTranslation(german, source, "de")).toMatchObject({
      proposal: {
        name: "order_shipped",
        language: "de",
        category: "UTILITY",
        body: german.body,
        buttons: [{ type: "URL", text: "Verfolgen", url: "https://shop.example/t/{{1}}" }, { text: "Stopp" }],
        examples: source.examples,
      },
    });
  });

  it("of a template without examples leaves them to fill in", () => {
    const bare = { ...source, examples: { header: [], body: [], buttonUrl: [] } };
    expect(judgeTranslation(german, bare, "de")).toMatchObject({ proposal: { body: german.body, examples: bare.examples } });
  });

  it.each<[string, object, RegExp]>([
    ["loses a variable", { body: "Hallo {{1}}, die Bestellung ist unterwegs." }, /body: must hold the variables \{\{1\}\}, \{\{2\}\}/],
    ["gains a variable", { header: "Bestellung ohne" }, /header: must hold/],
    ["loses its footer", { footer: null }, /footer/],
    ["loses a button", { buttons: ["Verfolgen"] }, /must have 2 labels/],
    ["gains a link", { body: `${german.body} https://evil.example da` }, /evil.example/],
    ["sets an address", { buttons: [{ text: "x", url: "https://evil.example" }, "Stopp"] }, /buttons/],
    ["is too long", { header: `Bestellung {{1}} ${"x".repeat(60)}` }, /header/],
  ])("is refused when it %s", (_, change, problem) => {
    expect(problemsOf(judgeTranslation({ ...german, ...change }, source, "de"))).toMatch(problem);
  });
});

describe("a proposal for a binding", () => {
  const definition: TemplateDefinition = data("admin-server-assistant-answer", "definition");
  const paths = new Set(["order.number", "customer.first_name"]);
  const value = (change: object = {}) => ({
    part: "body",
    variable: 1,
    source: "field",
    value: "customer.first_name",
    why: "It is the name.",
    ...change,
  });
  const judgeValues = (...values: object[]) => judgeBinding({ values }, definition, paths);

  it("fills variables from fields and helpers, with reasons", () => {
    const judged = judgeValues(value({ source: "expression", value: "customer.full_name" }), value({ variable: 2, value: "order.number" }));
    expect(judged).toEqual(data("admin-server-assistant-answer", "fills variables from fields and helpers, with reasons"));
    expect(judgeValues(value({ source: "none", value: null }))).toEqual({ proposal: { variableMap: {}, reasons: [] } });
  });

  it.each<[string, object[], RegExp]>([
    ["a field that the event lacks", [value({ value: "secret.path" })], /no field of the event/],
    ["a field of another name that every object has", [value({ value: "__proto__" })], /no field/],
    ["a variable that the template lacks", [value({ variable: 3 })], /the template has 2/],
    ["another part", [value({ part: "button_url" })], /the template has no/],
    ["a number that is none", [value({ variable: 0 })], /slot number/],
    ["a huge number", [value({ variable: 1e15 })], /./],
    ["a fixed text", [value({ source: "static", value: "https://evil.example" })], /source/],
    ["a helper that is none", [value({ source: "expression", value: "process.env" })], /expr/],
    ["one variable twice", [value(), value()], /given twice/],
    ["other members", [value({ siteId: "x" })], /siteId/],
  ])("is refused when it names %s", (_, values, problem) => {
    expect(problemsOf(judgeValues(...values))).toMatch(problem);
  });
});

it.each<[string, string, string[]]>(data<[string, string, string[]][]>("admin-server-assistant-answer", "contacts s"))(
  "contacts: %s",
  (text, source, found) => {
    expect(foreignContacts([text], source)).toEqual(found);
  },
);
