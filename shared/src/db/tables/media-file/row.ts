import type { Sql } from "../../connect.ts";

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

export const mediaFileColumns = (sql: Sql) =>
  sql`id, account_id, name, type, size, platform_media_id, platform_phone_number_id, platform_media_at, created_at`;
