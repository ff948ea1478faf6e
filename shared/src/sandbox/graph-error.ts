import { randomBytes } from "node:crypto";
import { english, type Values } from "../core/wording.ts";
import texts from "./error-texts.json" with { type: "json" };
import refusals from "./template-refusals.json" with { type: "json" };

interface ErrorText {
  http: number;
  title: string;
  /** The default of `error_data.details`. */
  details?: string;
  subcode?: number;
  transient?: boolean;
}

/** The platform's errors by code. */
export const errorTexts: Readonly<Record<string, ErrorText>> = texts;

interface GraphErrorFields {
  message: string;
  code: number;
  type?: string | undefined;
  error_subcode?: number | undefined;
  is_transient?: boolean | undefined;
  error_user_title?: string | undefined;
  error_user_msg?: string | undefined;
  error_data?: { messaging_product: "whatsapp"; details: string } | undefined;
}

/** A refusal in the platform's own shape. */
export class GraphError extends Error {
  override readonly name = "GraphError";
  readonly status: number;
  readonly body: { error: GraphErrorFields & { fbtrace_id: string } };

  constructor(status: number, fields: GraphErrorFields) {
    super(fields.message);
    this.status = status;
    const { message, type = "OAuthException", ...rest } = fields;
    this.body = { error: { message, type, ...rest, fbtrace_id: `A${randomBytes(16).toString("base64url")}` } };
  }
}

/** Refuses one of the sandbox's own calls; answered as `{"error": text}`. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The error of a code with its usual title and status, unless `details` or `status` replace them. */
export function refusal(code: number, details?: string, status?: number): GraphError {
  const text = errorTexts[code] ?? { http: 400, title: "Unknown error" };
  const words = details ?? text.details;
  return new GraphError(status ?? text.http, {
    message: code === 104 || code === 190 ? text.title : `(#${code}) ${text.title}`,
    code,
    error_subcode: text.subcode,
    is_transient: text.transient,
    error_data: words === undefined ? undefined : { messaging_product: "whatsapp", details: words },
  });
}

/** The error 100 with the problem in its message, such as `(#100) The parameter to is required.` */
export const invalidParameter = (message: string): GraphError => new GraphError(400, { message: `(#100) ${message}`, code: 100 });

/** The error 100 with the problem in its details. */
export const invalidDetails = (details: string): GraphError =>
  new GraphError(400, { message: "(#100) Invalid parameter", code: 100, error_data: { messaging_product: "whatsapp", details } });

export const notOneOf = (path: string, values: readonly string[], got: unknown): GraphError =>
  invalidParameter(`Param ${path} must be one of {${values.join(", ")}} - got ${JSON.stringify(got)}.`);

export const missingParameter = (path: string): GraphError => invalidParameter(`The parameter ${path} is required.`);

/** The error for a malformed or unknown token. */
export const badToken = () => new GraphError(401, { message: "Invalid OAuth access token - Cannot parse access token", code: 190 });

/** The error for an id that does not exist or that the token cannot access; the platform does not say which. */
export function unknownObject(id: string, method: string): GraphError {
  const message =
    `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, ` +
    "or does not support this operation. Please read the Graph API documentation at https://developers.facebook.com/docs/graph-api";
  return new GraphError(400, { message, type: "GraphMethodException", code: 100, error_subcode: 33 });
}

/** Subcode, title and text of each refusal of a change to a template; 0 stands for no subcode. */
const templateRefusals = refusals as unknown as Record<keyof typeof refusals, readonly [subcode: number, title: string, text: string]>;

/** The error for a refused change to a template: clients branch on the subcode; title and text are for people. */
export function templateRefusal(name: keyof typeof refusals, values: Values = {}): GraphError {
  const [subcode, title, text] = templateRefusals[name];
  return new GraphError(400, {
    message: "Invalid parameter",
    code: 100,
    error_subcode: subcode || undefined,
    is_transient: false,
    error_user_title: english(title, values),
    error_user_msg: english(text, values),
  });
}
