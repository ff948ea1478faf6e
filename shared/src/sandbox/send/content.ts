import type { KnownAs } from "../people.ts";
import type { TemplateButton } from "../templates/components.ts";

/** The part of a message that is stored as one JSON text. */
export interface MessageContent extends FilledMessage {
  template: string;
  language: string;
  category: string;
  /** The components as sent. */
  components: unknown;
  /** The whole message in plain text. */
  text: string;
  waId: string;
  /** Who was addressed, and how; absent in messages from before. */
  to: { person: KnownAs; userId: string; byUserId: boolean } | undefined;
  /** `type` and `category` of the price; absent in messages from before. */
  price: { type: string; category: string } | undefined;
  reference: string | null;
  version: number | null;
  /** Error code if the message is going to fail. */
  code: number | null;
}

/** A message as its recipient sees it. */
export interface FilledMessage {
  header: MessageHeader | null;
  body: string;
  footer: string | null;
  buttons: MessageButton[];
}

/** A header as a phone draws it. Media has a `link` or the `id` of an upload. */
export type MessageHeader =
  | { format: "TEXT"; text: string }
  | { format: "IMAGE" | "VIDEO" | "DOCUMENT"; link: string | null; id: string | null; filename: string | null }
  | { format: "LOCATION"; name: string; address: string };

/** Header, body, footer and buttons with blank lines between them. */
export const plainText = ({ header, body, footer, buttons }: FilledMessage): string =>
  [headerText(header), body, footer, buttons.map(buttonText).join("\n")].filter(Boolean).join("\n\n");

function headerText(header: MessageHeader | null): string {
  if (header === null) return "";
  if (header.format === "TEXT") return header.text;
  if (header.format === "LOCATION") return `[LOCATION] ${header.name}, ${header.address}`;
  return `[${header.format}] ${header.link ?? header.id ?? ""}`;
}

const buttonText = ({ text, url, phoneNumber, code }: MessageButton): string => `[${text}] ${url ?? phoneNumber ?? code ?? ""}`.trim();

/** A button as a phone draws it. */
export interface MessageButton {
  type: TemplateButton["type"];
  text: string;
  url?: string;
  phoneNumber?: string;
  /** The payload that a tap on a quick reply sends back. */
  payload?: string;
  code?: string;
}
