import { expect, test } from "vitest";
import { templateInputSchema } from "./input.ts";

test("a name is of its letters from end to end", () => {
  for (const name of ["order!", "!order", "order shipped", "order\n"]) {
    const issues = templateInputSchema.safeParse({ name, language: "en", category: "UTILITY", body: "Thanks." }).error?.issues;
    expect(issues?.map((issue) => issue.message)).toEqual(["name: must be made of lower-case letters a-z, digits and underscores"]);
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
