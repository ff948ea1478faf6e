import { createHash } from "node:crypto";
import { invalidParameter, missingParameter } from "../errors/graph-error.ts";
import { unknownObject } from "../errors/graph-error.ts";
import type { AccountHandler } from "../http/account-handler.ts";

const MIB = 1_048_576;

/** What messages take, and the most bytes of it (platform facts, 1.3). */
const mediaLimits: Readonly<Record<string, number>> = {
  "image/jpeg": 5 * MIB,
  "image/png": 5 * MIB,
  "video/mp4": 16 * MIB,
  "video/3gpp": 16 * MIB,
  "application/pdf": 100 * MIB,
};

/** `POST /{phone number id}/media`, multipart: answers the id that a header names the file by. The bytes themselves are not kept. */
export const uploadMedia: AccountHandler = async (_, request, account) => {
  const { node = "" } = request.params;
  if (node !== account.phoneNumberId) throw unknownObject(node, request.method);
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)"?/i.exec(request.headers["content-type"] ?? "")?.[1];
  if (boundary === undefined) throw invalidParameter("The request must be multipart/form-data.");
  const parts = readParts(await request.readBody(101 * MIB), boundary);
  const product = parts.find(({ name }) => name === "messaging_product");
  if (product?.bytes.toString() !== "whatsapp") throw missingParameter("messaging_product");
  const file = parts.find(({ name }) => name === "file");
  if (file === undefined) throw missingParameter("file");
  const limit = mediaLimits[file.type];
  if (limit === undefined)
    throw invalidParameter(
      `Param file must be a file with one of the following types: ${Object.keys(mediaLimits).join(", ")}. Received file of type '${file.type}'.`,
    );
  if (file.bytes.length === 0 || file.bytes.length > limit) throw invalidParameter(`Param file must have from 1 to ${limit} bytes.`);
  const digest = createHash("sha256").update(account.phoneNumberId).update(file.bytes).digest();
  return { json: { id: String(1_000_000_000_000_000n + (digest.readBigUInt64BE() % 9_000_000_000_000_000n)) } };
};

interface Part {
  name: string;
  type: string;
  bytes: Buffer;
}

function readParts(body: Buffer, boundary: string): Part[] {
  const mark = Buffer.from(`--${boundary}`);
  const parts: Part[] = [];
  for (let start = body.indexOf(mark); start >= 0;) {
    const next = body.indexOf(mark, start + mark.length);
    if (next < 0) break;
    const headEnd = body.indexOf("\r\n\r\n", start);
    const head = body.subarray(start, headEnd).toString();
    const name = /;\s*name="([^"]*)"/i.exec(head)?.[1] ?? "";
    const type = /^content-type:\s*(\S+)/im.exec(head)?.[1] ?? "text/plain";
    parts.push({ name, type, bytes: body.subarray(headEnd + 4, next - 2) });
    start = next;
  }
  return parts;
}
