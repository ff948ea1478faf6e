import { randomBytes } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect } from "shared/db/connect";
import { grantEverydayRights } from "shared/db/grants";
import { migrate, requireMigrated } from "shared/db/migrate";
import { tellWaits } from "shared/db/migrate-waits";
import type { Pool } from "shared/db/statement";
import { anyUserExists } from "shared/db/user";
import { openPostgres } from "shared/postgres/start";
import type { MasterKeys } from "shared/sealing/open-vault";
import { ConfigurationError } from "shared/server/configuration-error";
import { requireDatabase } from "shared/server/startup";

/**
 * The URL of a database's owner, who migrates it: MIGRATE_DATABASE_URL; without it the programs connect as the owner. `everydayRole`: that of the programs;
 * null when they connect as the owner.
 */
export function ownerOf(databaseUrl: string, migrateDatabaseUrl: string | undefined) {
  const roleOf = (url: string): string => decodeURIComponent(new URL(url).username);
  const role = roleOf(databaseUrl);
  if (migrateDatabaseUrl === undefined || roleOf(migrateDatabaseUrl) === role)
    return { ownerUrl: migrateDatabaseUrl ?? databaseUrl, everydayRole: null };
  if (role === "") throw new ConfigurationError(["DATABASE_URL must name its user beside MIGRATE_DATABASE_URL: that user gets its rights"]);
  return { ownerUrl: migrateDatabaseUrl, everydayRole: role };
}

export type DatabaseUrls = ReturnType<typeof ownerOf>;

/** Brings the database to the newest schema, and gives the programs' role its rights; answers the migrations it applied, and whether anybody can sign in already. `tell` gets a line where it has to wait. */
export const prepareDatabase = async ({ ownerUrl, everydayRole }: DatabaseUrls, tell: (line: string) => void = console.error) =>
  withDatabase(ownerUrl, "migrate", async (sql) => {
    await using _waits = await tellWaits(sql, connect(ownerUrl, { max: 1, applicationName: "tidings-migrate-waits" }), tell);
    const applied = await migrate(sql);
    if (everydayRole !== null) await grantEverydayRights(sql, everydayRole);
    return { applied, hasUsers: await anyUserExists(sql) };
  });

/** Works on the migrated database of `npm start`, which may be running: the one of DATABASE_URL, else the embedded one. `command` names the connection. */
export async function withStoredDatabase<T>(
  { databaseUrl, dataDir }: { databaseUrl: string | undefined; dataDir: string },
  command: string,
  work: (sql: Pool) => Promise<T>,
): Promise<T> {
  const workMigrated = async (sql: Pool): Promise<T> => requireMigrated(sql).then(async () => work(sql));
  if (databaseUrl !== undefined) return withDatabase(databaseUrl, command, workMigrated);
  await using postgres = await openPostgres(dataDir);
  return await withDatabase(postgres.everydayUrl, command, workMigrated);
}

/** Works over one connection that is closed afterwards. @throws ConfigurationError when the database cannot be used. */
export async function withDatabase<T>(url: string, command: string, work: (sql: Pool) => Promise<T>): Promise<T> {
  const sql = connect(url, { max: 1, applicationName: `tidings-${command}` });
  try {
    await requireDatabase(sql);
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** The data folder's own master key, made at the first start (mode 0600). */
export async function keptMasterKey(dataDir: string): Promise<Buffer> {
  const key = Buffer.from(await keyIn(keyFile(dataDir)), "base64");
  if (key.length !== 32)
    throw new ConfigurationError([`${keyFile(dataDir)} is not a key of 32 bytes in base64: restore it, or set DATA_DIR to another folder`]);
  return key;
}

/** The data folder's master key in base64, unchecked; undefined when there is none. */
export const findMasterKey = async (dataDir: string): Promise<string | undefined> => readKey(keyFile(dataDir));

async function readKey(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** The keys of a data folder: the former one too while a rotation is unfinished. */
export async function keptMasterKeys(dataDir: string): Promise<MasterKeys> {
  const kept = await keptMasterKey(dataDir);
  const next = await readKey(nextKeyFile(dataDir));
  return next === undefined ? { masterKey: kept } : { masterKey: Buffer.from(next, "base64"), masterKeyOld: kept };
}

/** Puts the next key beside the data folder's own, or finds the one that an interrupted rotation has put there. */
export async function makeNextKey(dataDir: string): Promise<{ next: Buffer; former: Buffer }> {
  const former = await keptMasterKey(dataDir);
  return { next: Buffer.from(await keyIn(nextKeyFile(dataDir)), "base64"), former };
}

/** Puts the next key in the place of the former one, in one step. */
export const finishKeyFiles = async (dataDir: string): Promise<void> => rename(nextKeyFile(dataDir), keyFile(dataDir));

/** The key in the file, which is made if there is none. */
async function keyIn(file: string): Promise<string> {
  const kept = await readKey(file);
  const key = kept ?? randomBytes(32).toString("base64");
  if (kept === undefined) await writeKey(file, key);
  return key;
}

/** Puts a key into the data folder. Throws when there is one. */
export const storeMasterKey = async (dataDir: string, key: string): Promise<void> => writeKey(keyFile(dataDir), key);

async function writeKey(file: string, key: string): Promise<void> {
  // The key is written whole under another name first: a truncated key would lose everything that it encrypted.
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${key}\n`, { mode: 0o600, flush: true });
  await link(draft, file);
  await rm(draft);
}

export const removeMasterKey = async (dataDir: string): Promise<void> => rm(keyFile(dataDir), { force: true });

const nextKeyFile = (dataDir: string): string => join(dataDir, "master-key.next");

const keyFile = (dataDir: string): string => join(dataDir, "master-key");
