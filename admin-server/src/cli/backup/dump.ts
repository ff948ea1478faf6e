import { copyOut } from "shared/db/backup/copy";
import { listTablesToKeep, nameOf, type TableToKeep } from "shared/db/backup/list-tables";
import { listWeeks } from "shared/db/backup/partitions";
import type { Sql } from "shared/db/connect";
import { readApplied } from "shared/db/migrate";
import { MANIFEST, type Manifest, MASTER_KEY_FILE } from "./manifest.ts";
import type { KeyToBackUp } from "./master-key.ts";
import type { Member } from "./tar.ts";
import type { Checksums } from "./write-archive.ts";

export interface DumpInput {
  createdAt: Date;
  masterKey: KeyToBackUp;
  /** Told of each table that is done. */
  onTable: (name: string, rows: number) => void;
}

type DumpedTable = Manifest["tables"][number];

/** Rows travel in pieces of about so many bytes: the whole is never in memory. */
const pieceBytes = 1_000_000;

/**
 * Everything that is in the database at one moment, as the files of a backup. Within a transaction that sees one snapshot, so whatever goes on meanwhile makes
 * no difference, and nobody waits for it.
 */
export async function* dump(sql: Sql, { createdAt, masterKey, onTable }: DumpInput, checksums: Checksums): AsyncGenerator<Member> {
  const migrations = (await readApplied(sql)).map(({ number, name, checksum }) => ({ number, name, checksum }));
  const tables: DumpedTable[] = [];
  if (masterKey.included) yield { name: MASTER_KEY_FILE, data: Buffer.from(`${masterKey.key.toString("base64")}\n`) };
  for (const table of await listTablesToKeep(sql)) {
    const dumped: DumpedTable = { ...table, rows: 0, files: [] };
    yield* dumpTable(sql, table, `tables/${String(tables.length).padStart(3, "0")}-${nameOf(table)}`, dumped);
    tables.push(dumped);
    onTable(nameOf(table), dumped.rows);
  }
  const { id, included } = masterKey;
  const manifest: Manifest = {
    format: "tidings-backup",
    version: 1,
    createdAt: createdAt.toISOString(),
    migrations,
    tables,
    weeks: await listWeeks(sql),
    masterKey: { id, included },
    checksums,
  };
  yield { name: MANIFEST, data: Buffer.from(JSON.stringify(manifest, null, 2)) };
}

async function* dumpTable(sql: Sql, table: TableToKeep, folder: string, dumped: DumpedTable): AsyncGenerator<Member> {
  const file = (pieces: Buffer[]): Member => {
    const data = Buffer.concat(pieces);
    const name = `${folder}/${String(dumped.files.length).padStart(6, "0")}.copy`;
    dumped.files.push(name);
    // A line a row: line breaks in values are written as `\n`.
    dumped.rows += data.reduce((count, byte) => count + Number(byte === 10), 0);
    return { name, data };
  };
  let pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of copyOut(sql, table)) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes < pieceBytes) continue;
    yield file(pieces);
    [pieces, bytes] = [[], 0];
  }
  if (bytes > 0) yield file(pieces);
}
