import type { TemplateDefinition } from "shared/core/template/definition";
import type { Outputs } from "../../trpc.ts";

export type Template = Outputs["templates"]["get"]["template"];

/** What its message is made of. */
export const definitionOf = ({ parameterFormat, header, body, footer, buttons, examples }: Template): TemplateDefinition => ({
  parameterFormat,
  header,
  body,
  footer,
  buttons,
  examples,
});
