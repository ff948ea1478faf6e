import { z } from "zod";

/** The names of a backup's own files. */
export const MANIFEST = "manifest.json";
export const MASTER_KEY_FILE = "master-key";

/** What a backup says of itself; the last file in it, so that one that is cut off has none. */
export const manifestSchema = z.object({
  format: z.literal("tidings-backup"),
  version: z.literal(1),
  createdAt: z.iso.datetime(),
  migrations: z.array(z.object({ number: z.int(), name: z.string(), checksum: z.string() })).min(1),
  /** In the order in which they are loaded. */
  tables: z.array(
    z.object({
      schema: z.string(),
      name: z.string(),
      columns: z.array(z.string()),
      identity: z.string().nullable(),
      rows: z.int(),
      files: z.array(z.string()),
    }),
  ),
  weeks: z.array(z.string()),
  /** Names the master key without telling it; `included`: whether it lies in the backup. */
  masterKey: z.object({ id: z.string(), included: z.boolean() }),
  /** SHA-256, hex, of every other file. */
  checksums: z.record(z.string(), z.string()),
});
export type Manifest = z.output<typeof manifestSchema>;
