import type { MediaFormat } from "./media-types.ts";

/** A template as the platform knows it, in our words. Stored as JSON in `template.definition`. */
export interface TemplateDefinition {
  parameterFormat: "POSITIONAL" | "NAMED";
  header: TemplateHeader | null;
  body: string;
  footer: string | null;
  buttons: TemplateButton[];
  examples: TemplateExamples;
}

export type TemplateHeader =
  | { format: "TEXT"; text: string }
  /** Sent by link, or by what the platform calls an uploaded file. A template that was made elsewhere has neither until somebody sets it. */
  | { format: MediaFormat; url: string | null; file?: HeaderFile | undefined }
  | { format: "OTHER"; type: string };

export interface HeaderFile {
  /** Ours: of a file that was uploaded here. */
  id: string;
  name: string;
  /** The platform's; null until it has the file. */
  mediaId: string | null;
}

export type TemplateButton =
  | { type: "URL"; text: string; url: string }
  | { type: "QUICK_REPLY"; text: string }
  | { type: "PHONE_NUMBER"; text: string; phone: string }
  /** One that exists on the platform and takes no part in the variable map; `needsParameter` makes the template unsendable. */
  | { type: "OTHER"; kind: string; text: string; needsParameter: boolean };

/** One example a variable, in slot order; `buttonUrl` are the variable parts. */
export interface TemplateExamples {
  header: string[];
  body: string[];
  buttonUrl: string[];
}

/** How many slots each group has. */
export interface SlotCounts {
  header: number;
  body: number;
  buttonUrl: number;
}

export const templateStatuses = ["draft", "pending", "approved", "rejected", "paused", "disabled"] as const;
export type TemplateStatus = (typeof templateStatuses)[number];
