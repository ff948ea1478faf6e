import type { TemplateExamples } from "shared/core/template/definition";
import { toDefinition } from "shared/core/template/draft";
import type { UncheckedTemplate } from "shared/core/template/draft";
import { slotCounts } from "shared/core/template/slots";
import { urlSlotsOf } from "shared/core/template/slots";
import type { ButtonValues, HeaderValues, TemplateValues } from "./template-values.ts";

/** The template that the fields make. With `examples: "whole"` an example that is still to come is an empty text; else a part without any has none, as a draft may. */
export function toInput(values: TemplateValues, examples: "whole" | "given"): UncheckedTemplate {
  const { name, language, category, header, body, footer, buttons } = values;
  const texts = { name, language, category, header: headerOf(header), body, footer: footer || null, buttons: buttons.map(buttonOf) };
  const given = examplesOf(values, texts);
  if (examples === "whole") return { ...texts, examples: given };
  const orNone = (part: string[]): string[] => (part.every((example) => example.trim() === "") ? [] : part);
  return {
    ...texts,
    examples: { header: orNone(given.header), body: orNone(given.body), buttonUrl: orNone(given.buttonUrl) },
  };
}

function headerOf({ format, text, by, url, file }: HeaderValues): UncheckedTemplate["header"] {
  if (format === "NONE") return null;
  if (format === "TEXT") return { format, text };
  if (by === "url") return { format, url: url.trim() };
  return file === null ? { format } : { format, fileId: file.id };
}

function buttonOf({ type, text, url, phone }: ButtonValues): NonNullable<UncheckedTemplate["buttons"]>[number] {
  switch (type) {
    case "URL":
      return { type, text, url: url.trim() };
    case "PHONE_NUMBER":
      return { type, text, phone };
    case "QUICK_REPLY":
      return { type, text };
  }
}

function examplesOf({ header, bodyExamples, buttons }: TemplateValues, texts: UncheckedTemplate): TemplateExamples {
  const definition = toDefinition(texts);
  const counts = slotCounts(definition);
  const upTo = (count: number, given: readonly string[]): string[] => Array.from({ length: count }, (_, index) => given[index] ?? "");
  return {
    header: upTo(counts.header, [header.example]),
    body: upTo(counts.body, bodyExamples),
    buttonUrl: urlSlotsOf(definition).map(({ index }) => buttons[index]?.example ?? ""),
  };
}
