import { signBody } from "shared/secrets/signature";
import type { PlainRequest } from "../../../arbitrary/http-bytes.ts";
import type { Shop } from "../../../gateway/shop.ts";
import { toChunks } from "../event/event-case.ts";
import type { Expected } from "../event/event-oracle.ts";
import type { FuzzWorld } from "../world/fuzz-world.ts";

export interface WrittenRequest {
  bytes: Buffer;
  /** The order's name, unlike any other's. */
  order: string;
  /** Who signed it. */
  shop: Shop;
  /** What is stored when it is taken, as it may be once its path or method was edited, unlike any other's; null: nothing ever. */
  text: string | null;
  /** The answer, as long as nobody edits the bytes. */
  expected: Expected;
}

let written = 0;

/** A well-formed request of that kind. */
export function writePlain({ sites }: Pick<FuzzWorld, "sites">, { kind, framing, ballast }: PlainRequest): WrittenRequest {
  const shop = kind === "foreign event" ? sites.other : sites.plain;
  written += 1;
  const order = `raw-${written}`;
  const payload = { customer: { first_name: "Ada", phone_e164: "+15551230001" }, order: { id: order }, data: "x".repeat(ballast) };
  const body = Buffer.from(JSON.stringify(payload));
  const [line, expected] = lines(shop)[kind];
  const hasBody = line.startsWith("P");
  const isSigned = kind !== "unsigned event";
  const head = [
    `${line} HTTP/1.1`,
    "Host: gateway",
    `X-Service-Site-Key: ${shop.key}`,
    `X-Service-Signature: ${signBody(isSigned ? shop.secret : "another secret", body)}`,
    "Content-Type: application/json",
    ...(kind === "dry run" ? ["X-Service-Mode: test"] : []),
    ...(hasBody ? framingFields(framing, body.length) : []),
  ];
  const bytes = Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), ...(hasBody ? frame(framing, body) : [])]);
  return { bytes, order, shop, text: hasBody && isSigned ? body.toString() : null, expected };
}

const lines = ({ accountId }: Shop): Record<PlainRequest["kind"], [line: string, expected: Expected]> => ({
  event: ["POST /api/public/ingest/generic/order.created", "accepted"],
  "foreign event": ["POST /api/public/ingest/generic/order.created", "accepted"],
  "dry run": ["POST /api/public/ingest/generic/order.created", "accepted"],
  "unsigned event": ["POST /api/public/ingest/generic/order.created", "invalidSignature"],
  health: ["GET /api/public/health", "page"],
  preflight: ["OPTIONS /api/public/ingest/generic/order.created", "preflight"],
  "unknown path": ["POST /api/public/ingest/generic/order.created/more", "notFound"],
  "wrong method": ["PUT /api/public/ingest/generic/order.created", "methodNotAllowed"],
  handshake: [`GET /api/public/platform/webhook/${accountId}?hub.mode=subscribe&hub.verify_token=guess`, "invalidVerifyToken"],
});

const framingFields = (framing: PlainRequest["framing"], length: number): string[] => {
  if (framing === "length") return [`Content-Length: ${length}`];
  return framing === "asks first" ? [`Content-Length: ${length}`, "Expect: 100-continue"] : ["Transfer-Encoding: chunked"];
};

function frame(framing: PlainRequest["framing"], body: Buffer): Buffer[] {
  if (framing === "length" || framing === "asks first") return [body];
  const [chunks, end] = [toChunks(body).slice(0, -1), "0"];
  if (framing === "chunks with a trailer")
    return [...chunks, Buffer.from(`${end}\r\nX-Service-Mode: test\r\nX-Service-Site-Key: sk_live_x\r\n\r\n`)];
  if (framing === "chunked") return [...chunks, Buffer.from(`${end}\r\n\r\n`)];
  const extended = chunks.map((chunk, i) =>
    i % 3 === 0 ? Buffer.from(chunk.toString("latin1").replace("\r\n", ';a=b;c="d e"\r\n'), "latin1") : chunk,
  );
  return [...extended, Buffer.from(`${end};last\r\n\r\n`)];
}
