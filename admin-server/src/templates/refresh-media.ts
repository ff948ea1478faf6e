import { listMediaToUpload } from "shared/db/media-file";
import { setMedia } from "shared/db/template";
import type { PlatformCredentials } from "shared/platform/client";
import { readStoredMedia, type MediaContext } from "./header-media.ts";
import { storedFile } from "./stored-file.ts";

/** Has the platform know the files of the account's templates for longer than it would. A file that fails is left for the next time. */
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
