import type { HeaderFile } from "shared/core/template/definition";
import { findMediaFile } from "shared/db/media-file";
import { noteMediaId } from "shared/db/media-file";
import type { PlatformCredentials } from "shared/platform/client";
import type { MediaBytes } from "shared/platform/media";
import { uploadMedia } from "shared/platform/media";
import { MediaFault, type MediaContext } from "./header-media.ts";

/** The platform forgets an uploaded file after 30 days. */
const freshMs = 20 * 24 * 3_600_000;

/** An uploaded file as a header names it, with the platform's id of it: the known one, or a new one when that is old or another number's. @throws MediaFault, PlatformError */
export async function storedFile(
  { sql, management }: MediaContext,
  credentials: PlatformCredentials,
  accountId: string,
  fileId: string,
  read: () => Promise<MediaBytes>,
): Promise<HeaderFile> {
  const { phoneNumberId } = credentials;
  const known = await findMediaFile(sql, accountId, fileId);
  if (known === undefined) throw new MediaFault("header.fileId", "is not an uploaded file any more: upload it again");
  const { id, name, platform_media_id: knownId, platform_media_at: uploadedAt } = known;
  const isFresh = known.platform_phone_number_id === phoneNumberId && uploadedAt !== null && uploadedAt.getTime() > Date.now() - freshMs;
  if (isFresh && knownId !== null) return { id, name, mediaId: knownId };
  const mediaId = await uploadMedia(management, credentials, await read());
  await noteMediaId(sql, id, mediaId, phoneNumberId);
  return { id, name, mediaId };
}
