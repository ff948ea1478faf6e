import { expect, test } from "vitest";
import { checkExamples } from "./check-examples.ts";

const template = { name: "a", language: "en", category: "UTILITY", body: "Hi {{1}} and {{2}}." };
const button = (url: string) => ({ type: "URL" as const, text: "See", url });
const missing = (part: string) => ({ field: `examples.${part}`, message: "must hold one example for each variable: 1", awaited: true });

test("a text that is as long as it may be with its variable still wants an example", () => {
  const header = { format: "TEXT" as const, text: "{{1}}".padStart(60, "h") };
  const body = "{{1}}".padStart(1024, "b");
  const buttons = [button("https://shop.example/".padEnd(1995, "u") + "{{1}}")];
  expect(checkExamples({ ...template, header, body, buttons })).toEqual([missing("header"), missing("body"), missing("buttonUrl")]);
});

test("what is wrong with single examples is told before the length of their message", () => {
  expect(checkExamples({ ...template, examples: { body: ["x".repeat(1024), " "] } })).toEqual([
    { field: "examples.body.1", message: "must not be empty" },
  ]);
});

test("examples without a variable are refused, not only missed", () => {
  const examples = { body: ["a", "b"], buttonUrl: ["x"] };
  expect(checkExamples({ ...template, examples, buttons: [button("https://shop.example/")] })).toEqual([
    { field: "examples.buttonUrl", message: "must be empty: there is no variable" },
  ]);
});
