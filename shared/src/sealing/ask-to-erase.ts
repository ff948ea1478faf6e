import { maskPhone } from "../core/mask.ts";
import { optOutKey } from "../core/person-key.ts";
import type { ShopPerson } from "../core/sources/source.ts";
import { type ErasureRow, erasureSteps, requestErasure } from "../db/erasure/request.ts";
import { insertShopErasure } from "../db/erasure/shop-request.ts";
import { newId } from "../db/ids.ts";
import { listSiteIds } from "../db/site.ts";
import type { Sql } from "../db/statement.ts";
import { type Vault, placeIn, readRecord } from "../secrets/vault.ts";

/** Asks, in the transaction `sql`, for a person of the account to be forgotten; answers the open request when there is one. */
export async function askToErase(
  sql: Sql,
  vault: Pick<Vault, "sealer" | "fingerprint">,
  { accountId, phone, requestedBy }: { accountId: string; phone: string; requestedBy: string },
): Promise<ErasureRow> {
  const seal = await vault.sealer(sql);
  const id = newId();
  return await requestErasure(sql, {
    id,
    account_id: accountId,
    requested_by: requestedBy,
    phone: seal(phone, placeIn("erasure.phone", accountId, id)),
    phone_hash: vault.fingerprint(optOutKey(accountId, phone)),
    hint: maskPhone(phone),
    steps: erasureSteps(await listSiteIds(sql, accountId)),
  });
}

/**
 * Notes, in the transaction `sql`, that a shop asks for one of its customers to be forgotten: an owner decides. Answers the request's id; null where nothing
 * names anybody, `full` where too many of the site wait.
 */
export async function askForShop(
  sql: Sql,
  vault: Pick<Vault, "sealer" | "fingerprint">,
  { accountId, siteId, person }: { accountId: string; siteId: string; person: ShopPerson },
): Promise<string | null> {
  const { phone, email, customer, orders } = person;
  if (phone === null && email === null && customer === null && orders.length === 0) return null;
  const seal = await vault.sealer(sql);
  const id = newId();
  const text = JSON.stringify({ phone, email, customer, orders } satisfies ShopPerson);
  const isNoted = await insertShopErasure(sql, {
    id,
    account_id: accountId,
    site_id: siteId,
    person: seal(text, placeIn("erasure_request.person", accountId, id)),
    person_hash: vault.fingerprint(`erasure request ${siteId} ${text}`),
    hint: phone === null ? "" : maskPhone(phone),
  });
  return isNoted ? id : "full";
}

/** Who is meant by a shop's request; null once that is forgotten, or cannot be read. */
export function readShopPerson(
  vault: Pick<Vault, "open">,
  { id, account_id, person }: { id: string; account_id: string; person: string | null },
): ShopPerson | null {
  const text = person === null ? null : readRecord(vault, person, placeIn("erasure_request.person", account_id, id));
  return text === null ? null : (JSON.parse(text) as ShopPerson);
}
