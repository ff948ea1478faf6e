import type { PlanFailure } from "../reason.ts";
import { attempt, isBlank, memoize, textLength, wellFormed } from "../text.ts";
import type { MediaParameter, MediaReference, MessageComponent, TemplateButton, TemplateDefinition, TextParameter } from "./definition.ts";
import { isBehindHost, linkPart } from "./link.ts";
import { type MediaFormat, limits } from "./platform-limits.ts";
import { type SlotTexts, codeButtonOf, fillSlots, slotNames, slotPieces, urlSlotsOf } from "./slots.ts";

/** Cleans mapped values (a preview's `slots`) for sending. */
export function cleanSlots(definition: TemplateDefinition, mapped: SlotTexts): SlotTexts {
  const urls = urlSlotsOf(definition);
  return {
    header: mapped.header.map(cleanText),
    body: mapped.body.map(cleanText),
    buttonUrl: mapped.buttonUrl.map((value, index) => linkPart(cleanText(value), urls[index]?.fixed ?? "")),
  };
}

/** JSON of a message without components. */
export const noComponents = "[]";

/** The components of the send call. `slots` are the sent texts (see `cleanSlots`), all filled. Parts without a variable get no component: the platform refuses one. */
export function buildComponents(definition: TemplateDefinition, slots: SlotTexts): MessageComponent[] {
  const components = headerComponents(definition, slots.header);
  if (slots.body.length > 0) components.push({ type: "body", parameters: textParameters(definition, "body", slots.body) });
  urlSlotsOf(definition).forEach(({ index }, n) => {
    const parameters: TextParameter[] = [{ type: "text", text: slots.buttonUrl[n] ?? "" }];
    components.push({ type: "button", sub_type: "url", index: String(index), parameters });
  });
  const code = codeButtonOf(definition);
  if (code !== null)
    components.push({ type: "button", sub_type: "url", index: String(code), parameters: [{ type: "text", text: slots.body[0] ?? "" }] });
  return components;
}

function headerComponents(definition: TemplateDefinition, values: string[]): MessageComponent[] {
  const { header } = definition;
  if (header === null || header.format === "OTHER") return [];
  if (header.format === "TEXT")
    return values.length === 0 ? [] : [{ type: "header", parameters: textParameters(definition, "header", values) }];
  const { format, url, file } = header;
  if (url !== null) return [{ type: "header", parameters: [mediaParameter(format, { link: url }, fileName(url))] }];
  if (file === undefined || file.mediaId === null) return [];
  return [{ type: "header", parameters: [mediaParameter(format, { id: file.mediaId }, cleanText(file.name) || "document")] }];
}

function textParameters(definition: TemplateDefinition, part: "header" | "body", values: string[]): TextParameter[] {
  if (definition.parameterFormat === "POSITIONAL") return values.map((text) => ({ type: "text", text }));
  const names = slotNames(definition)[part];
  return values.map((text, index) => ({ type: "text", parameter_name: names[index] ?? "", text }));
}

function mediaParameter(format: MediaFormat, media: MediaReference, filename: string): MediaParameter {
  switch (format) {
    case "IMAGE":
      return { type: "image", image: media };
    case "VIDEO":
      return { type: "video", video: media };
    case "DOCUMENT":
      return { type: "document", document: { ...media, filename } };
  }
}

