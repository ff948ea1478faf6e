import { type Sql, hasRows, scalar } from "./statement.ts";

/** The keys that outlive master keys, sealed under the key that seals new records; undefined before the first start. */
export const findVaultKey = (sql: Sql) => scalar(sql<{ record: string }[]>`select record from vault_key`);

/** Stores the keys unless there are some. */
export const insertVaultKey = (sql: Sql, record: string) => sql`insert into vault_key (record) values (${record}) on conflict do nothing`;

/** Replaces the record, once the transactions that hold `readSealingKey` have ended. False when it was replaced meanwhile. */
export const replaceVaultKey = (sql: Sql, before: string, record: string) =>
  hasRows(sql`update vault_key set record = ${record} where record = ${before} returning record`);

/** The id of the master key that seals new records; it does not change until the transaction ends. Undefined before the first start. */
export const readSealingKey = (sql: Sql) => scalar(sql<{ id: string }[]>`select split_part(record, '.', 2) as id from vault_key for share`);
