import { createHmac } from "node:crypto";
import type { Sql } from "../db/statement.ts";
import { findVaultKey, insertVaultKey, readSealingKey } from "../db/vault-key.ts";
import { type Vault, VaultError, createVault, firstFingerprintKey } from "../secrets/vault.ts";
import { ConfigurationError } from "../server/configuration-error.ts";

/** The master keys of a program: the second one while they are being rotated. */
export interface MasterKeys {
  masterKey: Buffer;
  masterKeyOld?: Buffer | undefined;
  /** What sets the first one, for errors; MASTER_KEY by default. */
  name?: string;
}

/** The vault of a migrated database. @throws ConfigurationError when its records need another key. */
export async function openVault(sql: Sql, keys: MasterKeys): Promise<Vault> {
  const { fingerprint } = await readKeptKeys(sql, keys);
  return createVault(keys.masterKey, { olderKeys: olderKeys(keys), fingerprintKey: fingerprint, readSealingKey });
}

/** The keys that were made from the first master key and outlive it. */
export interface KeptKeys {
  /** The key of the digests by which phones and devices are recognised. */
  fingerprint: Buffer;
  /** The SANDBOX_KEY of `npm start`, unless one is configured. */
  sandbox: Buffer;
}

/** The place at which the kept keys are sealed. */
export const keptKeysPlace = { column: "vault_key.record", row: "", account: "" } as const;

/** Reads the kept keys, and makes them at the first start. @throws ConfigurationError when they need another master key. */
export async function readKeptKeys(sql: Sql, keys: MasterKeys): Promise<KeptKeys> {
  if (keys.masterKeyOld?.equals(keys.masterKey) === true)
    throw new ConfigurationError(["MASTER_KEY_OLD is the same key as MASTER_KEY: leave it out, or set MASTER_KEY to the new key"]);
  const vault = createVault(keys.masterKey, { olderKeys: olderKeys(keys) });
  const record = (await findVaultKey(sql)) ?? (await makeKeptKeys(sql, keys));
  try {
    return parse(vault.open(record, keptKeysPlace));
  } catch (cause) {
    if (!(cause instanceof VaultError)) throw cause;
    throw new ConfigurationError(
      [
        `${keys.name ?? "MASTER_KEY"} is not the one that this database's secrets were stored with: start with that one. Between two keys, set the former as MASTER_KEY_OLD. If it is lost, the documentation's page on master keys says what to do`,
      ],
      { cause },
    );
  }
}

/** Makes the kept keys. Any number of programs may do it at once: they make the same, and read back the record that came first. */
async function makeKeptKeys(sql: Sql, keys: MasterKeys): Promise<string> {
  const first = keys.masterKeyOld ?? keys.masterKey;
  await insertVaultKey(sql, createVault(first).seal(writeKeptKeys(newKeptKeys(first)), keptKeysPlace));
  return (await findVaultKey(sql)) ?? "";
}

export const newKeptKeys = (masterKey: Buffer): KeptKeys => ({
  fingerprint: firstFingerprintKey(masterKey),
  sandbox: createHmac("sha256", masterKey).update("tidings sandbox key").digest(),
});

/** The kept keys in the form that is sealed. */
export const writeKeptKeys = ({ fingerprint, sandbox }: KeptKeys): string =>
  JSON.stringify({ fingerprint: fingerprint.toString("base64url"), sandbox: sandbox.toString("base64url") });

function parse(text: string): KeptKeys {
  const { fingerprint, sandbox } = JSON.parse(text) as Record<keyof KeptKeys, string>;
  return { fingerprint: Buffer.from(fingerprint, "base64url"), sandbox: Buffer.from(sandbox, "base64url") };
}

const olderKeys = ({ masterKeyOld }: MasterKeys): Buffer[] => (masterKeyOld === undefined ? [] : [masterKeyOld]);