/** The file's name, which the reader sees; without one the platform shows a name of its own. */
function fileName(link: string): string {
  const path = link.split(/[?#]/, 1)[0] ?? "";
  const last = path.split("/").slice(3).at(-1) ?? "";
  return attempt(() => cleanText(decodeURIComponent(last)) || "document", cleanText(last));
}

/** Line breaks of every kind (from tab to carriage return, next line, and Unicode's separators). */
const breaks = /[\t-\r\x85\u2028\u2029]+/;
/** Control characters that are no line break. */
const controls = /[^\P{Cc}\t-\r\x85]/gu;
const spaces = /\p{Zs}{2,}/gu;

/** The form of most values: visible ASCII with single spaces between. */
const cleanAlready = /^[!-~]+(?: [!-~]+)*$/;

/**
 * A slot's value, made sendable: the platform refuses line breaks, tabs, runs of spaces and empty texts. Breaks become ` | `, one for a run of them and
 * none at the ends; runs of spaces become one space; control characters go, halves of characters become U+FFFD. Empty when nothing visible is left.
 * Cleaning again changes nothing.
 */
export function cleanText(value: string): string {
  if (cleanAlready.test(value)) return value;
  const lines = wellFormed(value)
    .replace(controls, "")
    .split(breaks)
    .map((line) => line.replace(spaces, " ").trim());
  return lines.filter((line) => !isBlank(line)).join(" | ");
}

/** The first filled part of the message that the platform would find too long; null when none is. `slots` are the sent texts. */
export const tooLong = (definition: TemplateDefinition, slots: SlotTexts): PlanFailure | null =>
  (mayBeLong(definition, slots) ? longestPart(definition, slots) : null) ?? longCode(definition, slots);

/** The failure of a one-time code that its button cannot take. */
export function longCode(
  definition: TemplateDefinition,
  { body: [code = ""] }: SlotTexts,
): Extract<PlanFailure, { code: "too_long" }> | null {
  if (codeButtonOf(definition) === null || code.length <= limits.code) return null;
  return { code: "too_long", group: "body", button: null, length: textLength(code), limit: limits.code };
}

/** Whether all values together could be too much for one part: this is rare, and found without filling any part. */
function mayBeLong(definition: TemplateDefinition, { header, body, buttonUrl }: SlotTexts): boolean {
  let length = 0;
  for (const value of header) length += value.length;
  for (const value of body) length += value.length;
  for (const value of buttonUrl) length += value.length;
  return length > roomForValues(definition);
}

/** The length that all values together may have so that no part of the template can be too long, wherever they stand. */
const roomForValues = memoize((definition: TemplateDefinition): number => {
  const { header, body, buttons } = definition;
  const room = Math.min(
    limits.header - (header?.format === "TEXT" ? header.text.length : 0),
    limits.body - body.length,
    ...buttons.map((button) => limits.url - (button.type === "URL" ? button.url.length : 0)),
  );
  const pieces = slotPieces(definition);
  // A value stands at each mention of its slot.
  const mentions = (pieces.header?.length ?? 0) + pieces.body.length;
  return room / Math.max(1, mentions >> 1);
});

function longestPart(definition: TemplateDefinition, slots: SlotTexts): PlanFailure | null {
  const { header, body, urls } = renderParts(definition, slots);
  const parts = [
    { group: "header" as const, button: null, text: header ?? "", limit: limits.header },
    { group: "body" as const, button: null, text: body, limit: limits.body },
    ...urls.map((text, index) => ({ group: "button_url" as const, button: index + 1, text, limit: limits.url })),
  ];
  for (const { group, button, text, limit } of parts) {
    if (text.length <= limit) continue;
    const length = textLength(text);
    if (length > limit) return { code: "too_long", group, button, length, limit };
  }
  return null;
}

/**
 * The parts of a message that have slots, filled: a text header, the body, and an address for each URL button with a variable. `slots` are the sent texts (see
 * `cleanSlots`). A slot without a value shows as the template writes it.
 */
function renderParts(definition: TemplateDefinition, slots: SlotTexts) {
  const { header, body } = slotPieces(definition);
  const names = slotNames(definition);
  return {
    header: header && fillSlots(header, slots.header, names.header),
    body: fillSlots(body, slots.body, names.body),
    urls: urlSlotsOf(definition).map(({ fixed, rest }, index) => `${fixed}${slots.buttonUrl[index] || "{{1}}"}${rest}`),
  };
}

/**
 * The whole message as its recipient reads it, in plain text: header, body, footer and buttons, a blank line between them. Media show as `[IMAGE]
 * https://…`, buttons as `[label] target`, one a line. `slots` are the sent texts.
 */
export function renderText(definition: TemplateDefinition, slots: SlotTexts): string {
  const { header, body, urls } = renderParts(definition, slots);
  const urlOf = new Map(urlSlotsOf(definition).map(({ index }, n) => [index, urls[n]]));
  const code = codeButtonOf(definition);
  const buttons = definition.buttons.map((button, index) => (index === code ? `[${button.text}]` : renderButton(button, urlOf.get(index))));
  const parts = [header ?? renderMedia(definition), body, definition.footer, buttons.join("\n")];
  return parts.filter((part) => part !== null && part !== "").join("\n\n");
}

function renderMedia({ header }: TemplateDefinition): string | null {
  if (header === null || header.format === "TEXT") return null;
  if (header.format === "OTHER") return `[${header.type}]`;
  const media = header.url ?? header.file?.name;
  return media === undefined ? `[${header.format}]` : `[${header.format}] ${media}`;
}

function renderButton(button: TemplateButton, filledUrl: string | undefined): string {
  switch (button.type) {
    case "URL":
      return `[${button.text}] ${filledUrl ?? button.url}`;
    case "PHONE_NUMBER":
      return `[${button.text}] ${button.phone}`;
    case "QUICK_REPLY":
    case "OTHER":
      return `[${button.text}]`;
  }
}

/** The reason why no message can be made of a template, whatever its variables hold; null if one can. */
export function unsendable(definition: TemplateDefinition): PlanFailure | null {
  const { header, buttons } = definition;
  const because = (part: Extract<PlanFailure, { code: "template_not_sendable" }>["part"], name: string): PlanFailure => {
    return { code: "template_not_sendable", part, name };
  };
  if (header?.format === "OTHER") return because("header_type", header.type);
  if (header !== null && header.format !== "TEXT" && header.url === null) {
    if (header.file === undefined) return because("header_without_file", header.format);
    if (header.file.mediaId === null) return because("header_file_not_uploaded", header.file.name);
  }
  const demanding = buttons.filter((button) => button.type === "OTHER").filter((button) => button.needsParameter);
  // A part that is no button has no label, and says more than the buttons that come with it.
  const part = demanding.find(({ text }) => text === "");
  if (part !== undefined) return because("component", part.kind);
  if (demanding[0] !== undefined) return because("button", demanding[0].text);
  const open = urlSlotsOf(definition).find(({ fixed }) => !isBehindHost(fixed));
  return open === undefined ? null : because("link", buttons[open.index]?.text ?? "");
}
