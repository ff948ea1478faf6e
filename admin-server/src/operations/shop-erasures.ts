import { optOutKey } from "shared/core/person-key";
import { shopPersonPattern } from "shared/core/phone-search";
import type { ShopPerson } from "shared/core/sources/source";
import { lockForAudit } from "shared/db/audit";
import type { PageResult, Person } from "shared/db/erasure/erase";
import { siteTables } from "shared/db/erasure/request";
import { decideShopErasure, lockShopErasure, shopErasures, takeHeldErasure, type WorkingShopErasure } from "shared/db/erasure/shop-request";
import { orderId } from "shared/db/ids";
import { listOwnPhones } from "shared/db/own-phones";
import { type Lease, workOnDue } from "shared/db/owned";
import { type Sql, firstId, inTransaction } from "shared/db/statement";
import { readRowCodec } from "shared/sealing/account-rows";
import { askForShop, readShopPerson } from "shared/sealing/ask-to-erase";
import { placeIn, readRecord } from "shared/secrets/vault";
import { recordMutation } from "../trpc/audit-trail.ts";
import { erasePages, type ErasingContext, type ErasingTimes, ofSite, personOf, spellingsOf } from "./erasing.ts";

/** Who decides when no owner does. */
const byTime = "14 days";

/** Works on the shops' requests to forget a person that an owner, or the time, has confirmed; each reaches the data of its site alone. */
export async function workOnShopErasures(context: ErasingContext, times: ErasingTimes): Promise<void> {
  while (!context.stopping.aborted && (await takeHeld(context)));
  const due = { ...shopErasures, seconds: times.leaseMs / 1000 };
  while (!context.stopping.aborted && (await workOnDue(context.sql, due, (request, lease) => workOn(context, request, lease, times))));
}

/** Makes a request of an erasure that a gateway of an earlier version asked for. */
const takeHeld = async ({ sql, vault, log }: ErasingContext): Promise<boolean> =>
  inTransaction(sql, async (transaction) => {
    const held = await takeHeldErasure(transaction);
    if (held === undefined) return false;
    const phone = held.phone === null ? null : readRecord(vault, held.phone, placeIn("erasure.phone", held.account_id, held.id));
    if (phone === null || held.site_id === null) {
      log.warn({ erasureId: held.id }, "a shop's request to erase is dropped: it does not tell whom, or of which site");
      return true;
    }
    const person = { phone, email: null, customer: null, orders: [] };
    await askForShop(transaction, vault, { accountId: held.account_id, siteId: held.site_id, person });
    return true;
  });

async function workOn(context: ErasingContext, request: WorkingShopErasure, lease: Lease, times: ErasingTimes): Promise<void> {
  // The decision ends the claim: the request is due again at once.
  if (request.state === "asked") return confirmByTime(context.sql, request);
  const until = performance.now() + times.sliceMs;
  await erasePages(
    context,
    request,
    lease,
    { ...times, until },
    { of: shopErasures, steps: siteTables.length, erase: (sql, now) => eraseTable(context, sql, now) },
  );
}

async function eraseTable(context: ErasingContext, sql: Sql, request: WorkingShopErasure): Promise<PageResult> {
  const { step, position, pass, recent, site_id: siteId } = request;
  const [table, named] = [siteTables[step], readShopPerson(context.vault, request)];
  if (named === null || table === undefined) throw new Error("the request does not tell who is meant");
  const page = { siteId, after: position ?? (pass > 0 && table !== "customer_order" ? recent : firstId), limit: ofSite[table].limit };
  return await ofSite[table].erase(sql, await toPerson(context, sql, request, named), page);
}

/** Nobody has decided for two weeks: the request is confirmed, and the audit says so. */
const confirmByTime = (sql: Sql, { id, account_id }: WorkingShopErasure): Promise<void> =>
  inTransaction(sql, async (transaction) => {
    await lockForAudit(transaction, account_id);
    if ((await lockShopErasure(transaction, account_id, id))?.state !== "asked") return;
    await decideShopErasure(transaction, id, "confirmed", null);
    const actor = { accountId: account_id, name: byTime, userId: null, tokenId: null };
    await recordMutation({ sql: transaction, address: null }, actor, { action: "people.confirmErasure", subject: id });
  });

async function toPerson(
  { vault }: ErasingContext,
  sql: Sql,
  { account_id: accountId, site_id: siteId, below }: WorkingShopErasure,
  named: ShopPerson,
): Promise<Person> {
  const rows = await readRowCodec(sql, vault, accountId);
  const { phone } = named;
  const own = await listOwnPhones(sql, accountId);
  return {
    ...personOf(rows, phone, shopPersonPattern(named)),
    encodedPattern: "",
    below,
    ofShop: {
      orders: named.orders.map((value) => orderId(siteId, { kind: "id", value })),
      ownSpellings: own.flatMap((each) => spellingsOf(rows, each)),
      phoneHash: phone === null ? null : vault.fingerprint(optOutKey(accountId, phone)),
    },
  };
}
