import type { TemplateDefinition, TemplateExamples } from "../../core/template/definition.ts";
import { slotNamesOf } from "../../core/template/placeholders.ts";
import { urlSlotsOf, type UrlSlot } from "../../core/template/url-slot.ts";
import { listMember, member, textMember } from "../http/json-member.ts";
import { componentOf } from "./component-of.ts";

type Parts = Pick<TemplateDefinition, "parameterFormat" | "header" | "body" | "buttons">;

/** One example a slot, in slot order; an empty text where the platform gives none. */
export function readExamples(components: readonly unknown[], parts: Parts): TemplateExamples {
  const header = member(componentOf(components, "HEADER"), "example");
  const body = member(componentOf(components, "BODY"), "example");
  const buttons = listMember(componentOf(components, "BUTTONS"), "buttons");
  return {
    header: parts.header?.format === "TEXT" ? textExamples(header, "header_text", parts.header.text, parts) : [],
    body: textExamples(body, "body_text", parts.body, parts),
    buttonUrl: urlSlotsOf({ ...parts, footer: null, examples: noExamples }).map((slot) => urlExample(buttons[slot.index], slot)),
  };
}

const noExamples: TemplateExamples = { header: [], body: [], buttonUrl: [] };

function textExamples(example: unknown, key: string, text: string, { parameterFormat }: Parts): string[] {
  const names = slotNamesOf(text, parameterFormat);
  if (parameterFormat === "NAMED") {
    const given = listMember(example, `${key}_named_params`);
    return names.map(
      (name) =>
        textMember(
          given.find((item) => member(item, "param_name") === name),
          "example",
        ) ?? "",
    );
  }
  // The body's list is nested, the header's is not, and both have been seen the other way.
  const values = listMember(example, key).flat();
  return names.map((_, index) => textOr(values[index]));
}

/** The example is the whole URL; what counts is the variable's part of it. */
function urlExample(button: unknown, { fixed, rest }: UrlSlot): string {
  const example = member(button, "example");
  const url = textOr(Array.isArray(example) ? example[0] : example);
  return url.startsWith(fixed) && url.endsWith(rest) ? url.slice(fixed.length, url.length - rest.length) : url;
}

function textOr(value: unknown): string {
  return typeof value === "string" ? value : "";
}
