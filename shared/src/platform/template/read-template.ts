import type { TemplateDefinition, TemplateHeader } from "../../core/template/definition.ts";
import { boundedText } from "../http/bounded-text.ts";
import { idMember, listMember, member, textMember } from "../http/json-member.ts";
import { componentOf } from "./component-of.ts";
import type { PlatformTemplate } from "./platform-template.ts";
import { readButtons } from "./read-buttons.ts";
import { readExamples } from "./read-examples.ts";
import { templateStatusOf } from "./status.ts";

/** One item of the platform's list; null when it lacks what names a template. Types and formats may be in either case. */
export function readTemplate(item: unknown): PlatformTemplate | null {
  const platformId = idMember(item, "id");
  const name = textMember(item, "name");
  const language = textMember(item, "language");
  if (platformId === undefined || name === undefined || language === undefined) return null;
  const status = textMember(item, "status") ?? "";
  return {
    platformId,
    name,
    language: language.replaceAll("-", "_"),
    category: (textMember(item, "category") ?? "").toUpperCase(),
    status: templateStatusOf(status),
    reason: reasonOf(item, status),
    quality: textMember(member(item, "quality_score"), "score")?.toUpperCase() ?? null,
    definition: readDefinition(item),
  };
}

/** @param template The members `components` and `parameter_format` of a template. */
export function readDefinition(template: unknown): TemplateDefinition {
  const components = listMember(template, "components");
  const parameterFormat = readFormat(textMember(template, "parameter_format"), components);
  const buttons = readButtons(components);
  const header = readHeader(componentOf(components, "HEADER"));
  const body = textMember(componentOf(components, "BODY"), "text") ?? "";
  const footer = textMember(componentOf(components, "FOOTER"), "text") ?? null;
  return { parameterFormat, header, body, footer, buttons, examples: readExamples(components, { parameterFormat, header, body, buttons }) };
}

/** Where the platform does not say, the variables do: a number is no name. */
function readFormat(told: string | undefined, components: readonly unknown[]): TemplateDefinition["parameterFormat"] {
  if (told !== undefined) return told.toUpperCase() === "NAMED" ? "NAMED" : "POSITIONAL";
  return components.some((component) => /\{\{\d*[a-z_]/.test(textMember(component, "text") ?? "")) ? "NAMED" : "POSITIONAL";
}

function readHeader(component: unknown): TemplateHeader | null {
  if (component === undefined) return null;
  const format = (textMember(component, "format") ?? "TEXT").toUpperCase();
  switch (format) {
    case "TEXT":
      return { format, text: textMember(component, "text") ?? "" };
    case "IMAGE":
    case "VIDEO":
    case "DOCUMENT":
      // The list's own link to the sample expires, so it is no link to send.
      return { format, url: null };
    default:
      return { format: "OTHER", type: format };
  }
}

function reasonOf(item: unknown, status: string): string | null {
  const info = member(item, "rejection_info");
  const words = [textMember(item, "rejected_reason"), textMember(info, "reason"), textMember(info, "recommendation")];
  const told = words.filter((word) => word !== undefined && word !== "NONE");
  if (told.length > 0) return boundedText([...new Set(told)].join(": "));
  return ["", "APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED"].includes(status.toUpperCase()) ? null : boundedText(status);
}
