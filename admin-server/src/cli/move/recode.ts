import { optOutKey, userKey } from "shared/core/person-key";
import type { MovedTable } from "shared/db/move/rows";
import type { Sql } from "shared/db/statement";
import { readRowCodec, readTimings } from "shared/sealing/account-rows";
import { readValue } from "shared/secrets/row-codec";
import { type ResealableColumn, type Seal, type Vault, readRecord, sealedColumns } from "shared/secrets/vault";
import { addressHash } from "../../mail/outbox.ts";

/** Both installations' keys. */
export interface Vaults {
  from: Vault;
  to: Vault;
  seal: Seal;
  /** Whether digests of phones and other values are the same there: both installations were first started with the same master key. */
  sameDigests: boolean;
}

/** Turns a row's fields in COPY's text form into those of there; null for a row that would mean nothing there. */
type Recode = (fields: string[]) => string[] | null;

const digestColumns = ["phone_hash", "user_hash", "cancel_key", "restart_key", "person_hash", "target_hash"];
/** Tables of digests alone of which nobody knows the values: they are learned anew. */
const forgotten = ["made_once", "shop_history"];

/** The columns that differ there, where the keys do. */
export const recodedColumns = ({ table }: MovedTable, { sameDigests }: Vaults): string[] => [
  ...Object.values(sealedColumns).flatMap((sealed) => (sealed.table === table ? sealed.column : [])),
  ...(sameDigests ? [] : digestColumns),
];

/** Whether fewer rows are there. */
export const isPartial = ({ table }: MovedTable, { sameDigests }: Vaults): boolean =>
  !sameDigests && (forgotten.includes(table) || table === "platform_user");

/** How the rows of a table change on their way; null: not at all. `digests`: those of there by those of here. */
export function recodeOf(
  { table }: MovedTable,
  columns: readonly string[],
  accountId: string,
  vaults: Vaults,
  digests: ReadonlyMap<string, string>,
): Recode | null {
  const sealed = Object.entries(sealedColumns).filter(([, one]) => one.table === table) as [keyof typeof sealedColumns, ResealableColumn][];
  const digested = vaults.sameDigests ? [] : digestColumns.map((name) => columns.indexOf(name)).filter((at) => at >= 0);
  const isForgotten = !vaults.sameDigests && forgotten.includes(table);
  if (sealed.length === 0 && digested.length === 0 && !isForgotten) return null;
  return (fields) => {
    if (isForgotten) return null;
    for (const [name, { column, row, account, sealedAs }] of sealed) {
      const at = columns.indexOf(column);
      // A test site's webhook secret has a place of its own.
      const accounts = account === "''" ? [""] : [accountId, ...(name === "site_secret.secret" ? [`test ${accountId}`] : [])];
      const places = accounts.map((one) => ({ column: sealedAs ?? name, row: fields[columns.indexOf(row)] ?? "", account: one }));
      fields[at] = reseal(vaults, fields[at] ?? "", ...places);
    }
    for (const at of digested) {
      const known = digests.get(fields[at] ?? "");
      if (known !== undefined) fields[at] = known;
      else if (table === "platform_user") return null;
    }
    return fields;
  };
}

/** A record under the key of there, at the first of the places at which it can be read. One that cannot, or is none, stays as it is. */
export function reseal({ from, seal }: Pick<Vaults, "from" | "seal">, stored: string, ...places: Parameters<Seal>[1][]): string {
  if (!/^v\d\./.test(stored)) return stored;
  for (const place of places) {
    const text = readRecord(from, stored, place);
    if (text !== null) return seal(text, place);
  }
  return stored;
}

/** The account's digests of there by those of here, of every value that is known. */
export async function readDigests(sql: Sql, accountId: string, siteIds: readonly string[], vaults: Vaults): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  if (vaults.sameDigests) return digests;
  const { from, to } = vaults;
  const add = (digestOf: (vault: Vault) => string): void => void digests.set(digestOf(from), digestOf(to));
  const rows = await readRowCodec(sql, from, accountId);
  const addPhone = (phone: string): void => add((vault) => vault.fingerprint(optOutKey(accountId, phone)));
  const sites = [...siteIds];
  const told = sql<{ phone: string }[]>`select distinct to_phone as phone from notification where site_id = any(${sites}::uuid[])`.cursor(
    5_000,
  );
  for await (const some of told) for (const { phone } of some) addPhone(readValue(rows, phone, "notification.to_phone", "", ""));
  const secrets = await sql<
    {
      column: "opt_out.phone" | "opt_out.user_id" | "erasure.phone" | "erasure_request.person" | "alert_channel.target";
      row: string;
      stored: string;
      of: string;
    }[]
  >`
    select 'opt_out.phone' as column, id::text as row, phone as stored, '' as of from opt_out where account_id = ${accountId} and phone is not null
    union all select 'opt_out.user_id', id::text, user_id, '' from opt_out where account_id = ${accountId} and user_id is not null
    union all select 'erasure.phone', id::text, phone, '' from erasure where account_id = ${accountId} and phone is not null
    union all select 'erasure_request.person', id::text, person, site_id::text from erasure_request where account_id = ${accountId} and person is not null
    union all select 'alert_channel.target', id::text, target, kind from alert_channel where account_id = ${accountId}`;
  for (const { column, row, stored, of } of secrets) {
    const text = readRecord(from, stored, { column, row, account: accountId });
    if (text === null) continue;
    if (column === "opt_out.phone" || column === "erasure.phone") addPhone(text);
    else if (column === "opt_out.user_id") add((vault) => vault.fingerprint(userKey(accountId, text)));
    else if (column === "erasure_request.person") add((vault) => vault.fingerprint(`erasure request ${of} ${text}`));
    else add((vault) => (of === "email" ? addressHash(vault, text) : vault.fingerprint(`channel ${text}`)));
  }
  const waiting = sql<{ siteId: string; id: string }[]>`
    select site_id as "siteId", id from waiting_message where account_id = ${accountId} and coalesce(cancel_key, restart_key) is not null`.cursor(
    1_000,
  );
  for await (const some of waiting) {
    const [here, there] = await Promise.all([from, to].map((vault) => readTimings({ sql, vault, rows }, accountId, some)));
    for (const [id, kept] of here ?? [])
      for (const key of ["cancel_key", "restart_key"] as const) digests.set(kept[key] ?? "", there?.get(id)?.[key] ?? "");
  }
  digests.delete("");
  return digests;
}
