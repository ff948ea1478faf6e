import { maskPhone } from "shared/core/mask";
import { optOutKey } from "shared/core/message";
import { phonePattern } from "shared/core/phone-search";
import { findSettingsNaming } from "shared/db/erasure/erase";
import { requestErasure } from "shared/db/erasure/request";
import type { ErasureRow } from "shared/db/erasure/request";
import { newId } from "shared/db/ids";
import { listSiteIds } from "shared/db/site";
import type { AdminContext } from "../../context.ts";
import { erasureSteps } from "../../erasing/steps.ts";
import type { Caller } from "../../session/caller.ts";
import { conflict } from "../../trpc/refusals.ts";

/**
 * Has a person forgotten, in the background. Refused while the account's own configuration names the phone: a binding would go on sending to it, and only a
 * person can say what else it should do.
 */
export async function erasePerson({ sql, vault }: AdminContext, { accountId, email }: Caller, phone: string): Promise<ErasureRow> {
  const naming = await findSettingsNaming(sql, accountId, phonePattern(phone));
  if (naming.length > 0) {
    const listed = naming.map(({ kind, id, name }) => `${kind} ${name} (${id})`).join(", ");
    throw conflict(`The phone stands in what was set up here; change or delete it first: ${listed}`);
  }
  return await requestErasure(sql, {
    id: newId(),
    accountId,
    requestedBy: email,
    phone: vault.encrypt(phone),
    phoneHash: vault.fingerprint(optOutKey(accountId, phone)),
    hint: maskPhone(phone),
    steps: erasureSteps(await listSiteIds(sql, accountId)),
  });
}
