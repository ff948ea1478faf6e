import type { MediaParameter, MediaReference, MessageComponent, TextParameter } from "../component.ts";
import type { TemplateDefinition } from "../definition.ts";
import type { MediaFormat } from "../media-types.ts";
import { slotNames, type SlotTexts } from "../slots.ts";
import { urlSlotsOf } from "../url-slot.ts";
import { cleanText } from "./clean-text.ts";

/**
 * What the send call needs beside the template's name. `slots` as sent (see `cleanSlots`), all filled. Parts without a variable get
 * no component: the platform refuses one.
 */
export function buildComponents(definition: TemplateDefinition, slots: SlotTexts): MessageComponent[] {
  const components = headerComponents(definition, slots.header);
  if (slots.body.length > 0) components.push({ type: "body", parameters: textParameters(definition, "body", slots.body) });
  urlSlotsOf(definition).forEach(({ index }, n) => {
    const parameters: TextParameter[] = [{ type: "text", text: slots.buttonUrl[n] ?? "" }];
    components.push({ type: "button", sub_type: "url", index: String(index), parameters });
  });
  return components;
}

function headerComponents(definition: TemplateDefinition, values: string[]): MessageComponent[] {
  const { header } = definition;
  if (header === null || header.format === "OTHER") return [];
  if (header.format === "TEXT") {
    return values.length === 0 ? [] : [{ type: "header", parameters: textParameters(definition, "header", values) }];
  }
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

/** The reader sees it; without one the platform shows a name of its own. */
function fileName(link: string): string {
  const path = link.split(/[?#]/, 1)[0] ?? "";
  const last = path.split("/").slice(3).at(-1) ?? "";
  try {
    return cleanText(decodeURIComponent(last)) || "document";
  } catch {
    return cleanText(last);
  }
}
