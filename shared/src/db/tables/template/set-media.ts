import type { HeaderFile } from "../../../core/template/definition.ts";
import type { MediaFormat } from "../../../core/template/media-types.ts";
import type { Sql } from "../../connect.ts";
import { inTransaction } from "../../transaction.ts";
import { definitionValue, templateColumns, type TemplateRow } from "./row.ts";

/** What a media header sends. */
export interface HeaderMedia {
  format: MediaFormat;
  url: string | null;
  file?: HeaderFile | undefined;
}

/**
 * Puts a file into the template's media header, whatever else of the template changes at the same time; undefined when the header is of another format by now.
 * @param insteadOf Only while the header has this uploaded file.
 */
export const setMedia = (
  sql: Sql,
  accountId: string,
  id: string,
  media: HeaderMedia,
  insteadOf?: string,
): Promise<TemplateRow | undefined> =>
  inTransaction(sql, async (transaction) => {
    const [row] = await transaction<TemplateRow[]>`
      select ${templateColumns(transaction)} from template where id = ${id} and account_id = ${accountId} for no key update`;
    const header = row?.definition.header;
    if (row === undefined || header?.format !== media.format) return undefined;
    if (insteadOf !== undefined && header.file?.id !== insteadOf) return undefined;
    const definition = { ...row.definition, header: media };
    const [changed] = await transaction<TemplateRow[]>`
      update template set definition = ${definitionValue(transaction, definition)}, updated_at = now() where id = ${id}
      returning ${templateColumns(transaction)}`;
    return changed;
  });
