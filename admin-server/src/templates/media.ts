import type { BlockList } from "node:net";
import type { TRPCError } from "@trpc/server";
import type { TemplateDefinition, HeaderFile, TemplateHeader } from "shared/core/template/definition";
import { formatOfType, mediaTypes, signatureBytes, typeNames, typeOfBytes, type MediaFormat } from "shared/core/template/platform-limits";
import { type Said, say } from "shared/core/wording";
import { listMediaToUpload, findMediaFile, noteMediaId, readMediaFile } from "shared/db/media-file";
import type { Sql } from "shared/db/statement";
import { setMedia } from "shared/db/template";
import { type Answered, guardedGet, RequestFailed, type RequestLimits } from "shared/guarded-request";
import type { PlatformCredentials } from "shared/platform/client";
import { uploadSample, type MediaBytes, uploadMedia } from "shared/platform/request";
import type { AdminContext } from "../context.ts";
import { conflict, invalidInput } from "../trpc/errors.ts";

/** Uploads the files of the account's templates again before the platform forgets them. A file that fails is retried the next time. */
export async function refreshMedia(
  context: MediaContext,
  credentials: PlatformCredentials,
  accountId: string,
  onFailure: (error: unknown, templateId: string) => void,
): Promise<void> {
  for (const { template_id: id, file_id: fileId, format } of await listMediaToUpload(context.sql, accountId, credentials.phoneNumberId)) {
    try {
      const file = await storedFile(context, credentials, accountId, fileId, () => readStoredMedia(context.sql, accountId, fileId));
      await setMedia(context.sql, accountId, id, { format, url: null, file }, fileId);
    } catch (error) {
      onFailure(error, id);
    }
  }
}

/**
 * Uploads the files that a submission needs for a media header: the sample, and the file itself where messages will refer to it by id. `headerHandle`: the
 * platform's name for the sample that reviewers see; null for a header without a file.
 * @throws TRPCError BAD_REQUEST, CONFLICT without the app that samples belong to; PlatformError
 */
export async function uploadHeader(
  context: MediaContext,
  credentials: PlatformCredentials,
  accountId: string,
  definition: TemplateDefinition,
) {
  const header = mediaHeader(definition);
  if (header === null) return { definition, headerHandle: null };
  if (!credentials.appId)
    throw conflict("The header's file is uploaded through your Meta app: enter the app ID in the settings first (platform.appId)");
  const media = await readHeaderMedia(context, accountId, header);
  const headerHandle = await uploadSample(context.management, credentials, credentials.appId, media);
  if (header.file === undefined) return { definition, headerHandle };
  const file = await storedFile(context, credentials, accountId, header.file.id, () => Promise.resolve(media));
  return { definition: { ...definition, header: { ...header, file } }, headerHandle };
}

/** An upload is renewed after 20 days; the platform forgets it after 30. */
const freshMs = 20 * 24 * 3_600_000;

/**
 * An uploaded file with the platform's id of it. The file is uploaded to the platform again when that id is old or belongs to another number. Simultaneous
 * callers get the same id, the first that was recorded; the platform forgets the others.
 * @throws TRPCError BAD_REQUEST, PlatformError
 */
export async function storedFile(
  { sql, management }: Pick<MediaContext, "sql" | "management">,
  credentials: PlatformCredentials,
  accountId: string,
  fileId: string,
  read: () => Promise<MediaBytes>,
): Promise<HeaderFile> {
  const { phoneNumberId } = credentials;
  const known = await findMediaFile(sql, accountId, fileId);
  if (known === undefined) throw unfitAt("fileId", say("is not an uploaded file any more: upload it again"));
  const { id, name, platform_media_id: knownId, platform_media_at: uploadedAt } = known;
  const isFresh = known.platform_phone_number_id === phoneNumberId && uploadedAt !== null && uploadedAt.getTime() > Date.now() - freshMs;
  if (isFresh && knownId !== null) return { id, name, mediaId: knownId };
  const mediaId = await uploadMedia(management, credentials, await read());
  if (await noteMediaId(sql, known, mediaId, phoneNumberId)) return { id, name, mediaId };
  const winner = await findMediaFile(sql, accountId, fileId);
  const isOurs = winner?.platform_phone_number_id === phoneNumberId;
  return { id, name, mediaId: (isOurs ? winner.platform_media_id : null) ?? mediaId };
}

