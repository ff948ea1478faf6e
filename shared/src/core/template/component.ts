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
