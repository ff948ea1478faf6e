import type { setHeaderMediaInput } from "shared/core/input/bindings";
import { isHttpUrl } from "shared/core/template/check";
import type { TemplateRow } from "shared/db/template";
import { setMedia, type HeaderMedia } from "shared/db/template";
import type { z } from "zod";
import type { AdminContext } from "../../context.ts";
import { mediaHeader, readHeaderMedia, readStoredMedia, type MediaHeader } from "../../templates/header-media.ts";
import { storedFile } from "../../templates/stored-file.ts";
import { conflict, invalidInput } from "../../trpc/refusals.ts";
import { uploadedFile } from "./name-file.ts";
import { askPlatform, credentialsOf } from "./platform-refusal.ts";
import { readTemplate } from "./write-template.ts";

type MediaInput = z.output<typeof setHeaderMediaInput>;

/**
 * Says which file messages of the template carry in their header. That is no part of what the platform approves, so it takes no approval, whatever the
 * template's status; it is how a template that was made elsewhere gets a file.
 */
export async function setHeaderMedia(
  context: Pick<AdminContext, "sql" | "vault" | "management" | "config">,
  accountId: string,
  input: MediaInput,
): Promise<TemplateRow> {
  const row = await readTemplate(context.sql, accountId, input.id);
  const header = mediaHeader(row.definition);
  if (header === null) throw conflict("The template's header takes no file; only an image, video or document header does");
  const changed = await setMedia(context.sql, accountId, row.id, await filled(context, accountId, header, input));
  if (changed === undefined) throw conflict("The template's header has changed at the same time; look at it again");
  return changed;
}

async function filled(
  context: Pick<AdminContext, "sql" | "vault" | "management" | "config">,
  accountId: string,
  { format }: MediaHeader,
  { url, fileId }: MediaInput,
): Promise<HeaderMedia> {
  const { sql, management, config } = context;
  const media = { sql, management, allowed: config.allowPrivate };
  if ((url === undefined) === (fileId === undefined))
    throw invalidInput([{ path: ["url"], message: "must be given, or fileId, and not both" }]);
  if (url !== undefined) {
    if (!isHttpUrl(url)) throw invalidInput([{ path: ["url"], message: "must be an http or https address" }]);
    const header = { format, url };
    // The platform would only fail the messages later, one by one.
    await askPlatform(readHeaderMedia(media, accountId, header));
    return header;
  }
  const { id } = await uploadedFile(sql, accountId, format, fileId ?? "");
  const credentials = await credentialsOf(context, accountId);
  const file = await askPlatform(storedFile(media, credentials, accountId, id, () => readStoredMedia(sql, accountId, id)));
  return { format, url: null, file };
}
