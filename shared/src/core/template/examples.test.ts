import { describe, expect, it } from "vitest";
import { fitExamples } from "./examples.ts";

describe("fit examples", () => {
  const template = { name: "a", language: "en", category: "UTILITY", body: "Hello {{1}}, this is {{2}} for you." };
  const button = { type: "URL", text: "See", url: "https://shop.example/{{1}}" } as const;
  const examples = { header: ["h"], body: ["a", "b"], buttonUrl: ["u"] };

  it.each([
    ["keeps what fits", { header: { format: "TEXT", text: "Order {{1}}" }, buttons: [button] }, examples],
    ["drops what has no variable", {}, { header: [], body: ["a", "b"], buttonUrl: [] }],
    ["cuts what is over", { body: "Hello {{1}}, you.", buttons: [button] }, { header: [], body: ["a"], buttonUrl: ["u"] }],
    ["leaves out a part that is short", { body: "{{1}} {{2}} {{3}}" }, { header: [], body: [], buttonUrl: [] }],
  ] as const)("%s", (_, changes, fitting) => {
    expect(fitExamples({ ...template, examples, ...changes, buttons: "buttons" in changes ? [...changes.buttons] : null })).toEqual(
      fitting,
    );
  });
});
