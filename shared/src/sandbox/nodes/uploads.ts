import { createHash } from "node:crypto";
import { authenticateApp } from "../accounts/authenticate.ts";
import { GraphError, invalidParameter, missingParameter, unknownObject } from "../errors/graph-error.ts";
import type { Answer, Handler, SandboxRequest } from "../http/answer.ts";

/** The largest media header that the platform takes. */
const MAX_BYTES = 100 * 1024 * 1024;
const FILE_TYPES = ["application/pdf", "image/jpeg", "image/jpg", "image/png", "video/mp4"];

interface Session {
  length: number;
  type: string;
}

/** `POST /{app id}/uploads`: begins an upload. The session's id holds all that the sandbox needs to know of it. */
export const beginUpload: Handler = (context, request) => {
  const account = authenticateApp(context, request);
  const { node = "" } = request.params;
  if (node !== account.appId) throw unknownObject(node, request.method);
  const type = request.query.get("file_type");
  const length = Number(request.query.get("file_length") ?? Number.NaN);
  if (type === null) throw missingParameter("file_type");
  if (!FILE_TYPES.includes(type)) throw invalidParameter(`Param file_type must be one of {${FILE_TYPES.join(", ")}} - got "${type}".`);
  if (!Number.isInteger(length) || length < 1 || length > MAX_BYTES)
    throw invalidParameter("Param file_length must be the file's size in bytes.");
  const session: Session = { length, type };
  const name = `upload:${Buffer.from(JSON.stringify(session)).toString("base64url")}`;
  return { json: { id: `${name}?sig=${signatureOf(name)}` } };
};

/** `POST /upload:{session}` with the file's bytes: answers the handle that a template's example names. The bytes themselves are not kept. */
export async function receiveUpload(request: SandboxRequest, node: string): Promise<Answer> {
  // Some clients encode the whole id, its question mark included.
  const [name = "", search = ""] = node.split("?", 2);
  const session = readSession(name);
  const signature = request.query.get("sig") ?? new URLSearchParams(search).get("sig");
  if (session === null || signature !== signatureOf(name)) throw unknownObject(name, request.method);
  const offset = request.headers["file_offset"] ?? "0";
  const bytes = await request.readBody(MAX_BYTES);
  if (offset !== "0" || bytes.length !== session.length) {
    throw new GraphError(400, { message: `Expected ${session.length} bytes from offset 0, got ${bytes.length}`, code: 100 });
  }
  const [type, hash] = [session.type, createHash("sha256").update(bytes).digest("hex")].map((part) =>
    Buffer.from(part).toString("base64url"),
  );
  return { json: { h: `4::${type}:${hash}` } };
}

/** As on the platform, a part of the session's id that stands behind a question mark. */
const signatureOf = (name: string): string => createHash("sha256").update(`sig ${name}`).digest("base64url").slice(0, 20);

function readSession(node: string): Session | null {
  try {
    return JSON.parse(Buffer.from(node.slice("upload:".length), "base64url").toString()) as Session;
  } catch {
    return null;
  }
}
