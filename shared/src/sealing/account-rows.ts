import { randomBytes } from "node:crypto";
import { type DataKeyRow, findDataKey, listDataKeysOfSites, setEncryptPayloads, withoutMark } from "../db/account.ts";
import type { Sql } from "../db/connect.ts";
import { cancelEncryption, requestEncryption } from "../db/encryption.ts";
import { deleteRefusedOfAccount } from "../db/refused-request.ts";
import { forgetTestsOfAccount } from "../db/requested-event.ts";
import { listSiteIds } from "../db/site.ts";
import { createRowCodec, plainRows, type RowCodec } from "../secrets/row-codec.ts";
import { dataKeyPlace } from "../secrets/sealed-columns.ts";
import { type Vault, VaultError } from "../secrets/vault.ts";
import { encryptionSteps } from "./encrypt-stored.ts";

/** The codec of the account's rows. @throws VaultError when its data key cannot be read. */
export function rowCodecOf(vault: Pick<Vault, "open">, { account_id: id, encrypt_payloads: seals, data_key }: DataKeyRow): RowCodec {
  const key = withoutMark(data_key);
  return key === null ? plainRows : createRowCodec(Buffer.from(vault.open(key, dataKeyPlace(id)), "base64url"), id, seals);
}

/** The codec of an account as the database has it now. Without its data key nothing encrypted opens, and nothing new is written. */
export async function readRowCodec(sql: Sql, vault: Pick<Vault, "open">, accountId: string): Promise<RowCodec> {
  const row = await findDataKey(sql, accountId);
  return row === undefined ? plainRows : codecOrNone(vault, row);
}

/** The codecs of sites, by site. */
export async function readRowCodecsOfSites(
  sql: Sql,
  vault: Pick<Vault, "open">,
  siteIds: readonly string[],
): Promise<Map<string, RowCodec>> {
  const rows = await listDataKeysOfSites(sql, siteIds);
  return new Map(rows.map((row) => [row.site_id, codecOrNone(vault, row)]));
}

function codecOrNone(vault: Pick<Vault, "open">, row: DataKeyRow): RowCodec {
  try {
    return rowCodecOf(vault, row);
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    const refuse = (): never => {
      throw error;
    };
    return { ...plainRows, seals: row.encrypt_payloads, seal: refuse, conceal: refuse, spellings: refuse };
  }
}

/** A new data key in its stored form. */
export const newDataKey = (seal: (text: string, at: ReturnType<typeof dataKeyPlace>) => string, accountId: string): string =>
  seal(randomBytes(32).toString("base64url"), dataKeyPlace(accountId));

/** Switches the encryption of an account, in the transaction `sql`. Earlier data is encrypted in the background. */
export async function setEncryption(sql: Sql, vault: Vault, accountId: string, isOn: boolean): Promise<void> {
  await setEncryptPayloads(sql, accountId, isOn, isOn ? newDataKey(await vault.sealer(sql), accountId) : null);
  if (isOn) {
    await deleteRefusedOfAccount(sql, accountId);
    await forgetTestsOfAccount(sql, accountId);
  }
  if (isOn) await requestEncryption(sql, accountId, encryptionSteps(await listSiteIds(sql, accountId)));
  else await cancelEncryption(sql, accountId);
}
