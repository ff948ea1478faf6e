import { refusal } from "../errors/graph-error.ts";
import { isObject } from "../http/read-json.ts";
import type { TemplateShape } from "../templates/shape.ts";
import type { ParameterInput } from "./component-input.ts";
import { fillText } from "./fill-text.ts";

/** A message's header as a phone can draw it. Media by `link` or the `id` of an upload. */
export type MessageHeader =
  | { format: "TEXT"; text: string }
  | { format: "IMAGE" | "VIDEO" | "DOCUMENT"; link: string | null; id: string | null; filename: string | null }
  | { format: "LOCATION"; name: string; address: string };

const LIMIT = 60;

export function fillHeader({ header, named }: TemplateShape, parameters: ParameterInput[]): MessageHeader | null {
  if (header === null || header.format === "TEXT") {
    const { text, slots } = header ?? { text: "", slots: [] };
    rejectMedia(parameters);
    const filled = fillText({ part: "header", text, slots, named, limit: LIMIT }, parameters);
    return header === null ? null : { format: "TEXT", text: filled };
  }
  const [parameter] = parameters;
  if (parameter?.type !== header.format || parameters.length > 1) {
    throw refusal(132012, `header: Format mismatch, expected ${header.format}, received ${parameter?.type ?? "UNKNOWN"}`);
  }
  return header.format === "LOCATION" ? readLocation(parameter) : readMedia(header.format, parameter);
}

function rejectMedia(parameters: ParameterInput[]): void {
  const media = parameters.find(({ type }) => ["IMAGE", "VIDEO", "DOCUMENT", "LOCATION"].includes(type));
  if (media !== undefined) throw refusal(132012, `header: Format mismatch, expected TEXT, received ${media.type}`);
}

function readMedia(format: "IMAGE" | "VIDEO" | "DOCUMENT", { fields }: ParameterInput): MessageHeader {
  const media = fields[format.toLowerCase()];
  const { id, link, filename } = isObject(media) ? media : {};
  if (typeof id === "string" && id !== "") return { format, id, link: null, filename: stringOrNull(filename) };
  if (typeof link !== "string" || link === "") throw refusal(131008, `header: Parameter of type ${format} requires an id or a link`);
  if (!/^https?:\/\/\S+$/i.test(link) || !URL.canParse(link)) throw refusal(131009, `header: ${JSON.stringify(link)} is not a valid link`);
  return { format, id: null, link, filename: stringOrNull(filename) };
}

function readLocation({ fields }: ParameterInput): MessageHeader {
  const { latitude, longitude, name, address } = isObject(fields["location"]) ? fields["location"] : {};
  for (const value of [latitude, longitude, name, address]) {
    if (value === undefined || value === "") throw refusal(131008, "header: location requires latitude, longitude, name and address");
  }
  return { format: "LOCATION", name: String(name), address: String(address) };
}

function stringOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
