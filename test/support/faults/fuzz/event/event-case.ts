import { signBody } from "shared/secrets/signature";
import type { Change, HeaderValue, ServiceHeaders } from "../../../arbitrary/service-headers.ts";
import type { Shop } from "../../../gateway/shop.ts";
import { type FuzzWorld, type Signer, signers } from "../world/fuzz-world.ts";
import type { EventRequest } from "./event-oracle.ts";

/** A request to post an event, before anything of this run is in it. */
export interface EventCase {
  method: string;
  target: string;
  signer: Signer;
  headers: ServiceHeaders;
  body: Buffer;
  chunked: boolean;
  /** Sent a second time right behind itself. */
  twice: boolean;
}

let made = 0;

/** The request with this run's keys, signatures and time in it. */
export function toRequest({ sites }: Pick<FuzzWorld, "sites">, wanted: EventCase): EventRequest {
  const { method, target, signer, headers, body, chunked } = wanted;
  const site = sites[signer];
  const now = Math.floor(Date.now() / 1000);
  made += 1;
  const write = (name: string, values: HeaderValue[], right: string, other: (offset: number) => string): [string, string][] =>
    values.map((value) => [name, writeValue(value, right, other)]);
  const fields = [
    ...write("X-Service-Site-Key", headers.siteKey, site.key, () => sites.other.key),
    ...write("X-Service-Signature", headers.signature, signBody(site.secret, body), () => signBody("another secret", body)),
    ...write("X-Service-Timestamp", headers.timestamp, String(now), (offset) => String(now + offset)),
    ...write("X-Service-Idempotency-Key", headers.idempotencyKey, `key-${made}`, String),
    ...write("X-Service-Mode", headers.mode, "live", String),
    ...write("Content-Type", headers.contentType, "application/json", String),
    ...write("Content-Encoding", headers.contentEncoding, "identity", String),
  ];
  const key = joined(fields, "X-Service-Site-Key");
  const keyOf = signers.find((name) => sites[name].key === key) ?? null;
  const isSigned = keyOf !== null && joined(fields, "X-Service-Signature") === signBody(sites[keyOf].secret, body);
  return { method, target, fields, body, chunked, keyOf, isSigned, now };
}

/** The request on the wire. */
export function toBytes({ method, target, fields, body, chunked }: EventRequest): Buffer {
  const framing = chunked ? "Transfer-Encoding: chunked" : `Content-Length: ${body.length}`;
  const lines = [`${method} ${target} HTTP/1.1`, "Host: gateway", ...fields.map(([name, value]) => `${name}: ${value}`), framing];
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  return Buffer.concat([head, ...(chunked ? toChunks(body) : [body])]);
}

/** Of growing size. */
export function toChunks(body: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, size = 7; at < body.length; at += size, size *= 3) {
    const piece = body.subarray(at, at + size);
    chunks.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"));
    if (at + size >= body.length) break;
  }
  return [...chunks, Buffer.from("0\r\n\r\n")];
}

/** Who owns the key that the request carries. */
export const senderOf = ({ sites }: Pick<FuzzWorld, "sites">, { keyOf }: EventRequest): Shop => sites[keyOf ?? "plain"];

/** As HTTP reads it: several fields of a name are one, spaces and tabs around a value are none of it. */
export const joined = (fields: EventRequest["fields"], name: string): string =>
  fields
    .filter(([each]) => each === name)
    .map(([, value]) => value.replace(/^[\t ]+|[\t ]+$/g, ""))
    .join(", ");

function writeValue(value: HeaderValue, right: string, other: (offset: number) => string): string {
  switch (value.kind) {
    case "right":
      return right;
    case "changed":
      return change(right, value.change);
    case "other":
      return other(value.offset);
    case "text":
      return value.text;
  }
}

function change(right: string, how: Change): string {
  switch (how) {
    case "upper":
      return right.toUpperCase();
    case "lower":
      return right.toLowerCase();
    case "cut":
      return right.slice(0, -1);
    case "longer":
      return `${right}0`;
    case "without prefix":
      return right.replace(/^(sha256=|sk_live_)/, "");
    case "padded":
      return ` \t${right} \t`;
    case "quoted":
      return `"${right}"`;
  }
}
