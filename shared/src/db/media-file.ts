import type { MediaFormat } from "../core/template/platform-limits.ts";
import { type RowOf, type Sql, changedRows, columns, countRows, of, one, scalar } from "./statement.ts";

const mediaFileColumns = columns({
  ...of.texts("id", "account_id", "name", "type"),
  /** The size in bytes. */
  size: of<number>(),
  /** The id by which messages name the file, as long as the platform keeps it; null before it was uploaded there. */
  platform_media_id: of<string | null>(),
  platform_phone_number_id: of<string | null>(),
  platform_media_at: of<Date | null>(),
  created_at: of<Date>(),
});

/** A complete file for the headers of templates. */
export type MediaFileRow = RowOf<typeof mediaFileColumns>;

/** Uploads of the account that are under way, or were cut off within the last hour. */
export const countOpenUploads = (sql: Sql, accountId: string) =>
  countRows(sql, sql`select from media_file where account_id = ${accountId} and size is null and created_at > now() - interval '1 hour'`);

/** Begins a file whose bytes come in pieces; nobody sees it before it is complete. */
export const beginMediaFile = (sql: Sql, file: Pick<MediaFileRow, "id" | "account_id" | "name" | "type">) =>
  sql`insert into media_file ${sql(file, "id", "account_id", "name", "type")}`;

export const addMediaChunk = (sql: Sql, fileId: string, position: number, bytes: Buffer) =>
  sql`insert into media_chunk (file_id, position, bytes) values (${fileId}, ${position}, ${bytes})`;

/** Makes the file usable. */
export const completeMediaFile = (sql: Sql, id: string, size: number) =>
  one(sql<MediaFileRow[]>`update media_file set size = ${size} where id = ${id} returning ${mediaFileColumns.read(sql)}`);

/** The account's file, once it is complete. */
export const findMediaFile = (sql: Sql, accountId: string, id: string) =>
  one(sql<MediaFileRow[]>`
    select ${mediaFileColumns.read(sql)} from media_file where id = ${id} and account_id = ${accountId} and size is not null`);

/** The bytes of a complete file, a piece at a time. */
export async function* readMediaFile(sql: Sql, id: string): AsyncGenerator<Buffer> {
  for (let position = 0; ; position += 1) {
    const [row] = await sql<{ bytes: Buffer }[]>`select bytes from media_chunk where file_id = ${id} and position = ${position}`;
    if (row === undefined) return;
    yield row.bytes;
  }
}

/** The total size of the account's files, in bytes; uploads under way do not count. */
export const mediaBytes = (sql: Sql, accountId: string) =>
  scalar(sql<[{ bytes: number }]>`
    select coalesce(sum(size), 0)::double precision as bytes from media_file where account_id = ${accountId}`);

/** The files in the account's templates that the platform does not have for this number, or will soon delete. */
export const listMediaToUpload = (sql: Sql, accountId: string, phoneNumberId: string) =>
  sql<{ template_id: string; file_id: string; format: MediaFormat }[]>`
    select t.id as template_id, f.id as file_id, t.definition -> 'header' ->> 'format' as format
    from template t join media_file f on f.account_id = t.account_id and f.id::text = t.definition -> 'header' -> 'file' ->> 'id'
    where t.account_id = ${accountId} and f.size is not null
      and (f.platform_media_id is null or f.platform_phone_number_id is distinct from ${phoneNumberId}
        or f.platform_media_at < now() - interval '20 days'
        or t.definition -> 'header' -> 'file' ->> 'mediaId' is distinct from f.platform_media_id)
    order by t.id`;

/** Records the platform's id of the file. False, without a change, if somebody else has recorded one since `known` was read. */
export const noteMediaId = async (sql: Sql, known: MediaFileRow, mediaId: string, phoneNumberId: string) =>
  (await changedRows(sql`
    update media_file set platform_media_id = ${mediaId}, platform_phone_number_id = ${phoneNumberId}, platform_media_at = now()
    where id = ${known.id} and platform_media_id is not distinct from ${known.platform_media_id}`)) > 0;

export const deleteMediaFile = (sql: Sql, id: string) => sql`delete from media_file where id = ${id}`;

/** Deletes files that were uploaded at least a day ago and stand in no template of their account. */
export const forgetUnusedMedia = (sql: Sql) =>
  changedRows(sql`
    delete from media_file f where created_at < now() - interval '1 day' and not exists (
      select 1 from template t where t.account_id = f.account_id and t.definition -> 'header' -> 'file' ->> 'id' = f.id::text)`);
