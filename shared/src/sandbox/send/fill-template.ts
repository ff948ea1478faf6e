import type { TemplateShape } from "../templates/shape.ts";
import type { ComponentInput } from "./component-input.ts";
import { fillButtons, type MessageButton } from "./fill-buttons.ts";
import { fillHeader, type MessageHeader } from "./fill-header.ts";
import { fillText } from "./fill-text.ts";

/** A message as its recipient sees it. */
export interface FilledMessage {
  header: MessageHeader | null;
  body: string;
  footer: string | null;
  buttons: MessageButton[];
}

const BODY_LIMIT = 1024;

/** The template with a send's components in place. Throws the platform's refusal of the first that does not fit. */
export function fillTemplate(shape: TemplateShape, components: ComponentInput[]): FilledMessage {
  const parametersOf = (type: ComponentInput["type"]) => components.find((component) => component.type === type)?.parameters ?? [];
  return {
    header: fillHeader(shape, parametersOf("header")),
    body: fillText({ part: "body", ...shape.body, named: shape.named, limit: BODY_LIMIT }, parametersOf("body")),
    footer: shape.footer,
    buttons: fillButtons(shape.buttons, components),
  };
}

/** The whole message in plain text: header, body, footer and buttons, a blank line between them. */
export function plainText({ header, body, footer, buttons }: FilledMessage): string {
  const parts = [headerText(header), body, footer ?? "", buttons.map(buttonText).join("\n")];
  return parts.filter((part) => part !== "").join("\n\n");
}

function headerText(header: MessageHeader | null): string {
  if (header === null) return "";
  if (header.format === "TEXT") return header.text;
  if (header.format === "LOCATION") return `[LOCATION] ${header.name}, ${header.address}`;
  return `[${header.format}] ${header.link ?? header.id ?? ""}`;
}

function buttonText({ text, url, phoneNumber, code }: MessageButton): string {
  return `[${text}] ${url ?? phoneNumber ?? code ?? ""}`.trim();
}
