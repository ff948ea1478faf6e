export const templateCategories = ["AUTHENTICATION", "MARKETING", "UTILITY"] as const;
export type TemplateCategory = (typeof templateCategories)[number];

/** The platform's statuses that last (platform facts, 4.3). Only APPROVED and FLAGGED can be sent. */
export const templateStates = ["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED", "IN_APPEAL", "FLAGGED", "ARCHIVED"] as const;
export type TemplateState = (typeof templateStates)[number];

/** A template as the platform holds it. */
export interface TemplateRecord {
  /** Digits; a string over REST and an integer in callbacks. */
  readonly id: string;
  readonly wabaId: string;
  readonly name: string;
  readonly language: string;
  readonly category: TemplateCategory;
  readonly previousCategory: TemplateCategory | null;
  readonly parameterFormat: "POSITIONAL" | "NAMED";
  readonly components: readonly TemplateComponent[];
  readonly status: TemplateState;
  readonly rejectedReason: string;
  readonly quality: { score: string; date: number };
  readonly ttlSeconds: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Whether it ever was approved: its name is then locked for long when it is deleted. */
  readonly everApproved: boolean;
  /** When it was edited while approved. */
  readonly edits: readonly number[];
  /** The review under way: its end is known when it begins. */
  readonly review: Review | null;
}

export interface Review {
  readonly at: number;
  readonly status: "APPROVED" | "REJECTED";
  readonly category: TemplateCategory;
  readonly rejectedReason: string;
}

export type TemplateComponent =
  | { type: "HEADER"; format: "TEXT"; text: string; example?: HeaderTextExample | undefined }
  | { type: "HEADER"; format: MediaFormat; example?: { header_handle?: string[] | undefined } | undefined }
  | { type: "HEADER"; format: "LOCATION" }
  | { type: "BODY"; text: string; example?: BodyExample | undefined }
  | { type: "FOOTER"; text: string }
  | { type: "BUTTONS"; buttons: TemplateButton[] };

export type MediaFormat = "IMAGE" | "VIDEO" | "DOCUMENT";

export interface NamedExample {
  param_name: string;
  example: string;
}

export interface HeaderTextExample {
  header_text?: string[] | undefined;
  header_text_named_params?: NamedExample[] | undefined;
}

export interface BodyExample {
  /** Nested; a flat array is accepted too, as some of the platform's own pages show it. */
  body_text?: string[][] | string[] | undefined;
  body_text_named_params?: NamedExample[] | undefined;
}

export type TemplateButton =
  | { type: "URL"; text: string; url: string; example?: string[] | undefined }
  | { type: "QUICK_REPLY"; text: string }
  | { type: "PHONE_NUMBER"; text: string; phone_number: string }
  | { type: "COPY_CODE"; example: string | string[]; text?: string | undefined }
  | { type: "VOICE_CALL"; text: string };
