import type { TemplateDefinition } from "./definition.ts";
import type { UncheckedTemplate } from "./unchecked-template.ts";

/** A checked input as it is stored: line breaks as the platform writes them, an empty footer as none. */
export function toDefinition(input: UncheckedTemplate): TemplateDefinition {
  const { header, body, footer, buttons, examples } = input;
  return {
    parameterFormat: "POSITIONAL",
    header: header ?? null,
    body: body.replace(/\r\n?/g, "\n"),
    footer: footer || null,
    buttons: buttons ?? [],
    examples: { header: examples?.header ?? [], body: examples?.body ?? [], buttonUrl: examples?.buttonUrl ?? [] },
  };
}
