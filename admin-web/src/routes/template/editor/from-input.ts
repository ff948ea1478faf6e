import { toDefinition } from "shared/core/template/draft";
import type { UncheckedTemplate } from "shared/core/template/draft";
import { urlSlotsOf } from "shared/core/template/slots";
import { emptyValues, newButton, type ButtonValues, type HeaderValues, type TemplateValues } from "./template-values.ts";

/** A template in the editor's fields. `fileName`: of the file in its header, if one was uploaded. */
export function fromInput(input: UncheckedTemplate, fileName: string): TemplateValues {
  const { name, language, category, body, footer, examples } = input;
  const empty = emptyValues(language);
  const header = headerOf(input, empty.header, fileName);
  return { ...empty, name, category, body, footer: footer ?? "", bodyExamples: examples?.body ?? [], header, buttons: buttonsOf(input) };
}

function headerOf({ header, examples }: UncheckedTemplate, empty: HeaderValues, fileName: string): HeaderValues {
  if (header === null || header === undefined) return empty;
  if (header.format === "TEXT") return { ...empty, format: "TEXT", text: header.text, example: examples?.header?.[0] ?? "" };
  const { format, url, fileId } = header;
  if (fileId === undefined) return { ...empty, format, by: "url", url: url ?? "" };
  return { ...empty, format, by: "file", file: { id: fileId, name: fileName } };
}

function buttonsOf(input: UncheckedTemplate): ButtonValues[] {
  const slots = urlSlotsOf(toDefinition(input));
  return (input.buttons ?? []).reduce<ButtonValues[]>((made, button, index) => {
    const example = input.examples?.buttonUrl?.[slots.findIndex((slot) => slot.index === index)] ?? "";
    return [...made, { ...newButton(button.type, made), ...button, example }];
  }, []);
}
