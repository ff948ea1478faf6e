import type { BlockList } from "node:net";
import type { TemplateDefinition, TemplateHeader } from "shared/core/template/definition";
import { formatOfType, mediaTypes, signatureBytes, typeNames, typeOfBytes, type MediaFormat } from "shared/core/template/definition";
import type { Sql } from "shared/db/connect";
import { findMediaFile, readMediaFile } from "shared/db/media-file";
import { fetchFile, FetchRefused } from "shared/fetch-file";
import type { ManagementClient } from "shared/platform/management-client";
import type { MediaBytes } from "shared/platform/media";

/** What handling headers' files takes. */
export interface MediaContext {
  sql: Sql;
  management: ManagementClient;
  /** Private networks that addresses may lead to. */
  allowed: BlockList | null;
}

export type MediaHeader = Extract<TemplateHeader, { format: MediaFormat }>;

/** What is wrong with a header's file. `field` is the member of the template that names it. */
export class MediaFault extends Error {
  override name = "MediaFault";
  readonly field: "header.url" | "header.fileId";

  constructor(field: MediaFault["field"], message: string) {
    super(message);
    this.field = field;
  }
}

export function mediaHeader({ header }: Pick<TemplateDefinition, "header">): MediaHeader | null {
  return header === null || header.format === "TEXT" || header.format === "OTHER" ? null : header;
}

const fetchMs = 60_000;

/** The file that a header names, from its address or from those uploaded here; of the type and size that the platform takes. @throws MediaFault */
export async function readHeaderMedia(
  { sql, allowed }: Pick<MediaContext, "sql" | "allowed">,
  accountId: string,
  { format, url, file }: MediaHeader,
): Promise<MediaBytes> {
  if (url !== null) return await fromAddress(format, url, allowed);
  if (file === undefined) throw new MediaFault("header.url", "must be given: the header has no file");
  return await readStoredMedia(sql, accountId, file.id);
}

/** A file that was uploaded here. @throws MediaFault */
export async function readStoredMedia(sql: Sql, accountId: string, fileId: string): Promise<MediaBytes> {
  const file = await findMediaFile(sql, accountId, fileId);
  if (file === undefined) throw new MediaFault("header.fileId", "is not an uploaded file any more: upload it again");
  const bytes: Buffer[] = [];
  for await (const chunk of readMediaFile(sql, fileId)) bytes.push(chunk);
  return { name: file.name, type: file.type, bytes: Buffer.concat(bytes) };
}

async function fromAddress(format: MediaFormat, url: string, allowed: BlockList | null): Promise<MediaBytes> {
  const field = "header.url";
  try {
    const { type, bytes } = await fetchFile(url, { maxBytes: mediaTypes[format].maxBytes, timeoutMs: fetchMs, allowed });
    const wanted = `a ${format} header takes ${typeNames(format)}`;
    // The platform goes by what the server calls the file, and its reviewers by what it is.
    if (formatOfType(type) !== format) throw new MediaFault(field, `is served as ${type || "a file without a type"}: ${wanted}`);
    if (typeOfBytes(bytes.subarray(0, signatureBytes)) !== type)
      throw new MediaFault(field, `is served as ${type} but is something else: ${wanted}`);
    return { name: nameOf(url), type, bytes };
  } catch (error) {
    if (error instanceof FetchRefused) throw new MediaFault(field, error.message);
    throw error;
  }
}

function nameOf(url: string): string {
  const last = new URL(url).pathname.split("/").at(-1) ?? "";
  return last === "" ? "file" : last;
}
