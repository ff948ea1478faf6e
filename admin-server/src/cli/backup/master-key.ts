import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { keyId } from "shared/secrets/vault";
import { ConfigurationError } from "shared/server/configuration-error";
import { keptMasterKey, storeMasterKey } from "../master-key.ts";
import type { VerifiedBackup } from "./read-archive.ts";

export interface KeyPlace {
  /** From MASTER_KEY. */
  given: Buffer | undefined;
  /** Where `npm start` keeps its own; undefined with a DATABASE_URL. */
  dataDir: string | undefined;
}

export interface KeyToBackUp {
  id: string;
  key: Buffer;
  /** Whether it goes into the backup. One that was given is its owner's to keep. */
  included: boolean;
}

/** The key of what is to be backed up. */
export async function keyToBackUp({ given, dataDir }: KeyPlace): Promise<KeyToBackUp> {
  if (given !== undefined) return { id: keyId(given), key: given, included: false };
  if (dataDir === undefined)
    throw new ConfigurationError(["MASTER_KEY must be set with DATABASE_URL: the backup notes which key its secrets need"]);
  const key = Buffer.from(await keptMasterKey(dataDir), "base64");
  return { id: keyId(key), key, included: true };
}

/**
 * Sees to it that the restored secrets can be read: throws a `ConfigurationError` when another key is in their place, or theirs is not to be had. Answers how
 * to put the backup's own key in its place; null when there is nothing to do.
 */
export async function keyToRestore(
  file: string,
  { manifest, masterKey }: VerifiedBackup,
  { given, dataDir }: KeyPlace,
): Promise<(() => Promise<void>) | null> {
  const isRight = (key: Buffer): boolean => keyId(key) === manifest.masterKey.id;
  if (given !== undefined) {
    if (isRight(given)) return null;
    throw new ConfigurationError([
      `MASTER_KEY is another key than the one that the backup's secrets are encrypted with: ${howToGet(file, masterKey)}`,
    ]);
  }
  if (dataDir === undefined) throw new ConfigurationError([`MASTER_KEY must be set with DATABASE_URL: ${howToGet(file, masterKey)}`]);
  const kept = await readFile(join(dataDir, "master-key"), "utf8").catch(() => null);
  if (kept !== null) {
    if (isRight(Buffer.from(kept.trim(), "base64"))) return null;
    throw new ConfigurationError([`DATA_DIR ${dataDir} holds another master key than the backup's: restore into another folder`]);
  }
  if (masterKey === null) throw new ConfigurationError([`the backup's secrets need its MASTER_KEY: ${howToGet(file, masterKey)}`]);
  return async () => storeMasterKey(dataDir, masterKey);
}

const howToGet = (file: string, masterKey: string | null): string =>
  masterKey === null ? "set the MASTER_KEY that the installation ran with" : `"tar -xzOf ${file} master-key" shows the right one`;
