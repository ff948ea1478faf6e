import { requireMigrated } from "shared/db/migrate";
import type { Pool } from "shared/db/statement";
import { everydayRole, openPostgresAlone } from "shared/postgres/start";
import type { MasterKeys } from "shared/sealing/open-vault";
import { replaceLostKey, rotateMasterKey } from "shared/sealing/reseal";
import { ConfigurationError } from "shared/server/configuration-error";
import { runMain } from "shared/server/process";
import { readBackupConfig } from "./config.ts";
import { finishKeyFiles, makeNextKey, prepareDatabase, withDatabase } from "./database.ts";

const lostOption = "--lost";

await runMain(
  "npm run rotate-master-key [-- --lost]: encrypts everything under a new master key; --lost where the former one is gone",
  async () => {
    const config = readBackupConfig();
    const [option] = process.argv.slice(2);
    if (option !== undefined && option !== lostOption) throw new ConfigurationError([`${option} is no option: only ${lostOption} is`]);
    if (config.databaseUrl !== undefined || config.masterKey !== undefined) return rotateGivenKey(config, option === lostOption);
    await rotateOwnKey(config.dataDir, option === lostOption);
  },
);

/** Rotates from the former key to the next one, which are both given; the programs run with both too. */
async function rotateGivenKey({ databaseUrl, dataDir, masterKey, masterKeyOld }: ReturnType<typeof readBackupConfig>, isLost: boolean) {
  if (masterKey === undefined) throw new ConfigurationError(["MASTER_KEY must be set: the new key"]);
  if (!isLost && masterKeyOld === undefined)
    throw new ConfigurationError([`MASTER_KEY_OLD must be set: the key that MASTER_KEY replaces. If it is lost, say ${lostOption}`]);
  const work = async (sql: Pool): Promise<void> => rotate(sql, { masterKey, masterKeyOld }, isLost);
  if (databaseUrl !== undefined) await withDatabase(databaseUrl, "rotate-master-key", work);
  else {
    await using postgres = await openPostgresAlone(dataDir);
    await withDatabase(postgres.everydayUrl, "rotate-master-key", work);
  }
  if (!isLost) console.log("Restart every program without MASTER_KEY_OLD, then destroy that key.");
}

/** Rotates the key in the file of DATA_DIR. Nothing may run there: the programs of a running `npm start` would have only the former key. */
async function rotateOwnKey(dataDir: string, isLost: boolean): Promise<void> {
  await using postgres = await openPostgresAlone(dataDir);
  await prepareDatabase({ ownerUrl: postgres.url, everydayRole });
  const { next, former } = await makeNextKey(dataDir);
  await withDatabase(postgres.everydayUrl, "rotate-master-key", async (sql) =>
    rotate(sql, { masterKey: next, masterKeyOld: former }, isLost),
  );
  await finishKeyFiles(dataDir);
  console.log(`DATA_DIR ${dataDir} holds the new key now.`);
}

async function rotate(sql: Pool, keys: MasterKeys, isLost: boolean): Promise<void> {
  await requireMigrated(sql);
  if (isLost) {
    const known = keys.masterKeyOld === undefined ? [] : [keys.masterKeyOld];
    return console.log(describeLoss(await replaceLostKey(sql, keys.masterKey, known)));
  }
  const { sealed, unreadable } = await rotateMasterKey(sql, keys, (column, count) => console.log(`  ${column}: ${count}`));
  console.log(`Nothing is left under the old key: ${sealed} values were encrypted anew.`);
  for (const [column, count] of Object.entries(unreadable))
    console.log(`${count} values of ${column} open with neither key and were left as they are: enter them again.`);
}

function describeLoss({ verifyTokens, phones, erasures, authenticators, dataKeys }: Awaited<ReturnType<typeof replaceLostKey>>): string {
  return [
    "The database works under the new MASTER_KEY now. What to do next:",
    "  rotate the webhook secret of every site, and give the new one to its sender",
    "  enter the platform's access token and app secret again, or connect to the sandbox",
    `  ${verifyTokens} verify tokens are new: enter them on the platform when you save the callback there again`,
    `  ${phones} people who opted out can no longer be recognised: they are listed without their phones, and would get messages again`,
    `  ${erasures} requests to forget a person were open and are gone: make them again`,
    `  ${authenticators} authenticator apps are removed: their people sign in with the password and set them up again`,
    `  ${dataKeys} accounts encrypted their payloads and phones: what was stored until now cannot be read any longer, new events have a new key`,
  ].join("\n");
}
