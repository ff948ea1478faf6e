import { maskPhone } from "../core/mask.ts";
import { optOutKey } from "../core/message.ts";
import type { Sql } from "../db/connect.ts";
import { type ErasureRow, erasureSteps, requestErasure } from "../db/erasure/request.ts";
import { newId } from "../db/ids.ts";
import { listSiteIds } from "../db/site.ts";
import { erasurePlace } from "../secrets/sealed-columns.ts";
import type { Vault } from "../secrets/vault.ts";

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
    phone: seal(phone, erasurePlace(accountId, id)),
    phone_hash: vault.fingerprint(optOutKey(accountId, phone)),
    hint: maskPhone(phone),
    steps: erasureSteps(await listSiteIds(sql, accountId)),
  });
}
