import { Readable } from "node:stream";
import type { TRPCError } from "@trpc/server";
import type { Context as KoaContext, Middleware } from "koa";
import { formatOfType, mediaTypes, signatureBytes, typeNames, typeOfBytes } from "shared/core/template/platform-limits";
import { storableText } from "shared/core/text";
import { isUuid } from "shared/core/uuid";
import { say } from "shared/core/wording";
import { lockForAudit } from "shared/db/audit";
import { newId } from "shared/db/ids";
import {
  mediaBytes,
  addMediaChunk,
  beginMediaFile,
  completeMediaFile,
  countOpenUploads,
  deleteMediaFile,
  findMediaFile,
  readMediaFile,
} from "shared/db/media-file";
import { type Sql, inTransaction } from "shared/db/statement";
import type { AdminContext } from "../context.ts";
import { callerAsActor, recordMutation } from "../trpc/audit-trail.ts";
import { absent, Refusal } from "../trpc/errors.ts";
import { requireAdmission, requireRole, requireScope } from "../trpc/roles.ts";
import { answerRefusal } from "./refusals.ts";
import { requestContext } from "./request-context.ts";

/**
 * Files for template headers. `POST /media?name=`, with the raw bytes and their Content-Type, answers `{file: {id, name, type, size}}`; `GET /media/{id}` answers
 * the file. Authenticates and refuses as the procedures do; a refusal is `{error}`.
 */
export function mediaRoute(context: AdminContext): Middleware {
  return async (koa, next) => {
    const isUpload = koa.path === "/media" && koa.method === "POST";
    const id = /^\/media\/([0-9a-f-]{36})$/i.exec(koa.path)?.[1];
    if (!isUpload && (id === undefined || koa.method !== "GET")) return next();
    koa.set("cache-control", "no-store");
    try {
      await (isUpload ? upload(context, koa) : show(context, koa, id ?? ""));
    } catch (cause) {
      // The rest of a refused body is not read.
      koa.set("connection", "close");
      const said = answerRefusal(context.log, koa, cause);
      Object.assign(koa.body as object, { said });
    }
  };
}

async function upload(context: AdminContext, koa: KoaContext): Promise<void> {
  const request = await requestContext(context, koa);
  const caller = requireRole(request.caller, "operator");
  requireAdmission(caller, "media.upload");
  requireScope(caller, "media.upload", "mutation");
  const { id, name, type, size } = await receiveMedia(context.sql, caller.accountId, koa, (sql, subject) =>
    recordMutation({ sql, address: request.address }, callerAsActor(caller), { action: "media.upload", subject }),
  );
  koa.body = { file: { id, name, type, size } };
}

async function show(context: AdminContext, koa: KoaContext, id: string): Promise<void> {
  const { caller } = await requestContext(context, koa);
  const allowed = requireRole(caller, "viewer");
  requireAdmission(allowed, "media");
  requireScope(allowed, "media", "query");
  const file = (isUuid(id) ? await findMediaFile(context.sql, allowed.accountId, id) : undefined) ?? absent("file");
  koa.attachment(file.name, { type: file.type === "application/pdf" ? "attachment" : "inline" });
  koa.type = file.type;
  koa.length = file.size;
  // A file never changes, and only its account may see it.
  koa.set("cache-control", "private, max-age=86400, immutable");
  koa.body = Readable.from(readMediaFile(context.sql, id)).on("error", (error) =>
    context.log.warn({ err: error, path: koa.path }, "a file was not sent whole"),
  );
}

const chunkBytes = 1_048_576;
/** The total size of an account's files. */
const accountBytes = 1_024 * 1_048_576;
const longestName = 200;

/** Stores the request's body as a file of the account, chunk by chunk. @throws TRPCError */
async function receiveMedia(sql: Sql, accountId: string, koa: KoaContext, record: (sql: Sql, id: string) => Promise<void>) {
  const type = koa.get("content-type").replace(/;.*$/s, "").trim().toLowerCase();
  const maxBytes = Math.min(limitOf(type), accountBytes - (await mediaBytes(sql, accountId)));
  if (Number(koa.get("content-length") || 0) > maxBytes) throw tooLarge(maxBytes);
  const file = { id: newId(), account_id: accountId, name: nameOf(koa), type };
  await inTransaction(sql, async (transaction) => {
    await lockForAudit(transaction, accountId);
    if ((await countOpenUploads(transaction, accountId)) >= mostUploads) throw tooManyUploads();
    await beginMediaFile(transaction, file);
  });
  try {
    const size = await storeBody(sql, file.id, koa.req, { type, maxBytes });
    return await inTransaction(sql, async (transaction) => {
      const row = await completeMediaFile(transaction, file.id, size);
      if (row === undefined) throw new Error("a file was deleted while it was being uploaded");
      await record(transaction, file.id);
      return row;
    });
  } catch (error) {
    await deleteMediaFile(sql, file.id);
    throw error;
  }
}

/** Uploads of an account at the same time. */
const mostUploads = 10;

const tooManyUploads = (): TRPCError =>
  new Refusal(
    "TOO_MANY_REQUESTS",
    say("An account can have at most {most} uploads at a time: try again when one has ended. An interrupted upload counts for an hour", {
      most: mostUploads,
    }),
  );

function limitOf(type: string): number {
  const format = formatOfType(type);
  if (format !== null) return mediaTypes[format].maxBytes;
  const known = (["IMAGE", "VIDEO", "DOCUMENT"] as const).map(typeNames).join(", ");
  throw new Refusal("UNSUPPORTED_MEDIA_TYPE", say("Send the file with its type as Content-Type: {known}", { known }));
}

async function storeBody(sql: Sql, fileId: string, body: AsyncIterable<Buffer>, { type, maxBytes }: { type: string; maxBytes: number }) {
  let [size, position] = [0, 0];
  let waiting: Buffer[] = [];
  const flush = async (): Promise<void> => {
    const chunk = Buffer.concat(waiting);
    waiting = [];
    if (position === 0 && typeOfBytes(chunk.subarray(0, signatureBytes)) !== type) throw notThatType(type);
    await addMediaChunk(sql, fileId, position++, chunk);
  };
  for await (const part of body) {
    size += part.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    waiting.push(part);
    if (waiting.reduce((sum, { length }) => sum + length, 0) >= chunkBytes) await flush();
  }
  if (waiting.length > 0 || position === 0) await flush();
  return size;
}

const notThatType = (type: string): TRPCError => new Refusal("BAD_REQUEST", say("The file's content is not {type}", { type }));

const tooLarge = (maxBytes: number): TRPCError =>
  new Refusal("PAYLOAD_TOO_LARGE", say("The file is larger than the allowed {bytes} bytes", { bytes: Math.max(0, maxBytes) }));

/** The name without control characters, also those by which `exe.png` reads as `gnp.exe`, and without folders. */
function nameOf(koa: KoaContext): string {
  const { name } = koa.query;
  const text = storableText(String(Array.isArray(name) ? name[0] : (name ?? ""))).replace(/[\p{Cc}\p{Bidi_Control}/\\]/gu, "_");
  return text.trim().slice(-longestName) || "file";
}
