import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { connect } from "shared/db/connect";
import { prepareDataFolder } from "shared/postgres/files";
import { startPostgres } from "shared/postgres/start";
import { ConfigurationError } from "shared/server/configuration-error";
import { runMain } from "shared/server/process";
import { requireDatabase } from "shared/server/startup";
import { readBackupConfig } from "../config.ts";
import { keyToRestore, type VerifiedBackup, verifyBackup } from "./archive.ts";
import { load, migrationsOf, requireEmpty } from "./tables.ts";

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
