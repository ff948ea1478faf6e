import { expect, test } from "vitest";
import type { TemplateDefinition } from "./definition.ts";
import { toDefinition } from "./to-definition.ts";
import { templateWarnings } from "./warnings.ts";

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
  expect(templateWarnings(definition)).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
});
