import type { MediaFormat } from "../../../core/template/media-types.ts";
import type { Sql } from "../../connect.ts";
import { mediaFileColumns, type MediaFileRow } from "./row.ts";

/** The account's file, once it is whole. */
export async function findMediaFile(sql: Sql, accountId: string, id: string): Promise<MediaFileRow | undefined> {
  const [row] = await sql<MediaFileRow[]>`
    select ${mediaFileColumns(sql)} from media_file where id = ${id} and account_id = ${accountId} and size is not null`;
  return row;
}

/** A whole file's bytes, a piece at a time. */
export async function* readMediaFile(sql: Sql, id: string): AsyncGenerator<Buffer> {
  for (let position = 0; ; position += 1) {
    const [row] = await sql<{ bytes: Buffer }[]>`select bytes from media_chunk where file_id = ${id} and position = ${position}`;
    if (row === undefined) return;
    yield row.bytes;
  }
}

/** What an account's files take, in bytes; those that are being uploaded count as nothing yet. */
export async function mediaBytes(sql: Sql, accountId: string): Promise<number> {
  const [row] = await sql<[{ bytes: number }]>`
    select coalesce(sum(size), 0)::double precision as bytes from media_file where account_id = ${accountId}`;
  return row.bytes;
}

export interface MediaToUpload {
  template_id: string;
  file_id: string;
  format: MediaFormat;
}

/** The files in the account's templates that the platform does not have for this number, or will soon have forgotten. */
export const listMediaToUpload = (sql: Sql, accountId: string, phoneNumberId: string) =>
  sql<MediaToUpload[]>`
    select t.id as template_id, f.id as file_id, t.definition -> 'header' ->> 'format' as format
    from template t join media_file f on f.account_id = t.account_id and f.id::text = t.definition -> 'header' -> 'file' ->> 'id'
    where t.account_id = ${accountId} and f.size is not null
      and (f.platform_media_id is null or f.platform_phone_number_id is distinct from ${phoneNumberId}
        or f.platform_media_at < now() - interval '20 days'
        or t.definition -> 'header' -> 'file' ->> 'mediaId' is distinct from f.platform_media_id)
    order by t.id`;
