import { languageProblem } from "./languages.ts";
import { limits } from "./limits.ts";
import { categories } from "./rules/categories.ts";
import { checkButtons } from "./rules/check-buttons.ts";
import { checkExamples } from "./rules/check-examples.ts";
import { checkBody, checkFooter, checkHeader } from "./rules/check-texts.ts";
import type { Fault } from "./rules/fault.ts";
import type { UncheckedTemplate } from "./unchecked-template.ts";

/** Every rule of the platform that a new template breaks (platform facts: template rules); empty when it can be submitted. */
export const checkTemplate = (input: UncheckedTemplate): Fault[] => [
  ...checkName(input.name),
  ...checkLanguage(input.language),
  ...checkCategory(input.category),
  ...checkHeader(input.header ?? null),
  ...checkBody(input.body),
  ...checkFooter(input.footer ?? null),
  ...checkButtons(input.buttons ?? []),
  ...checkExamples(input),
];

function checkName(name: string): Fault[] {
  const field = "name";
  if (name.length > limits.name) return [{ field, message: `must be at most ${limits.name} characters long` }];
  if (!/^[a-z0-9_]+$/.test(name)) return [{ field, message: "must be made of lower-case letters a-z, digits and underscores" }];
  if (name === "hello_world" || name.startsWith("sample_")) return [{ field, message: "is reserved for the platform's own samples" }];
  return [];
}

function checkLanguage(language: string): Fault[] {
  const message = languageProblem(language);
  return message === null ? [] : [{ field: "language", message }];
}

function checkCategory(category: string): Fault[] {
  if (categories.some((known) => known === category)) return [];
  if (category !== "AUTHENTICATION") return [{ field: "category", message: `must be ${categories.join(" or ")}` }];
  return [{ field: "category", message: "AUTHENTICATION templates have a fixed text: make them in the platform's manager and sync" }];
}
