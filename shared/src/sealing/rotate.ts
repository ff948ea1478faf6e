import { randomBytes } from "node:crypto";
import type { Pool, Sql } from "../db/connect.ts";
import { inTransaction } from "../db/transaction.ts";
import { findVaultKey, replaceVaultKey } from "../db/vault-key.ts";
import { verifyTokenPlace } from "../secrets/sealed-columns.ts";
import { createVault, keyId } from "../secrets/vault.ts";
import { ConfigurationError } from "../server/configuration-error.ts";
import { newDataKey } from "./account-rows.ts";
import { keptKeysPlace, type MasterKeys, newKeptKeys, openVault, readKeptKeys, writeKeptKeys } from "./open-vault.ts";
import { countUnsealed, recordsUnder, resealColumn, sealedNames } from "./reseal.ts";

export interface Rotation {
  /** Values that were sealed anew. */
  sealed: number;
  /** Values that neither key opens, by their column: they were lost before, and stay as they are. */
  unreadable: Record<string, number>;
}

const passes = 5;

/**
 * Seals everything anew under `masterKey`, while programs that have both keys run and write: new values are sealed under it from the first moment on. It may
 * be interrupted at any point and begun again, and run twice at once. @throws ConfigurationError when something is left under the old key
 */
export async function rotateMasterKey(
  sql: Pool,
  keys: MasterKeys,
  onProgress: (column: string, sealed: number) => void = () => undefined,
): Promise<Rotation> {
  await switchKey(sql, keys);
  const vault = await openVault(sql, keys);
  const done = recordsUnder(keyId(keys.masterKey));
  let sealed = 0;
  // What a transaction that began before the switch has stored meanwhile shows in the next pass.
  for (let pass = 1; pass <= passes; pass += 1) {
    const unreadable: Record<string, number> = {};
    for (const name of sealedNames) {
      const result = await resealColumn(sql, vault, name, done, { onBatch: (count) => count > 0 && onProgress(name, count) });
      sealed += result.sealed;
      if (result.unreadable > 0) unreadable[name] = result.unreadable;
    }
    if (await isAllSealed(sql, done, unreadable)) return { sealed, unreadable };
  }
  throw new ConfigurationError([
    "some values are still under the old key, as they changed all the time: run npm run rotate-master-key again",
  ]);
}

async function isAllSealed(sql: Sql, done: string, unreadable: Record<string, number>): Promise<boolean> {
  for (const name of sealedNames) if ((await countUnsealed(sql, name, done)) > (unreadable[name] ?? 0)) return false;
  return true;
}

/** Seals the kept keys under the new key, which every program then takes for what it seals. Waits for transactions that seal under the old one. */
async function switchKey(sql: Pool, keys: MasterKeys): Promise<void> {
  const kept = await readKeptKeys(sql, keys);
  const id = keyId(keys.masterKey);
  for (;;) {
    const before = await findVaultKey(sql);
    if (before === undefined || before.split(".")[1] === id) return;
    await replaceVaultKey(sql, before, createVault(keys.masterKey).seal(writeKeptKeys(kept), keptKeysPlace));
  }
}

/** What could not be kept when the master key was lost. */
export interface Loss {
  verifyTokens: number;
  phones: number;
  erasures: number;
  authenticators: number;
  /** Accounts whose encrypted payloads and phones cannot be read any longer. */
  dataKeys: number;
}

/**
 * Lets the database begin anew under another master key, when the former is lost. What can be made anew is, and what nobody can read any longer is removed, or stays for people to enter
 * again. @throws ConfigurationError when the key is not lost: when it is `masterKey` or among `knownKeys`
 */
export async function replaceLostKey(sql: Pool, masterKey: Buffer, knownKeys: readonly Buffer[] = []): Promise<Loss> {
  const vault = createVault(masterKey);
  const isOurs = recordsUnder(keyId(masterKey));
  return await inTransaction(sql, async (transaction) => {
    const [row] = await transaction<{ record: string }[]>`select record from vault_key for update`;
    const needed = row?.record.split(".")[1];
    if ([masterKey, ...knownKeys].some((key) => keyId(key) === needed))
      throw new ConfigurationError(["the key of this database is here: nothing is lost, and nothing was changed. Run it without --lost"]);
    const record = vault.seal(writeKeptKeys(newKeptKeys(masterKey)), keptKeysPlace);
    await transaction`insert into vault_key (record) values (${record}) on conflict (single) do update set record = excluded.record`;
    const accounts = await transaction<
      { id: string }[]
    >`select id from account where verify_token like 'v_.%' and verify_token not like ${isOurs}`;
    for (const { id } of accounts) {
      const token = vault.seal(randomToken(), verifyTokenPlace(id));
      await transaction`update account set verify_token = ${token} where id = ${id}`;
    }
    const phones = await transaction`update opt_out set phone = null where phone like 'v_.%' and phone not like ${isOurs}`;
    await transaction`update outbox set status = 'failed', last_error = 'unreadable', content = null where content not like ${isOurs}`;
    const erasures = await transaction`delete from erasure where phone is not null and phone not like ${isOurs}`;
    const dataKeys = await transaction<{ id: string }[]>`select id from account where data_key is not null and data_key not like ${isOurs}`;
    for (const { id } of dataKeys) {
      const key = newDataKey((text, at) => vault.seal(text, at), id);
      await transaction`update account set data_key = ${key} where id = ${id}`;
    }
    const authenticators = await transaction<
      { user_id: string }[]
    >`delete from totp where coalesce(secret, pending) not like ${isOurs} returning user_id`;
    const people = authenticators.map(({ user_id }) => user_id);
    await transaction`delete from recovery_code where user_id = any(${people}::uuid[])`;
    return {
      verifyTokens: accounts.length,
      phones: phones.count,
      erasures: erasures.count,
      authenticators: authenticators.count,
      dataKeys: dataKeys.length,
    };
  });
}

const randomToken = (): string => randomBytes(24).toString("base64url");
