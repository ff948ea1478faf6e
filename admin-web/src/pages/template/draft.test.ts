import { templateInputSchema } from "shared/core/input/templates";
import type { UncheckedTemplate } from "shared/core/template/draft";
import { expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { mayAdd, withButton, withMoved } from "./button-fields.tsx";
import {
  draftFaults,
  fieldName,
  submissionIssues,
  fromInput,
  type ButtonType,
  emptyValues,
  likelyLanguage,
  newButton,
  type TemplateValues,
  toUnchecked,
} from "./draft.ts";
import { nextVariable } from "./fields.tsx";

const whole = data<UncheckedTemplate>("admin-web-pages-template-draft", "whole");

test.each(data<[string, Partial<UncheckedTemplate>][]>("admin-web-pages-template-draft", "a template with goes through"))(
  "a template with %s goes through the fields unchanged",
  (_, changes) => {
    const input = { ...whole, ...changes };
    expect(toUnchecked(fromInput(input, "film.mp4"), "whole")).toEqual(input);
    expect(submissionIssues(fromInput(input, ""))).toEqual([]);
  },
);

test("what the fields hold beyond what is chosen is not sent", () => {
  const values = fromInput(whole, "");
  const header = { ...values.header, format: "NONE" as const };
  expect(toUnchecked({ ...values, header }, "whole")).toEqual({ ...whole, header: null, examples: { ...whole.examples, header: [] } });
});

test("a draft may lack a part's examples, but not some of them; whoever submits lacks each", () => {
  const none = { ...fromInput(whole, ""), bodyExamples: [] };
  expect(templateInputSchema.safeParse(toUnchecked(none, "given")).success).toBe(true);
  expect(draftFaults(none).size).toBe(0);
  expect(submissionIssues(none).map(nameOf)).toEqual(["examples.body.0", "examples.body.1"]);
  expect([...draftFaults({ ...none, bodyExamples: ["Ada"] })]).toEqual(["examples.body.1"]);
});

test("a button's example stays with it when it is moved", () => {
  const values = fromInput(whole, "");
  const buttons = withMoved(withMoved(values.buttons, 2, 1), 0, 3);
  expect(buttons.map(({ text }) => text)).toEqual(["Track", "Shop", "Call", "Thanks"]);
  expect(toUnchecked({ ...values, buttons }, "whole")).toMatchObject({ examples: { buttonUrl: ["x"] } });
  expect(submissionIssues({ ...values, buttons })).toEqual([]);
});

test("a button is added where its kind stands, as long as the platform takes one more", () => {
  const types: ButtonType[] = ["URL", "QUICK_REPLY", "URL", "PHONE_NUMBER", "QUICK_REPLY"];
  const buttons = types.reduce<TemplateValues["buttons"]>((made, type) => withButton(made, newButton(type, made)), []);
  expect(buttons.map(({ type }) => type)).toEqual(["URL", "URL", "PHONE_NUMBER", "QUICK_REPLY", "QUICK_REPLY"]);
  expect(new Set(buttons.map(({ key }) => key)).size).toBe(5);
  expect([mayAdd("URL", buttons), mayAdd("PHONE_NUMBER", buttons), mayAdd("QUICK_REPLY", buttons)]).toEqual([false, false, true]);
});

test("a missing file is asked for by the way that is chosen", () => {
  const values = emptyValues("en");
  const messageOf = (by: "url" | "file") =>
    submissionIssues({ ...values, header: { ...values.header, format: "IMAGE", by } }).find((issue) => nameOf(issue) === "header.url")
      ?.message;
  expect(messageOf("file")).toMatch(/upload/u);
  expect(messageOf("url")).toMatch(/address/u);
});

test.each(data<[string, string][]>("admin-web-pages-template-draft", "whoever reads s writes s first"))(
  "whoever reads %s writes %s first",
  (tag, code) => {
    expect(likelyLanguage(tag)).toBe(code);
  },
);

test("every fault that there can be has a name in the editor", () => {
  const worst: TemplateValues = {
    ...emptyValues("en"),
    name: "A",
    language: "xx",
    category: "X",
    header: { ...emptyValues("en").header, format: "TEXT", text: "{{1}}" },
    body: "{{1}}",
    bodyExamples: [],
    footer: "{{1}}",
    buttons: [newButton("URL", []), newButton("PHONE_NUMBER", []), newButton("PHONE_NUMBER", [])],
  };
  const media = { ...worst, header: { ...worst.header, format: "IMAGE" as const } };
  const linked = { ...worst, buttons: [{ ...newButton("URL", []), url: "https://a.example/{{1}}" }] };
  const long = { ...emptyValues("en"), body: "Hi {{1}} you", bodyExamples: ["x".repeat(1024)] };
  const codes = {
    ...emptyValues("en"),
    category: "AUTHENTICATION",
    ttlSeconds: "1",
    authentication: { addSecurityRecommendation: true, codeExpirationMinutes: "", buttonText: "x".repeat(26) },
  };
  const fields = [worst, media, linked, long, codes].flatMap((values) => submissionIssues(values).map(nameOf));
  expect(new Set(fields.map((field) => field.split(".")[0]))).toEqual(
    new Set(["name", "language", "category", "header", "body", "footer", "buttons", "examples", "ttlSeconds", "authentication"]),
  );
  expect(fields.map(fieldName).filter((name) => !/^[A-Z]/u.test(name))).toEqual([]);
});

test.each([
  ["body", "x".repeat(1025), true],
  ["body", "Hello {{", false],
  ["footer", "Bye 👋", true],
] as const)("a fault of the %s %j is told while typing: %s", (part, text, isTold) => {
  const [issue] = submissionIssues({ ...emptyValues("en"), name: "a", body: "Thank you.", [part]: text });
  expect(issue?.isFinal).toBe(isTold);
});

test.each(data<[string, string][]>("admin-web-pages-template-draft", "behind j comes s"))("behind %j comes %s", (text, variable) => {
  expect(nextVariable(text)).toBe(variable);
});

const nameOf = ({ path }: { path: PropertyKey[] }): string => path.join(".");
