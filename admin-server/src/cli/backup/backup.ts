import { connect } from "shared/db/connect";
import { requireMigrated } from "shared/db/migrate";
import { readAnySecret } from "shared/db/site-for-ingest";
import { openPostgres } from "shared/postgres/start";
import { createVault } from "shared/secrets/vault";
import { runMain } from "shared/server/process";
import { requireDatabase, requireMasterKey } from "shared/server/startup";
import { readBackupConfig } from "../config.ts";
import { type KeyPlace, keyToBackUp, writeArchive } from "./archive.ts";
import { dump } from "./tables.ts";

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
