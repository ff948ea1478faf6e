import { TRPCError } from "@trpc/server";
import type { Context as KoaContext } from "koa";
import { formatOfType, mediaTypes, signatureBytes, typeNames, typeOfBytes } from "shared/core/template/definition";
import { storableText } from "shared/core/text";
import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { mediaBytes } from "shared/db/media-file";
import type { MediaFileRow } from "shared/db/media-file";
import { addMediaChunk, beginMediaFile, completeMediaFile, deleteMediaFile } from "shared/db/media-file";

const chunkBytes = 1_048_576;
/** What an account's files may take together. */
const accountBytes = 1_024 * 1_048_576;
const longestName = 200;

/** Stores the request's body as a file of the account, a piece at a time. @throws TRPCError */
export async function receiveMedia(sql: Sql, accountId: string, koa: KoaContext): Promise<MediaFileRow> {
  const type = koa.get("content-type").replace(/;.*$/s, "").trim().toLowerCase();
  const maxBytes = Math.min(limitOf(type), accountBytes - (await mediaBytes(sql, accountId)));
  if (Number(koa.get("content-length") || 0) > maxBytes) throw tooLarge(maxBytes);
  const file = { id: newId(), account_id: accountId, name: nameOf(koa), type };
  await beginMediaFile(sql, file);
  try {
    const size = await storeBody(sql, file.id, koa.req, { type, maxBytes });
    const row = await completeMediaFile(sql, file.id, size);
    if (row === undefined) throw new Error("a file was deleted while it was being uploaded");
    return row;
  } catch (error) {
    await deleteMediaFile(sql, file.id);
    throw error;
  }
}

function limitOf(type: string): number {
  const format = formatOfType(type);
  if (format !== null) return mediaTypes[format].maxBytes;
  const known = (["IMAGE", "VIDEO", "DOCUMENT"] as const).map(typeNames).join(", ");
  throw new TRPCError({ code: "UNSUPPORTED_MEDIA_TYPE", message: `Send the file with its type as Content-Type: ${known}` });
}

async function storeBody(
  sql: Sql,
  fileId: string,
  body: AsyncIterable<Buffer>,
  { type, maxBytes }: { type: string; maxBytes: number },
): Promise<number> {
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

const notThatType = (type: string): TRPCError =>
  new TRPCError({ code: "BAD_REQUEST", message: `The file is not ${type}, whatever it is called` });

const tooLarge = (maxBytes: number): TRPCError =>
  new TRPCError({ code: "PAYLOAD_TOO_LARGE", message: `The file has more than the ${Math.max(0, maxBytes)} bytes that are allowed` });

function nameOf(koa: KoaContext): string {
  const { name } = koa.query;
  const text = storableText(String(Array.isArray(name) ? name[0] : (name ?? ""))).replace(/[\p{Cc}/\\]/gu, "_");
  return text.trim().slice(-longestName) || "file";
}
