import { createHash, hash } from "node:crypto";
import { attempt } from "../../core/text.ts";
import { invalidParameter, missingParameter, notOneOf, unknownObject, GraphError } from "../graph-error.ts";
import { type Answer, type SandboxContext, type SandboxRequest } from "../http.ts";
import { findSandboxMedia, type SandboxAccount, saveSandboxMedia } from "../store.ts";

const mebibyte = 1_048_576;

/** Media types of messages, and their largest size in bytes. */
const mediaLimits: Readonly<Record<string, number>> = {
  "image/jpeg": 5 * mebibyte,
  "image/png": 5 * mebibyte,
  "video/mp4": 16 * mebibyte,
  "video/3gpp": 16 * mebibyte,
  "application/pdf": 100 * mebibyte,
};

/** `POST /{phone number id}/media`, multipart: returns the id that a header names the file by. The bytes are not kept. */
export async function uploadMedia(context: SandboxContext, request: SandboxRequest, account: SandboxAccount): Promise<Answer> {
  const headers = { "content-type": request.headers["content-type"] ?? "" };
  const form = await new Response(await request.readBody(101 * mebibyte), { headers }).formData().catch(() => null);
  if (form === null) throw invalidParameter("The request must be multipart/form-data.");
  if ((form.get("messaging_product") ?? request.query.get("messaging_product")) !== "whatsapp") throw missingParameter("messaging_product");
  const file = form.get("file");
  if (!(file instanceof File)) throw missingParameter("file");
  const limit = mediaLimits[file.type];
  if (limit === undefined)
    throw invalidParameter(
      `Param file must be a file with one of the following types: ${Object.keys(mediaLimits).join(", ")}. Received file of type '${file.type}'.`,
    );
  if (file.size === 0 || file.size > limit) throw invalidParameter(`Param file must have from 1 to ${limit} bytes.`);
  const bytes = Buffer.from(await file.arrayBuffer());
  const digest = createHash("sha256").update(account.phoneNumberId).update(bytes).digest();
  const id = String(1_000_000_000_000_000n + (digest.readBigUInt64BE() % 9_000_000_000_000_000n));
  const sha256 = hash("sha256", bytes);
  const now = context.options.now();
  const kept = { now: new Date(now), since: new Date(now - mediaKeptMs), most: mostMedia };
  await saveSandboxMedia(context.sql, account.wabaId, { id, type: file.type, size: file.size, sha256 }, kept);
  return { json: { id } };
}

/** An upload can be used for 30 days. */
const mediaKeptMs = 30 * 24 * 60 * 60 * 1000;
const mostMedia = 1_000;

/** What `GET /{media id}` tells of an upload; undefined when there is none. The address leads nowhere, since the bytes are not kept. */
export async function mediaNode({ sql, options }: SandboxContext, { wabaId }: SandboxAccount, id: string) {
  const media = await findSandboxMedia(sql, wabaId, id, new Date(options.now() - mediaKeptMs));
  if (media === undefined) return undefined;
  const url = `https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=${id}`;
  return { messaging_product: "whatsapp", url, mime_type: media.type, sha256: media.sha256, file_size: media.size, id };
}

/** The largest media header. */
const maxUploadBytes = 100 * 1024 * 1024;
const uploadTypes = ["application/pdf", "image/jpeg", "image/jpg", "image/png", "video/mp4"];

interface Session {
  length: number;
  type: string;
}

/** `POST /{app id}/uploads`: begins an upload. The session id contains its length and type. */
export function beginUpload(_context: SandboxContext, request: SandboxRequest): Answer {
  const type = request.query.get("file_type");
  const length = Number(request.query.get("file_length") ?? Number.NaN);
  if (type === null) throw missingParameter("file_type");
  if (!uploadTypes.includes(type)) throw notOneOf("file_type", uploadTypes, type);
  if (!Number.isInteger(length) || length < 1 || length > maxUploadBytes)
    throw invalidParameter("Param file_length must be the file's size in bytes.");
  const session: Session = { length, type };
  const name = `upload:${Buffer.from(JSON.stringify(session)).toString("base64url")}`;
  return { json: { id: `${name}?sig=${signatureOf(name)}` } };
}

/** `POST /upload:{session}` with the file's bytes: returns the handle for a template's example. The bytes are not kept. */
export async function receiveUpload(request: SandboxRequest, node: string): Promise<Answer> {
  // Some clients encode the whole id, including its question mark.
  const [name = "", search = ""] = node.split("?", 2);
  const read = () => JSON.parse(Buffer.from(name.slice("upload:".length), "base64url").toString()) as Session;
  const session = attempt(read, null);
  const signature = request.query.get("sig") ?? new URLSearchParams(search).get("sig");
  if (session === null || signature !== signatureOf(name)) throw unknownObject(name, request.method);
  const offset = request.headers["file_offset"] ?? "0";
  const bytes = await request.readBody(maxUploadBytes);
  if (offset !== "0" || bytes.length !== session.length)
    throw new GraphError(400, { message: `Expected ${session.length} bytes from offset 0, got ${bytes.length}`, code: 100 });
  const [type, digest] = [session.type, hash("sha256", bytes)].map((part) => Buffer.from(part).toString("base64url"));
  return { json: { h: `4::${type}:${digest}` } };
}

/** Follows a question mark in the session id, as on the platform. */
const signatureOf = (name: string): string => createHash("sha256").update(`sig ${name}`).digest("base64url").slice(0, 20);