/** The private networks of the configuration are those that file URLs may reach. */
export type MediaContext = Pick<AdminContext, "sql" | "management" | "config">;

export type MediaHeader = Extract<TemplateHeader, { format: MediaFormat }>;

/** `field`: the template's member that names the file. */
const unfitAt = (field: "url" | "fileId", said: Said): TRPCError => invalidInput([{ path: ["header", field], said }]);

export const mediaHeader = ({ header }: Pick<TemplateDefinition, "header">): MediaHeader | null =>
  header === null || header.format === "TEXT" || header.format === "OTHER" ? null : header;

const fetchMs = 60_000;

/** The header's file, from its URL or the uploaded files; its type and size suit the platform. @throws TRPCError BAD_REQUEST */
export async function readHeaderMedia({ sql, config }: MediaContext, accountId: string, { format, url, file }: MediaHeader) {
  if (url !== null) return await fromAddress(format, url, config.allowPrivate);
  if (file === undefined) throw unfit(say("must be given: the header has no file"));
  return await readStoredMedia(sql, accountId, file.id);
}

/** An uploaded file. @throws TRPCError BAD_REQUEST */
export async function readStoredMedia(sql: Sql, accountId: string, fileId: string): Promise<MediaBytes> {
  const file = await findMediaFile(sql, accountId, fileId);
  if (file === undefined) throw unfitAt("fileId", say("is not an uploaded file any more: upload it again"));
  const bytes: Buffer[] = [];
  for await (const chunk of readMediaFile(sql, fileId)) bytes.push(chunk);
  return { name: file.name, type: file.type, bytes: Buffer.concat(bytes) };
}

async function fromAddress(format: MediaFormat, url: string, allowed: BlockList | null): Promise<MediaBytes> {
  const { type, bytes } = await fetchFile(url, { maxBytes: mediaTypes[format].maxBytes, timeoutMs: fetchMs, allowed });
  const types = typeNames(format);
  // The platform judges by the served type, its reviewers by the content.
  if (formatOfType(type) !== format) {
    const served = type || say("a file without a type");
    throw unfit(say("is served as {served}: a {format} header takes {types}", { served, format, types }));
  }
  if (typeOfBytes(bytes.subarray(0, signatureBytes)) !== type)
    throw unfit(say("is served as {type} but has other content: a {format} header takes {types}", { type, format, types }));
  return { name: new URL(url).pathname.split("/").at(-1) || "file", type, bytes };
}

/** The fault of the file at an address; the message continues a sentence that begins with the address. */
const unfit = (said: Said): TRPCError => unfitAt("url", said);

export type FetchLimits = Pick<RequestLimits, "maxBytes" | "timeoutMs" | "allowed">;

/** Fetches a file from an address that a user entered: on the internet only, without redirects. Its type is in lower case, without parameters. @throws TRPCError BAD_REQUEST */
export async function fetchFile(url: string, limits: FetchLimits) {
  try {
    const answered = await guardedGet(url, limits, { judge: refuseAnswer });
    return { type: typeOf(answered), bytes: answered.bytes };
  } catch (error) {
    throw error instanceof RequestFailed ? unfit(describeFailure(error, limits)) : error;
  }
}

function refuseAnswer({ statusCode, headers }: Answered): void {
  if (statusCode >= 300 && statusCode < 400) throw unfit(say("leads to another address; give the one at the end"));
  if (statusCode !== 200) throw unfit(say("answered HTTP {statusCode} instead of a file", { statusCode }));
  if ((headers["content-encoding"] ?? "identity") !== "identity") throw unfit(say("serves the file compressed"));
}

function describeFailure({ fault, message }: RequestFailed, { maxBytes, timeoutMs }: FetchLimits): Said {
  if (fault === "address_private") return say("is not an address of the internet");
  if (fault === "too_large") return say("serves a file of more than {megabytes} MB", { megabytes: Math.floor(maxBytes / 1_048_576) });
  if (fault === "timeout") return say("did not answer in full within {seconds} s", { seconds: timeoutMs / 1000 });
  return say("could not be fetched ({message})", { message });
}

function typeOf({ headers }: Answered): string {
  const type = headers["content-type"];
  return (Array.isArray(type) ? type.join() : (type ?? ""))
    .replace(/[;,].*$/s, "")
    .trim()
    .toLowerCase();
}
