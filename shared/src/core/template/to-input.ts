import type { TemplateDefinition } from "./definition.ts";
import type { UncheckedTemplate } from "./unchecked-template.ts";

/**
 * A stored template as an input, for changes to build on; null when it was made elsewhere and holds what an input cannot say (named
 * variables, parts of another type, media without an address).
 */
export function toInput(template: {
  name: string;
  language: string;
  category: string;
  definition: TemplateDefinition;
}): UncheckedTemplate | null {
  const { name, language, category, definition } = template;
  const { header, body, footer, examples } = definition;
  const buttons = definition.buttons.filter((button) => button.type !== "OTHER");
  if (definition.parameterFormat === "NAMED" || buttons.length < definition.buttons.length) return null;
  const common = { name, language, category, body, footer, buttons, examples };
  if (header === null || header.format === "TEXT") return { ...common, header };
  if (header.format === "OTHER") return null;
  const { format, url, file } = header;
  if (url !== null) return { ...common, header: { format, url } };
  return file === undefined ? null : { ...common, header: { format, fileId: file.id } };
}
