import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifyBackup } from "admin-server/cli/backup/archive";
import { writeArchive } from "admin-server/cli/backup/archive";
import { dump } from "admin-server/cli/backup/tables";
import { load } from "admin-server/cli/backup/tables";
import type { Pool } from "shared/db/connect";

/** A folder for backups; removed when disposed. */
export async function backupFolder(): Promise<AsyncDisposable & { file(): string }> {
  const folder = await mkdtemp(join(tmpdir(), "tidings-backup-"));
  return {
    file: () => join(folder, `${randomBytes(4).toString("hex")}.tar.gz`),
    [Symbol.asyncDispose]: async () => rm(folder, { recursive: true, force: true }),
  };
}

/** What `npm run backup` does, with a key of nobody's in the backup. */
export async function backUp(sql: Pool, file: string): Promise<Record<string, number>> {
  const rows: Record<string, number> = {};
  const createdAt = new Date();
  const masterKey = { id: "00000000", key: Buffer.alloc(32), included: true };
  const onTable = (name: string, count: number): void => void (rows[name] = count);
  await sql.begin("isolation level repeatable read read only", async (transaction) => {
    await writeArchive(file, createdAt, (checksums) => dump(transaction, { createdAt, masterKey, onTable }, checksums));
  });
  return rows;
}

/** What `npm run restore` does. */
export async function restore(sql: Pool, file: string): Promise<{ closed: number }> {
  const { manifest } = await verifyBackup(file);
  return await load(sql, file, manifest, () => undefined);
}
