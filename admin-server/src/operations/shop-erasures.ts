import { maskPhone } from "shared/core/mask";
import { optOutKey } from "shared/core/message";
import { shopPersonPattern } from "shared/core/person-search";
import { phoneForms } from "shared/core/phone";
import { phoneFinder, phoneEnding } from "shared/core/phone-search";
import type { ShopPerson } from "shared/core/sources/source";
import { insertAuditEntry, lockForAudit } from "shared/db/audit";
import type { Sql } from "shared/db/connect";
import { lockStored } from "shared/db/encryption";
import type { Person } from "shared/db/erasure/erase";
import { siteTables } from "shared/db/erasure/request";
import {
  beginShopErasurePass,
  claimShopErasure,
  decideShopErasure,
  finishShopErasure,
  giveBackShopErasures,
  lockShopErasure,
  releaseShopErasure,
  saveShopErasure,
  takeHeldErasure,
  type WorkingShopErasure,
} from "shared/db/erasure/shop-request";
import { newId, orderId } from "shared/db/ids";
import { listOwnPhones } from "shared/db/own-phones";
import { type Lease, workOnDue } from "shared/db/owned";
import { inTransaction } from "shared/db/transaction";
import { readRowCodec } from "shared/sealing/account-rows";
import { askForShop, readShopPerson } from "shared/sealing/ask-to-erase";
import { plainRows, readValue, type RowCodec } from "shared/secrets/row-codec";
import { erasurePlace } from "shared/secrets/sealed-columns";
import { readRecord } from "shared/secrets/vault";
import { advance, type ErasingContext, type ErasingTimes, noId, ofSite } from "./erasing.ts";

/** Who decides when no owner does. */
const byTime = "14 days";

/** Works on the shops' requests to forget a person that an owner, or the time, has confirmed; each reaches the data of its site alone. */
export async function workOnShopErasures(context: ErasingContext, times: ErasingTimes): Promise<void> {
  while (!context.stopping.aborted && (await takeHeld(context)));
  const due = { claim: claimShopErasure, releaseOf: giveBackShopErasures, seconds: times.leaseMs / 1000 };
  const work = (request: WorkingShopErasure, lease: Lease): Promise<void> =>
    workOn(context, request, lease, times).catch(async (error: unknown) => {
      context.log.warn({ err: error, requestId: request.id }, "a shop's erasure was interrupted and goes on later");
      await releaseShopErasure(context.sql, request.id, lease, times.againMs / 1000);
    });
  while (!context.stopping.aborted && (await workOnDue(context.sql, due, work)));
}

/** Makes a request of an erasure that a gateway of an earlier version asked for. */
async function takeHeld({ sql, vault, log }: ErasingContext): Promise<boolean> {
  return inTransaction(sql, async (transaction) => {
    const held = await takeHeldErasure(transaction);
    if (held === undefined) return false;
    const phone = held.phone === null ? null : readRecord(vault, held.phone, erasurePlace(held.account_id, held.id));
    if (phone === null || held.site_id === null) {
      log.warn({ erasureId: held.id }, "a shop's request to erase is dropped: it does not tell whom, or of which site");
      return true;
    }
    const person = { phone, email: null, customer: null, orders: [] };
    await askForShop(transaction, vault, { accountId: held.account_id, siteId: held.site_id, person });
    return true;
  });
}

async function workOn(context: ErasingContext, request: WorkingShopErasure, lease: Lease, times: ErasingTimes): Promise<void> {
  const { sql, log, vault } = context;
  const { id } = request;
  // The decision ends the claim: the request is due again at once.
  if (request.state === "asked") return confirmByTime(sql, request);
  const named = readShopPerson(vault, request);
  if (named === null) throw new Error("the request does not tell who is meant");
  let current = request;
  const until = performance.now() + times.sliceMs;
  while (current.step < siteTables.length) {
    if (context.stopping.aborted || performance.now() > until) return releaseShopErasure(sql, id, lease, 0);
    current = await erasePage(context, current, named, lease);
  }
  // Rows that were being written at the time of the request may appear after the first pass.
  if (current.pass === 0 || current.postponed > 0) {
    return beginShopErasurePass(sql, id, lease, current.postponed > 0 ? times.againMs / 1000 : 0, times.settleMs / 1000);
  }
  await finishShopErasure(sql, id, lease);
  log.info({ requestId: id, counts: current.counts }, "a shop's customer is forgotten");
}

/** Nobody has decided for two weeks: the request is confirmed, and the audit says so. */
const confirmByTime = (sql: Sql, { id, account_id }: WorkingShopErasure): Promise<void> =>
  inTransaction(sql, async (transaction) => {
    await lockForAudit(transaction, account_id);
    if ((await lockShopErasure(transaction, account_id, id))?.state !== "asked") return;
    await decideShopErasure(transaction, id, "confirmed", null);
    await insertAuditEntry(transaction, {
      id: newId(),
      account_id,
      actor: byTime,
      actor_id: null,
      token_id: null,
      action: "people.confirmErasure",
      subject: id,
      address: null,
    });
  });

/** Erases one page and records the progress, in one transaction. */
async function erasePage(
  context: ErasingContext,
  request: WorkingShopErasure,
  named: ShopPerson,
  lease: Lease,
): Promise<WorkingShopErasure> {
  const table = siteTables[request.step];
  if (table === undefined) return request;
  return await inTransaction(context.sql, async (sql) => {
    await lockStored(sql, request.account_id);
    const person = await toPerson(context, sql, request, named);
    const start = request.pass > 0 && table !== "customer_order" ? request.recent : noId;
    const page = { siteId: request.site_id, after: request.position ?? start, limit: ofSite[table].limit };
    const result = await ofSite[table].erase(sql, person, page);
    const after = { ...request, ...advance(request, result) };
    if (!(await saveShopErasure(sql, request.id, lease, { ...after, scanned: result.scanned })))
      throw new Error("another server has taken the request over");
    return after;
  });
}

async function toPerson(
  { vault }: ErasingContext,
  sql: Sql,
  { account_id: accountId, site_id: siteId, below }: WorkingShopErasure,
  named: ShopPerson,
): Promise<Person> {
  const rows = await readRowCodec(sql, vault, accountId);
  const { phone } = named;
  const pattern = shopPersonPattern(named);
  const ending = phone === null ? pattern : phoneEnding(phone);
  const finds =
    (find: (text: string) => boolean): Person["isIn"] =>
    (stored, column, row) =>
      find(readValue(rows, stored, column, row, ""));
  const own = await listOwnPhones(sql, accountId);
  return {
    pattern,
    ending,
    encodedPattern: "",
    phones: phone === null ? [] : phoneForms(phone).map((digits) => `+${digits}`),
    spellings: phone === null ? [] : spellingsOf(rows, phone),
    mayBeSealed: rows !== plainRows,
    isIn: finds(phoneFinder(pattern)),
    endsIn: finds(phoneFinder(ending)),
    mask: phone === null ? "erased" : maskPhone(phone),
    below,
    ofShop: {
      orders: named.orders.map((value) => orderId(siteId, { kind: "id", value })),
      ownSpellings: own.flatMap((each) => spellingsOf(rows, each)),
      phoneHash: phone === null ? null : vault.fingerprint(optOutKey(accountId, phone)),
    },
  };
}

/** The forms in which a message's recipient is stored. */
const spellingsOf = (rows: RowCodec, phone: string): string[] =>
  phoneForms(phone).flatMap((digits) => rows.spellings(`+${digits}`, "notification.to_phone"));
