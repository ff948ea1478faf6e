import type { MediaFormat } from "./platform-limits.ts";

/** A template as the platform knows it, in our words. Stored as JSON in `template.definition`. */
export interface TemplateDefinition {
  parameterFormat: "POSITIONAL" | "NAMED";
  header: TemplateHeader | null;
  body: string;
  footer: string | null;
  buttons: TemplateButton[];
  examples: TemplateExamples;
  /** Of a template of one-time codes: the platform writes its text in each language. */
  authentication?: Authentication | null | undefined;
}

/** What can be chosen of a template of one-time codes. */
export interface Authentication {
  addSecurityRecommendation?: boolean | undefined;
  /** 1 to 90; without it the message does not say when the code ends. */
  codeExpirationMinutes?: number | undefined;
  /** The label of the button that copies the code; without it the platform's. */
  buttonText?: string | undefined;
}

export type TemplateHeader =
  | { format: "TEXT"; text: string }
  /** A header with a file, sent by link, or by the platform's id of an uploaded file. A template that was made elsewhere has neither until somebody sets it. */
  | { format: MediaFormat; url: string | null; file?: HeaderFile | undefined }
  | { format: "OTHER"; type: string };

export interface HeaderFile {
  /** Our id of the file that was uploaded here. */
  id: string;
  name: string;
  /** The platform's id of the file; null until it has it. */
  mediaId: string | null;
}

export type TemplateButton =
  | { type: "URL"; text: string; url: string }
  | { type: "QUICK_REPLY"; text: string }
  | { type: "PHONE_NUMBER"; text: string; phone: string }
  /** A button that exists on the platform and takes no part in the variable map; `needsParameter` makes the template unsendable. */
  | { type: "OTHER"; kind: string; text: string; needsParameter: boolean };

/** One example a variable, in slot order; `buttonUrl` are the variable parts. */
export type TemplateExamples = Record<"header" | "body" | "buttonUrl", string[]>;

/** How many slots each group has. */
export type SlotCounts = Record<keyof TemplateExamples, number>;

export const templateStatuses = ["draft", "pending", "approved", "rejected", "paused", "disabled"] as const;
export type TemplateStatus = (typeof templateStatuses)[number];

/** A component of a template message as the platform's send call takes it (platform facts: Cloud API, "messages"). */
export type MessageComponent =
  | { type: "header"; parameters: (TextParameter | MediaParameter)[] }
  | { type: "body"; parameters: TextParameter[] }
  /** `index`: the button's place among ALL buttons of the template, as a string. */
  | { type: "button"; sub_type: "url"; index: string; parameters: TextParameter[] };

export interface TextParameter {
  type: "text";
  /** Only for templates with named parameters. */
  parameter_name?: string;
  text: string;
}

export type MediaParameter =
  | { type: "image"; image: MediaReference }
  | { type: "video"; video: MediaReference }
  | { type: "document"; document: MediaReference & { filename: string } };

/** An address that the platform fetches, or its own id of an uploaded file. */
export type MediaReference = { link: string } | { id: string };
