import { resolve } from "node:path";
import { grantEverydayRights } from "shared/db/grants";
import { prepareDataFolder } from "shared/postgres/files";
import { everydayRole, startPostgres } from "shared/postgres/start";
import { keyId } from "shared/secrets/vault";
import { ConfigurationError } from "shared/server/configuration-error";
import { runMain } from "shared/server/process";
import { readBackupConfig } from "../config.ts";
import { type DatabaseUrls, findMasterKey, ownerOf, removeMasterKey, storeMasterKey, withDatabase } from "../database.ts";
import { type Manifest, requireAuthentic, type VerifiedBackup, verifyBackup } from "./archive.ts";
import { load, migrationsOf, requireEmpty } from "./database.ts";
import { readIdentities } from "./encryption.ts";

await runMain("npm run restore -- FILE: fills an empty DATA_DIR, or the empty database of DATABASE_URL, from a backup", async () => {
  const path = process.argv[2];
  if (path === undefined) throw new ConfigurationError(['name the backup: "npm run restore -- FILE"']);
  const file = resolve(path);
  const config = readBackupConfig();
  // Every fault of the backup shows before anything is changed.
  const identities = config.backupIdentityFile === undefined ? [] : await readIdentities(config.backupIdentityFile);
  const backup = await verifyBackup(file, identities);
  const { manifest } = backup;
  await migrationsOf(manifest);
  const missingKey = await keyToStore(file, backup, config);
  const masterKey = config.masterKey ?? Buffer.from(missingKey ?? (await findMasterKey(config.dataDir)) ?? "", "base64");
  requireAuthentic(file, backup, masterKey);
  console.log(`The backup of ${manifest.createdAt} is whole. ${describeOrigin(backup, missingKey)}`);
  const { databaseUrl, migrateDatabaseUrl, dataDir } = config;
  // Only the owner can load rows with the triggers off.
  if (databaseUrl !== undefined)
    return restore(ownerOf(databaseUrl, migrateDatabaseUrl), { file, identities, manifest }, "the database of DATABASE_URL");
  await prepareDataFolder(dataDir);
  await using postgres = await startPostgres({ dataDir, durable: true });
  // The key is stored before the data, which would be of no use without it.
  if (missingKey !== null) await storeMasterKey(dataDir, missingKey);
  try {
    await restore({ ownerUrl: postgres.url, everydayRole }, { file, identities, manifest }, `DATA_DIR ${dataDir}`);
  } catch (error) {
    if (missingKey !== null) await removeMasterKey(dataDir);
    throw error;
  }
});

function describeOrigin({ authentication }: VerifiedBackup, missingKey: string | null): string {
  if (authentication === null)
    return "It is of an earlier version: its checksums are right, but nothing tells whether somebody made it anew.";
  return missingKey === null
    ? "It was made with the master key that is here, and not changed since."
    : "It brought its own master key: it was not changed by anybody without that, but who had the file could make it anew.";
}

interface Source {
  file: string;
  identities: readonly string[];
  manifest: Manifest;
}

async function restore({ ownerUrl, everydayRole: role }: DatabaseUrls, { file, identities, manifest }: Source, place: string) {
  await withDatabase(ownerUrl, "restore", async (sql) => {
    await requireEmpty(sql, manifest, place);
    const { closed } = await load(sql, file, manifest, (name, rows) => console.log(`  ${name}: ${rows}`), identities);
    if (role !== null) await grantEverydayRights(sql, role);
    console.log(`Everything is restored into ${place}.`);
    if (closed > 0)
      console.log(`${closed} events were under way when the backup was made; what of them was not sent is logged as interrupted.`);
  });
}

/**
 * The backup's own key where DATA_DIR lacks it; null when the right key is in place already.
 * @throws ConfigurationError when another key is in place, or the right one is nowhere.
 */
async function keyToStore(
  file: string,
  { manifest, masterKey }: VerifiedBackup,
  { databaseUrl, dataDir, masterKey: given }: ReturnType<typeof readBackupConfig>,
): Promise<string | null> {
  const isRight = (key: Buffer): boolean => keyId(key) === manifest.masterKey.id;
  const shown = file.endsWith(".age") ? `age -d -i IDENTITY_FILE ${file} | tar -xzO master-key` : `tar -xzOf ${file} master-key`;
  const advice = masterKey === null ? "set the MASTER_KEY that the installation ran with" : `"${shown}" shows the right one`;
  if (given !== undefined) {
    if (isRight(given)) return null;
    throw new ConfigurationError([`MASTER_KEY is another key than the one that the backup's secrets are encrypted with: ${advice}`]);
  }
  if (databaseUrl !== undefined) throw new ConfigurationError([`MASTER_KEY must be set with DATABASE_URL: ${advice}`]);
  const kept = await findMasterKey(dataDir).catch(() => undefined);
  if (kept !== undefined) {
    if (isRight(Buffer.from(kept, "base64"))) return null;
    throw new ConfigurationError([`DATA_DIR ${dataDir} holds another master key than the backup's: restore into another folder`]);
  }
  if (masterKey === null) throw new ConfigurationError([`the backup's secrets need its MASTER_KEY: ${advice}`]);
  return masterKey;
}
