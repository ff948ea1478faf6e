import { randomBytes } from "node:crypto";
import { firstId, type Pool, type Sql, inGivingTransaction, inTransaction } from "../db/statement.ts";
import { findVaultKey, replaceVaultKey } from "../db/vault-key.ts";
import { type ResealableColumn, type Seal, type Vault, VaultError, createVault, keyId, placeIn, sealedColumns } from "../secrets/vault.ts";
import { ConfigurationError } from "../server/configuration-error.ts";
import { newDataKey } from "./account-rows.ts";
import { keptKeysPlace, type MasterKeys, newKeptKeys, openVault, readKeptKeys, writeKeptKeys } from "./open-vault.ts";

type Name = keyof typeof sealedColumns;

const sealedNames = Object.keys(sealedColumns) as Name[];

/** A pattern of LIKE for records under the key that are bound to their place. */
const recordsUnder = (masterKey: Buffer): string => `v2.${keyId(masterKey)}.%`;

const passes = 5;

/**
 * Seals everything anew under `masterKey`, while programs that have both keys run and write: new values are sealed under it from the first moment on. It
 * may be interrupted at any point and begun again, and run twice at once. Answers how many values were sealed anew, and how many of each column neither key
 * opens: they were lost before, and stay unchanged. @throws ConfigurationError when a value is left under the old key
 */
export async function rotateMasterKey(sql: Pool, keys: MasterKeys, onProgress: (column: string, sealed: number) => void = () => undefined) {
  await switchKey(sql, keys);
  const vault = await openVault(sql, keys);
  const done = recordsUnder(keys.masterKey);
  let sealed = 0;
  // The next pass finds values of transactions that began before the switch.
  for (let pass = 1; pass <= passes; pass += 1) {
    const unreadable: Record<string, number> = {};
    for (const name of sealedNames) {
      const result = await resealColumn(sql, vault, name, done, (count) => (count > 0 ? onProgress(name, count) : undefined));
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

/** Seals the kept keys under the new key, which makes every program seal with it. Waits for transactions that seal under the old one. */
async function switchKey(sql: Pool, keys: MasterKeys): Promise<void> {
  const kept = await readKeptKeys(sql, keys);
  const id = keyId(keys.masterKey);
  for (;;) {
    const before = await findVaultKey(sql);
    if (before === undefined || before.split(".")[1] === id) return;
    await replaceVaultKey(sql, before, createVault(keys.masterKey).seal(writeKeptKeys(kept), keptKeysPlace));
  }
}

/**
 * Seals a column's values that `done` does not match under the key that the database names, in batches; values that are written meanwhile stay. Any number
 * of processes may do it at once, and one that was interrupted is simply begun again. `unreadable`: records that no key of this process opens; they stay
 * unchanged.
 */
async function resealColumn(sql: Sql, vault: Vault, name: Name, done: string, onBatch: (sealed: number) => void) {
  const total = { sealed: 0, unreadable: 0 };
  for (let after: string | undefined = firstId; after !== undefined;) {
    const from: string = after;
    const batch = await inGivingTransaction(sql, (transaction) => resealBatch(transaction, vault, name, done, from));
    total.sealed += batch.sealed;
    total.unreadable += batch.unreadable;
    after = batch.next;
    onBatch(total.sealed);
  }
  return total;
}

/** How many of the column's values `done` does not match. */
async function countUnsealed(sql: Sql, name: Name, done: string): Promise<number> {
  const { table, column } = sealedColumns[name];
  const [row] = await sql<[{ count: number }]>`
    select count(*)::integer as count from ${sql(table)} where ${sql(column)} is not null and ${sql(column)} not like ${done}`;
  return row.count;
}

const batchRows = 200;

type StoredValue = Record<"row" | "account" | "stored", string>;

/** `next`: the last row's id; undefined at the end. */
async function resealBatch(sql: Sql, vault: Vault, name: Name, done: string, after: string) {
  const target: ResealableColumn = sealedColumns[name];
  const seal = await vault.sealer(sql);
  const rows = await readRows(sql, target, done, after);
  const changes = rows.flatMap((row) => resealed(vault, seal, name, row));
  if (changes.length > 0) await writeRows(sql, target, changes);
  const next = rows.length < batchRows ? undefined : rows.at(-1)?.row;
  return { sealed: changes.length, unreadable: rows.length - changes.length, next };
}

async function readRows(sql: Sql, { table, column, row, account, locks }: ResealableColumn, done: string, after: string) {
  const rows = await sql<(StoredValue & { locked: string })[]>`
    select t.${sql(row)}::text as row, ${sql.unsafe(account)}::text as account, t.${sql(column)} as stored,
      ${locks === undefined ? sql`null` : sql`t.${sql(locks)}::text`} as locked
    from ${sql(table)} t where t.${sql(column)} is not null and t.${sql(column)} not like ${done} and t.${sql(row)} > ${after}::uuid
    order by t.${sql(row)} limit ${batchRows}`;
  if (locks !== undefined) {
    const sites = [...new Set(rows.map(({ locked }) => locked))];
    await sql`select from site where id = any(${sites}::uuid[]) order by id for no key update`;
  }
  return rows;
}

function resealed(vault: Vault, seal: Seal, name: Name, { row, account, stored }: StoredValue) {
  const target: ResealableColumn = sealedColumns[name];
  const at = { column: target.sealedAs ?? name, row, account };
  try {
    return [{ row, stored, sealed: seal(vault.open(stored, at), at) }];
  } catch (error) {
    if (error instanceof VaultError) return [];
    throw error;
  }
}

/** Writes rows, except values that were changed meanwhile. */
const writeRows = (sql: Sql, { table, column, row }: ResealableColumn, changes: readonly object[]) =>
  sql`
    update ${sql(table)} t set ${sql(column)} = w.sealed
    from json_to_recordset(${JSON.stringify(changes)}::text::json) as w("row" uuid, stored text, sealed text)
    where t.${sql(row)} = w."row" and t.${sql(column)} = w.stored`;

/**
 * Lets the database begin anew under another master key, when the former is lost. Values that can be made anew are, and unreadable ones are removed, or
 * stay for people to enter again. Answers what was lost; `dataKeys`: the accounts whose encrypted payloads and phones can no longer be read. @throws ConfigurationError when the key is not lost: when it is `masterKey` or among `knownKeys`
 */
export async function replaceLostKey(sql: Pool, masterKey: Buffer, knownKeys: readonly Buffer[] = []) {
  const vault = createVault(masterKey);
  const isOurs = recordsUnder(masterKey);
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
      const token = vault.seal(randomBytes(24).toString("base64url"), placeIn("account.verify_token", id));
      await transaction`update account set verify_token = ${token} where id = ${id}`;
    }
    const phones = await transaction`update opt_out set phone = null where phone like 'v_.%' and phone not like ${isOurs}`;
    await transaction`update opt_out set user_id = null where user_id not like ${isOurs}`;
    await transaction`update outbox set status = 'failed', last_error = 'unreadable', content = null where content not like ${isOurs}`;
    const erasures = await transaction`delete from erasure where phone is not null and phone not like ${isOurs}`;
    const asked = await transaction`delete from erasure_request where person is not null and person not like ${isOurs}`;
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
      erasures: erasures.count + asked.count,
      authenticators: authenticators.count,
      dataKeys: dataKeys.length,
    };
  });
}
