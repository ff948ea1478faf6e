import type { TemplateDefinition } from "shared/core/template/definition";
import { buildComponents } from "shared/core/template/message";
import { expect, test, describe } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { type Life, statusSteps, sentSlots, sentTexts } from "./message-parts.tsx";

describe("status steps", () => {
  const at = (second: number) => `2026-11-20T08:00:0${second}.000Z`;
  const life: Life = { status: "queued", createdAt: at(0), sentAt: null, deliveredAt: null, readAt: null, failedAt: null };

  test.each<[string, Life, string]>([
    ["one that waits", life, "made sent? delivered? read?"],
    ["one that was cancelled", { ...life, status: "cancelled" }, "made cancelled?"],
    ["one that was sent", { ...life, status: "sent", sentAt: at(1) }, "made sent delivered? read?"],
    ["one that was read and never reported delivered", { ...life, status: "read", sentAt: at(1), readAt: at(2) }, "made sent read"],
    ["one that was refused", { ...life, status: "failed", failedAt: at(1) }, "made failed"],
    ["one that failed on its way", { ...life, status: "failed", sentAt: at(1), failedAt: at(2) }, "made sent failed"],
    [
      "one that was reported failed and arrived all the same",
      { ...life, status: "delivered", sentAt: at(1), failedAt: at(2), deliveredAt: at(3) },
      "made sent failed delivered read?",
    ],
  ])("%s", (_, message, expected) => {
    expect(
      statusSteps(message)
        .map((step) => step.what + (step.at === null ? "?" : ""))
        .join(" "),
    ).toBe(expected);
  });
});

describe("sent slots", () => {
  const positional: TemplateDefinition = data("admin-web-pages-log-message-parts", "positional");
  const named: TemplateDefinition = { ...positional, parameterFormat: "NAMED", header: null, body: "Hello {{name}}, {{total}}" };
  const slots = { header: ["10042"], body: ["Ada", "USD 49.90"], buttonUrl: ["10042"] };

  test("sent texts are found in their variables", () => {
    expect(sentSlots(buildComponents(positional, slots), positional)).toEqual(slots);
    expect(sentSlots(buildComponents(named, { ...slots, header: [] }), named)).toEqual({ ...slots, header: [] });
  });

  test("named values find their variables although the template has changed", () => {
    const components = buildComponents(named, { ...slots, header: [] });
    expect(sentSlots(components, { ...named, body: "{{total}} for {{friend}}, {{name}}" }).body).toEqual(["USD 49.90", "", "Ada"]);
  });

  test("variables that were not sent are empty", () => {
    expect(sentSlots([], positional)).toEqual({ header: [""], body: ["", ""], buttonUrl: [""] });
  });

  test("without a template only the texts are known", () => {
    expect(sentTexts(buildComponents(positional, slots))).toEqual(["10042", "Ada", "USD 49.90", "10042"]);
  });
});
