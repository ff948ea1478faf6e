import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { connect } from "shared/db/connect";
import { requireMigrated } from "shared/db/migrate";
import { readAnySecret } from "shared/db/site-for-ingest";
import { prepareDataFolder } from "shared/postgres/files";
import { openPostgres, startPostgres } from "shared/postgres/start";
import { createVault } from "shared/secrets/vault";
import { ConfigurationError } from "shared/server/configuration-error";
import { runMain } from "shared/server/process";
import { requireDatabase, requireMasterKey } from "shared/server/startup";
import { readBackupConfig } from "../config.ts";
import { type KeyPlace, keyToBackUp, writeArchive, keyToRestore, type VerifiedBackup, verifyBackup } from "./archive.ts";
import { dump, load, migrationsOf, requireEmpty } from "./tables.ts";

await runMain(async () => {
  const { databaseUrl, dataDir, masterKey: given } = readBackupConfig();
  const createdAt = new Date();
  const path = process.argv[2] ?? `tidings-${createdAt.toISOString().slice(0, 19).replaceAll(":", "").replace("T", "-")}.tar.gz`;
  if (databaseUrl !== undefined) return backUp(databaseUrl, path, createdAt, { given, dataDir: undefined });
  await using postgres = await openPostgres(dataDir);
  await backUp(postgres.url, path, createdAt, { given, dataDir });
});

async function backUp(url: string, path: string, createdAt: Date, place: KeyPlace): Promise<void> {
  const sql = connect(url, { max: 1, applicationName: "tidings-backup" });
  try {
    await requireDatabase(sql);
    await requireMigrated(sql);
    const masterKey = await keyToBackUp(place);
    requireMasterKey(createVault(masterKey.key), await readAnySecret(sql));
    const onTable = (name: string, rows: number): void => void (rows > 0 && console.log(`  ${name}: ${rows}`));
    const file = (await sql.begin("isolation level repeatable read read only", async (transaction) => {
      await transaction`set local idle_in_transaction_session_timeout = 0`;
      await transaction`set local statement_timeout = 0`;
      return await writeArchive(path, createdAt, (checksums) => dump(transaction, { createdAt, masterKey, onTable }, checksums));
    })) as string;
    const key = masterKey.included
      ? "It holds the master key too: whoever has it can read every secret in it."
      : "It does not hold the MASTER_KEY that was given: keep that one too, without it no secret in the backup can be read.";
    console.log(`The backup is ${file}\n${key}`);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

await runMain(async () => {
  const path = process.argv[2];
  if (path === undefined) throw new ConfigurationError(['name the backup: "npm run restore -- FILE"']);
  const file = resolve(path);
  const { databaseUrl, dataDir, masterKey: given } = readBackupConfig();
  // Everything that can be wrong with the backup shows before anything is touched.
  const backup = await verifyBackup(file);
  await migrationsOf(backup.manifest);
  console.log(`The backup of ${backup.manifest.createdAt} is whole.`);
  if (databaseUrl !== undefined) {
    await keyToRestore(file, backup, { given, dataDir: undefined });
    return restore(databaseUrl, file, backup, "the database of DATABASE_URL");
  }
  const putKey = await keyToRestore(file, backup, { given, dataDir });
  await prepareDataFolder(dataDir);
  await using postgres = await startPostgres({ dataDir, durable: true });
  // Before the data, which would be of no use without it.
  await putKey?.();
  try {
    await restore(postgres.url, file, backup, `DATA_DIR ${dataDir}`);
  } catch (error) {
    if (putKey !== null) await rm(join(dataDir, "master-key"), { force: true });
    throw error;
  }
});

async function restore(url: string, file: string, { manifest }: VerifiedBackup, place: string): Promise<void> {
  const sql = connect(url, { max: 1, applicationName: "tidings-restore" });
  try {
    await requireDatabase(sql);
    await requireEmpty(sql, manifest, place);
    const { closed } = await load(sql, file, manifest, (name, rows) => console.log(`  ${name}: ${rows}`));
    console.log(`Everything is restored into ${place}.`);
    if (closed > 0)
      console.log(`${closed} events were under way when the backup was made; what of them was not sent is logged as interrupted.`);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
