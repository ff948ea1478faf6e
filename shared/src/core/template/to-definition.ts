import type { TemplateDefinition, TemplateHeader } from "./definition.ts";
import type { UncheckedTemplate } from "./unchecked-template.ts";

/** A checked input as it is stored: line breaks as the platform writes them, an empty footer as none. What an uploaded file is called is filled in later. */
export function toDefinition(input: UncheckedTemplate): TemplateDefinition {
  const { header, body, footer, buttons, examples } = input;
  return {
    parameterFormat: "POSITIONAL",
    header: toHeader(header ?? null),
    body: body.replace(/\r\n?/g, "\n"),
    footer: footer || null,
    buttons: buttons ?? [],
    examples: { header: examples?.header ?? [], body: examples?.body ?? [], buttonUrl: examples?.buttonUrl ?? [] },
  };
}

function toHeader(header: NonNullable<UncheckedTemplate["header"]> | null): TemplateHeader | null {
  if (header === null || header.format === "TEXT") return header;
  const { format, url, fileId } = header;
  return fileId === undefined ? { format, url: url ?? null } : { format, url: null, file: { id: fileId, name: "", mediaId: null } };
}
