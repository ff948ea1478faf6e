import type { TemplateDefinition } from "shared/core/template/definition";
import type { PlatformCredentials } from "shared/platform/client";
import { uploadSample } from "shared/platform/media";
import { AppIdMissing } from "./app-id-missing.ts";
import { mediaHeader, readHeaderMedia, type MediaContext } from "./header-media.ts";
import { storedFile } from "./stored-file.ts";

export interface UploadedHeader {
  definition: TemplateDefinition;
  /** Names the sample for the platform's reviewers; null for a header without a file. */
  headerHandle: string | null;
}

/**
 * Gives the platform what a submission needs of a media header: the sample, and the file itself where messages are to name it by id.
 * @throws AppIdMissing, MediaFault, PlatformError
 */
export async function uploadHeader(
  context: MediaContext,
  credentials: PlatformCredentials,
  accountId: string,
  definition: TemplateDefinition,
): Promise<UploadedHeader> {
  const header = mediaHeader(definition);
  if (header === null) return { definition, headerHandle: null };
  if (!credentials.appId) throw new AppIdMissing();
  const media = await readHeaderMedia(context, accountId, header);
  const headerHandle = await uploadSample(context.management, credentials, credentials.appId, media);
  if (header.file === undefined) return { definition, headerHandle };
  const file = await storedFile(context, credentials, accountId, header.file.id, () => Promise.resolve(media));
  return { definition: { ...definition, header: { ...header, file } }, headerHandle };
}
