import type { HeaderFile, TemplateDefinition } from "shared/core/template/definition";
import { formatOfType, typeNames, type MediaFormat } from "shared/core/template/definition";
import type { Sql } from "shared/db/connect";
import { findMediaFile } from "shared/db/media-file";
import { mediaHeader } from "../../templates/header-media.ts";
import { invalidInput } from "../../trpc/refusals.ts";

/** The definition with what is known of the uploaded file in its header, if it has one. @throws BAD_REQUEST */
export async function nameFile(sql: Sql, accountId: string, definition: TemplateDefinition): Promise<TemplateDefinition> {
  const header = mediaHeader(definition);
  if (header?.file === undefined) return definition;
  return { ...definition, header: { ...header, file: await uploadedFile(sql, accountId, header.format, header.file.id) } };
}

/** The account's uploaded file, for a header of that format. @throws BAD_REQUEST at `header.fileId` */
export async function uploadedFile(sql: Sql, accountId: string, format: MediaFormat, id: string): Promise<HeaderFile> {
  const file = await findMediaFile(sql, accountId, id);
  const refuse = (message: string) => invalidInput([{ path: ["header", "fileId"], message }]);
  if (file === undefined) throw refuse("is not the id of an uploaded file: upload one to /media first");
  if (formatOfType(file.type) !== format) throw refuse(`is a file of type ${file.type}: a ${format} header takes ${typeNames(format)}`);
  return { id, name: file.name, mediaId: file.platform_media_id };
}
