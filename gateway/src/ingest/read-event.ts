import { isUtf8 } from "node:buffer";
import { parseEventName } from "shared/core/event";
import { isSource } from "shared/core/event";
import { isTestEvent } from "shared/core/event";
import { parseJson } from "shared/core/json";
import type { JsonObject, JsonValue } from "shared/core/json";
import type { SiteConfig } from "../sites/site-config.ts";
import { header, type RawRequest } from "./raw-request.ts";
import { Refusal } from "./refusal.ts";

/** An event that its site has signed and that says something we understand. Only `authenticate` makes one. */
export interface AuthenticEvent {
  site: SiteConfig;
  source: string;
  /** Lowercased. */
  name: string;
  payload: JsonObject;
  /** The text received. */
  text: string;
  test: boolean;
  dryRun: boolean;
  idempotencyKey: string | null;
}

/** What the request says: content type, JSON, path values, header values, in this order. */
export function readEvent(site: SiteConfig, request: RawRequest, body: Buffer): AuthenticEvent {
  checkContentType(request);
  const text = decode(body);
  const payload = parseObject(text);
  const name = parseEventName(request.event);
  if (name === null) throw new Refusal("invalid_event_name");
  if (!isSource(request.source)) throw new Refusal("invalid_source");
  const idempotencyKey = readIdempotencyKey(request);
  return { site, source: request.source, name, payload, text, test: isTestEvent(name, payload), dryRun: readMode(request), idempotencyKey };
}

function checkContentType({ headers }: RawRequest): void {
  const type = header(headers, "content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  const encoding = header(headers, "content-encoding")?.trim().toLowerCase() ?? "identity";
  if (type !== "application/json" || encoding !== "identity") throw new Refusal("unsupported_content_type");
}

function decode(body: Buffer): string {
  if (!isUtf8(body)) throw new Refusal("malformed_json");
  return body.toString("utf8");
}

/** `JSON.parse` refuses an empty text and a byte order mark by itself. */
function parseObject(text: string): JsonObject {
  const value = parse(text);
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new Refusal("not_an_object");
  return value;
}

function parse(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throw new Refusal("malformed_json", null, { cause: error });
  }
}

function readIdempotencyKey({ headers }: RawRequest): string | null {
  const key = header(headers, "x-service-idempotency-key");
  if (key !== null && !/^[ -~]{1,255}$/.test(key)) throw new Refusal("invalid_idempotency_key");
  return key;
}

/** True for a dry run. An unknown mode is refused: a typo must never send. */
function readMode({ headers }: RawRequest): boolean {
  const mode = header(headers, "x-service-mode")?.toLowerCase() ?? "live";
  if (mode !== "live" && mode !== "test") throw new Refusal("invalid_mode");
  return mode === "test";
}
