import { toInput } from "shared/core/template/draft";
import { definitionOf, type Template } from "../template.ts";
import { fromInput } from "./from-input.ts";
import type { TemplateValues } from "./template-values.ts";

/** A stored template in the editor's fields; null for one that was made elsewhere and has what they cannot hold. */
export function valuesOf(template: Template): TemplateValues | null {
  const definition = definitionOf(template);
  const input = toInput({ ...template, definition });
  const { header } = definition;
  const fileName = header !== null && "file" in header ? header.file?.name : undefined;
  return input && fromInput(input, fileName ?? "");
}
