import { openVault } from "shared/sealing/open-vault";
import { keyId } from "shared/secrets/vault";
import { ConfigurationError } from "shared/server/configuration-error";
import { runMain } from "shared/server/process";
import { readBackupConfig } from "../config.ts";
import { keptMasterKeys, withStoredDatabase } from "../database.ts";
import { writeArchive } from "./archive.ts";
import { dump } from "./database.ts";

await runMain("npm run backup [-- FILE]: writes the whole database into a file, named after the time unless told", async () => {
  const config = readBackupConfig();
  const createdAt = new Date();
  const path =
    process.argv[2] ??
    `tidings-${createdAt.toISOString().slice(0, 19).replaceAll(":", "").replace("T", "-")}.tar.gz${config.backupRecipient === undefined ? "" : ".age"}`;
  await withStoredDatabase(config, "backup", async (sql) => {
    const masterKey = await keyToBackUp(config);
    await openVault(sql, { masterKey: masterKey.key, masterKeyOld: undefined });
    const onTable = (name: string, rows: number): void => void (rows > 0 && console.log(`  ${name}: ${rows}`));
    const file = (await sql.begin("isolation level repeatable read read only", async (transaction) => {
      await transaction`set local idle_in_transaction_session_timeout = 0`;
      await transaction`set local statement_timeout = 0`;
      return await writeArchive(
        path,
        createdAt,
        (checksums) => dump(transaction, { createdAt, masterKey, onTable }, checksums),
        config.backupRecipient,
      );
    })) as string;
    const key = masterKey.included
      ? "It holds the master key too: whoever can open it can read every secret in it."
      : "It does not hold the MASTER_KEY that was given: keep that one too, without it no secret in the backup can be read.";
    const encrypted =
      config.backupRecipient === undefined
        ? "It is not encrypted: set BACKUP_RECIPIENT to an age recipient to have it so."
        : `It is encrypted to ${config.backupRecipient}: only that one's identity opens it.`;
    console.log(`The backup is ${file}\n${key}\n${encrypted}`);
  });
});

/** The key to put into the backup: the one in DATA_DIR; a MASTER_KEY stays out, since its owner keeps it. */
async function keyToBackUp({ databaseUrl, dataDir, masterKey, masterKeyOld }: ReturnType<typeof readBackupConfig>) {
  if (masterKeyOld !== undefined) throw unfinishedRotation();
  if (masterKey !== undefined) return { id: keyId(masterKey), key: masterKey, included: false };
  if (databaseUrl !== undefined)
    throw new ConfigurationError(["MASTER_KEY must be set with DATABASE_URL: the backup notes which key its secrets need"]);
  const kept = await keptMasterKeys(dataDir);
  if (kept.masterKeyOld !== undefined) throw unfinishedRotation();
  return { id: keyId(kept.masterKey), key: kept.masterKey, included: true };
}

function unfinishedRotation(): ConfigurationError {
  return new ConfigurationError([
    "a rotation of the master key is unfinished, and a backup needs one key alone: run npm run rotate-master-key, and leave MASTER_KEY_OLD out, then back up",
  ]);
}
