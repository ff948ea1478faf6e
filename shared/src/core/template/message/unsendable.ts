import type { TemplateDefinition } from "../definition.ts";

/** Why no message can be made of a template, whatever its variables hold; null when one can. */
export function unsendable(definition: TemplateDefinition): string | null {
  const { header, buttons } = definition;
  if (header?.format === "OTHER") return `its header is of type ${header.type}, which cannot be filled here; use a template without it`;
  if (header !== null && header.format !== "TEXT" && header.url === null) {
    return `its ${header.format} header has no file to send; make the template here, with the file's address`;
  }
  const demanding = buttons.find((button) => button.type === "OTHER" && button.needsParameter);
  if (demanding === undefined) return null;
  return `its button "${demanding.text}" needs a value that cannot be filled here; use a template without it`;
}
