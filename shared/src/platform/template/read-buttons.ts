import type { TemplateButton } from "../../core/template/definition.ts";
import { listMember, textMember } from "../http/json-member.ts";

const plainParts = new Set(["HEADER", "BODY", "FOOTER", "BUTTONS"]);

/** Sent without a value of their own. Of every other kind it is not known, and a template is better held back than refused. */
const withoutParameter = new Set(["VOICE_CALL"]);

/** All buttons in their order, which is what indexes count. Parts of a message that have no place here follow them, so that the template counts as unsendable. */
export function readButtons(components: readonly unknown[]): TemplateButton[] {
  const lists = components.filter((component) => typeOf(component) === "BUTTONS").flatMap((component) => listMember(component, "buttons"));
  const others = components.map(typeOf).filter((type) => !plainParts.has(type));
  return [...lists.map(readButton), ...others.map((kind): TemplateButton => ({ type: "OTHER", kind, text: "", needsParameter: true }))];
}

function readButton(button: unknown): TemplateButton {
  const type = typeOf(button);
  const text = textMember(button, "text") ?? "";
  switch (type) {
    case "URL":
      return { type, text, url: textMember(button, "url") ?? "" };
    case "QUICK_REPLY":
      return { type, text };
    case "PHONE_NUMBER":
      return { type, text, phone: textMember(button, "phone_number") ?? "" };
    default:
      return { type: "OTHER", kind: type, text, needsParameter: !withoutParameter.has(type) };
  }
}

function typeOf(part: unknown): string {
  return (textMember(part, "type") ?? "UNKNOWN").toUpperCase();
}
