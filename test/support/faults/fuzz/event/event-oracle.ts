import type { RefusalRow } from "../wire/documented-answers.ts";
import type { Signer } from "../world/fuzz-world.ts";

/** A request as it stands on the wire, and what is known of who made it. */
export interface EventRequest {
  method: string;
  /** The request's target. */
  target: string;
  /** In their order; a name may stand several times. */
  fields: readonly (readonly [name: string, value: string])[];
  body: Buffer;
  chunked: boolean;
  /** Whose key the request carries, as a whole and alone; null: nobody's. */
  keyOf: Signer | null;
  /** Whether the signature is the key owner's over these bytes. */
  isSigned: boolean;
  /** Seconds since 1970. */
  now: number;
}

/** What the answer may be: one of the documented rows, `accepted` (the event is stored), `preflight` or `page` (some other success). */
export type Expected = RefusalRow | "accepted" | "preflight" | "page";

const maxBodyBytes = 1_048_576;
const pages = ["/api/public/health", "/api/public/ready", "/api/public/docs/bundle"];

/** The documented order of checks, written down a second time. Several rows where the documentation leaves open which. */
export function expectedOf(request: EventRequest): Expected[] {
  const { method } = request;
  const path = request.target.split("?", 1)[0] ?? "";
  if (pages.includes(path)) return [method === "GET" ? "page" : "methodNotAllowed"];
  const [, api, open, ingest, source, event, ...more] = path.split("/");
  const isIngest = api === "api" && open === "public" && ingest === "ingest" && source && event && more.length === 0;
  if (!isIngest) return ["notFound"];
  if (method === "OPTIONS") return ["preflight"];
  if (method !== "POST") return ["methodNotAllowed"];
  const names = [source, event].map(decode);
  if (names.includes(null)) return ["badRequest", "notFound"];
  return ofCaller(request) ?? ofSite(request) ?? ofContent(request, names[0] ?? "", names[1] ?? "");
}

/** Up to the signature: from the headers, then the body's size. */
function ofCaller(request: EventRequest): Expected[] | null {
  const isTooLarge = request.body.length > maxBodyBytes;
  if (isTooLarge && !request.chunked) return ["bodyTooLarge"];
  if (valueOf(request, "x-service-site-key") === "") return ["missingSiteKey"];
  if (request.keyOf === null) return ["invalidSiteKey"];
  if (isTooLarge) return ["bodyTooLarge"];
  return request.isSigned ? null : ["invalidSignature"];
}

function ofSite(request: EventRequest): Expected[] | null {
  const timestamp = valueOf(request, "x-service-timestamp");
  if (timestamp === "" && request.keyOf === "strict") return ["missingTimestamp"];
  if (timestamp !== "") {
    const isNear = Math.abs(request.now - Number(timestamp)) <= 300;
    if (!/^[0-9]+$/.test(timestamp) || !isNear) return ["staleTimestamp"];
  }
  return request.keyOf === "disabled" ? ["siteDisabled"] : null;
}

function ofContent(request: EventRequest, source: string, event: string): Expected[] {
  const { "content-type": types = [], "content-encoding": encodings = [] } = fieldsByName(request);
  const isJson = types.map((type) => /^application\/json[\t ]*(;|$)/i.test(type));
  const isPlain = encodings.every((encoding) => encoding === "" || encoding.toLowerCase() === "identity");
  if (!isJson.includes(true) || !isPlain) return ["unsupportedContentType"];
  // Which of two types counts is left open, and whether two encodings are one.
  const alternatives: Expected[] = isJson.includes(false) || encodings.length > 1 ? ["unsupportedContentType"] : [];
  return [...alternatives, ...ofJson(request, source, event)];
}

function ofJson(request: EventRequest, source: string, event: string): Expected[] {
  const json = parse(request.body);
  if (json === undefined) return ["malformedJson"];
  if (typeof json !== "object" || json === null || Array.isArray(json)) return ["notAnObject"];
  const ofPath: Expected[] = [
    ...(isEventName(event) ? [] : (["invalidEventName"] as const)),
    ...(/^[A-Za-z0-9._-]{1,64}$/.test(source) ? [] : (["invalidSource"] as const)),
  ];
  const ofHeaders: Expected[] = [
    ...(/^[ -~]{0,255}$/.test(valueOf(request, "x-service-idempotency-key")) ? [] : (["invalidKey"] as const)),
    ...(/^(test|live|)$/i.test(valueOf(request, "x-service-mode")) ? [] : (["invalidMode"] as const)),
  ];
  return [ofPath, ofHeaders, ["accepted" as const]].find((rows) => rows.length > 0) ?? [];
}

const isEventName = (text: string): boolean =>
  text.length <= 128 && /^[\0-\x7f]*$/.test(text) && /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(text.toLowerCase());

/** Several fields of a name count as one with all their values, as HTTP has it. */
const valueOf = (request: EventRequest, name: string): string => (fieldsByName(request)[name] ?? []).join(", ");

function fieldsByName({ fields }: EventRequest): Record<string, string[]> {
  const byName: Record<string, string[]> = {};
  for (const [name, value] of fields) (byName[name.toLowerCase()] ??= []).push(value.replace(/^[\t ]+|[\t ]+$/g, ""));
  return byName;
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    return undefined;
  }
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
