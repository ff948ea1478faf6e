import type { MediaFormat } from "../core/template/platform-limits.ts";
import type { Sql } from "./connect.ts";

/** A file for the headers of templates, whole. */
export interface MediaFileRow {
  id: string;
  account_id: string;
  name: string;
  type: string;
  /** In bytes. */
  size: number;
  /** What messages name it by, for as long as the platform remembers it; null before it was uploaded there. */
  platform_media_id: string | null;
  platform_phone_number_id: string | null;
  platform_media_at: Date | null;
  created_at: Date;
}

const mediaFileColumns = (sql: Sql) =>
  sql`id, account_id, name, type, size, platform_media_id, platform_phone_number_id, platform_media_at, created_at`;

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

/** Begins a file whose bytes come in pieces; nobody sees it before it is whole. */
export const beginMediaFile = async (sql: Sql, file: Pick<MediaFileRow, "id" | "account_id" | "name" | "type">): Promise<void> =>
  void (await sql`insert into media_file (id, account_id, name, type) values (${file.id}, ${file.account_id}, ${file.name}, ${file.type})`);

export const addMediaChunk = async (sql: Sql, fileId: string, position: number, bytes: Buffer): Promise<void> =>
  void (await sql`insert into media_chunk (file_id, position, bytes) values (${fileId}, ${position}, ${bytes})`);

/** Makes the file one that can be used. */
export async function completeMediaFile(sql: Sql, id: string, size: number): Promise<MediaFileRow | undefined> {
  const [row] = await sql<MediaFileRow[]>`update media_file set size = ${size} where id = ${id} returning ${mediaFileColumns(sql)}`;
  return row;
}

export const deleteMediaFile = async (sql: Sql, id: string): Promise<void> => void (await sql`delete from media_file where id = ${id}`);

/** Notes what the platform calls the file now. */
export const noteMediaId = async (sql: Sql, id: string, mediaId: string, phoneNumberId: string): Promise<void> =>
  void (await sql`
    update media_file set platform_media_id = ${mediaId}, platform_phone_number_id = ${phoneNumberId}, platform_media_at = now() where id = ${id}`);

/** Deletes what was uploaded a day ago or earlier and stands in no template of its account. */
export async function forgetUnusedMedia(sql: Sql): Promise<number> {
  const rows = await sql`
    delete from media_file f where created_at < now() - interval '1 day' and not exists (
      select 1 from template t where t.account_id = f.account_id and t.definition -> 'header' -> 'file' ->> 'id' = f.id::text)
    returning id`;
  return rows.length;
}
