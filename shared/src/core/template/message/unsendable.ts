import type { TemplateDefinition } from "../definition.ts";

/** Why no message can be made of a template, whatever its variables hold; null when one can. */
export function unsendable(definition: TemplateDefinition): string | null {
  const { header, buttons } = definition;
  if (header?.format === "OTHER") return `its header is of type ${header.type}, which cannot be filled here; use a template without it`;
  if (header !== null && header.format !== "TEXT" && header.url === null && (header.file?.mediaId ?? null) === null) {
    if (header.file === undefined) return `its ${header.format} header has no file to send; give the template one, by address or upload`;
    return `the platform does not have its header's file ${header.file.name} yet; sync the templates`;
  }
  const demanding = buttons.find((button) => button.type === "OTHER" && button.needsParameter);
  if (demanding === undefined) return null;
  return `its button "${demanding.text}" needs a value that cannot be filled here; use a template without it`;
}
