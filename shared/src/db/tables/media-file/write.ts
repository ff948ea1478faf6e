import type { Sql } from "../../connect.ts";
import { mediaFileColumns, type MediaFileRow } from "./row.ts";

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
