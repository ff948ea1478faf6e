import { maskPhone } from "shared/core/mask";
import { phoneForms } from "shared/core/phone";
import { phoneEnding, phoneFinder, type PhonePattern, phonePattern } from "shared/core/phone-search";
import { lockStored } from "shared/db/encryption";
import {
  type PageResult,
  type Person,
  eraseEvents,
  eraseOrders,
  eraseMessages,
  eraseOfAccount,
  eraseOfSite,
  erasePayloads,
  type PageOf,
} from "shared/db/erasure/erase";
import { type ErasedSiteTable, erasures, type WorkingErasure } from "shared/db/erasure/request";
import { type Lease, workOnDue } from "shared/db/owned";
import { type Sql, firstId, inTransaction } from "shared/db/statement";
import { readRowCodec } from "shared/sealing/account-rows";
import { plainRows, readValue, type RowCodec } from "shared/secrets/row-codec";
import { placeIn } from "shared/secrets/vault";
import type { AdminContext } from "../context.ts";
import { sandboxOf } from "../sandbox/account.ts";

/** All in milliseconds. */
export const defaultErasingTimes = {
  /** How long a shop's request is worked on before those of other accounts have their turn. */
  sliceMs: 5_000,
  /** How long a page may take before another server takes the erasure over. */
  leaseMs: 120_000,
  /** The time from the request until everything that came before it is committed. */
  settleMs: 30_000,
  /** The time until rows that were in use are looked at again. */
  againMs: 30_000,
};
export type ErasingTimes = typeof defaultErasingTimes;

export type ErasingContext = Pick<AdminContext, "sql" | "vault" | "sandbox" | "testSandbox" | "log" | "stopping">;

/**
 * Works on a request to forget a person, page by page, until a time of `performance`. The request has a lease of its own, since servers of earlier versions
 * look for requests as well. An interrupted erasure continues at its last page.
 */
export async function workOnErasure(context: ErasingContext, times: ErasingTimes, id: string, until: number): Promise<void> {
  const work = async (erasure: WorkingErasure, lease: Lease): Promise<void> =>
    erasePages(
      context,
      erasure,
      lease,
      { ...times, until },
      { of: erasures, steps: erasure.steps.length, erase: (sql, now) => eraseStep(context, sql, now) },
    );
  await workOnDue(context.sql, { ...erasures, seconds: times.leaseMs / 1000 }, work, id);
}

/** Erases the next page of a step. */
async function eraseStep(context: ErasingContext, sql: Sql, erasure: WorkingErasure): Promise<PageResult> {
  const { account_id: accountId, position, pass, recent } = erasure;
  const step = erasure.steps[erasure.step];
  if (step === undefined) throw new Error("the erasure has no such step");
  const person = toPerson(context, erasure, await readRowCodec(sql, context.vault, accountId));
  if (step.table === "account") return await eraseOfAccount(sql, person, accountId, erasure.phone_hash);
  const kind = (ofSite as Record<string, { erase: Page; limit: number }>)[step.table];
  if (kind === undefined || step.siteId === null)
    return await eraseInSandbox(context, sql, person, { accountId, after: position ?? firstId });
  const isByTime = step.table !== "customer_order";
  const start = pass > 0 && isByTime ? recent : firstId;
  return await kind.erase(sql, person, { siteId: step.siteId, after: position ?? start, limit: kind.limit });
}

type InWork = Pick<WorkingErasure, "id" | "account_id" | "step" | "position" | "pass" | "postponed" | "counts">;

/** How the requests of one kind are worked on: their statements, the number of their steps, and what erases the next page. */
interface Erasing<Request> {
  of: Pick<typeof erasures, "save" | "beginPass" | "rest" | "finish">;
  steps: number;
  erase: (sql: Sql, request: Request) => Promise<PageResult>;
}

/** Works on a request until a time of `performance`. One that is interrupted goes on at its last page. */
export async function erasePages<Request extends InWork>(
  context: ErasingContext,
  request: Request,
  lease: Lease,
  times: ErasingTimes & { until: number },
  erasing: Erasing<Request>,
): Promise<void> {
  const { sql, log, stopping } = context;
  const { id } = request;
  const { of, steps } = erasing;
  try {
    let current = request;
    while (current.step < steps) {
      if (stopping.aborted || performance.now() > times.until) return await of.rest(sql, id, lease, 0);
      current = await erasePage(sql, current, lease, erasing);
    }
    // Rows that were being written at the time of the request may appear after the first pass.
    if (current.pass === 0 || current.postponed > 0)
      return await of.beginPass(sql, id, lease, current.postponed > 0 ? times.againMs / 1000 : 0, times.settleMs / 1000);
    await of.finish(sql, id, lease);
    log.info({ erasureId: id, counts: current.counts }, "a person is forgotten");
  } catch (error) {
    log.warn({ err: error, erasureId: id }, "an erasure was interrupted and goes on later");
    await of.rest(sql, id, lease, times.againMs / 1000);
  }
}

/** Erases one page and records the progress, in one transaction. */
const erasePage = <Request extends InWork>(sql: Sql, request: Request, lease: Lease, { of, erase }: Erasing<Request>): Promise<Request> =>
  inTransaction(sql, async (transaction) => {
    await lockStored(transaction, request.account_id);
    // A plan for these very patterns takes longer than a page: PostgreSQL would compile them for it, and try them on its statistics.
    await transaction`set local plan_cache_mode = force_generic_plan`;
    const result = await erase(transaction, request);
    const after = { ...request, ...advance(request, result) };
    if (await of.save(transaction, request.id, lease, { ...after, scanned: result.scanned })) return after;
    throw new Error("another server has taken the erasure over");
  });

function advance(erasure: InWork, { next, counts, postponed }: PageResult) {
  const sums = { ...erasure.counts };
  for (const [table, count] of Object.entries(counts)) if (count > 0) sums[table] = (sums[table] ?? 0) + count;
  return {
    step: next === null ? erasure.step + 1 : erasure.step,
    position: next,
    postponed: erasure.postponed + postponed,
    counts: sums,
  };
}

function toPerson({ vault }: ErasingContext, { id, account_id: accountId, phone: sealed, below }: WorkingErasure, rows: RowCodec): Person {
  const phone = vault.open(sealed, placeIn("erasure.phone", accountId, id));
  const encodedPattern = phoneForms(phone).flatMap(encoded).join("|");
  return { ...personOf(rows, phone, phonePattern(phone)), encodedPattern, below, ofShop: null };
}

/** How a person is found who has this phone, if it is known, and whom the pattern finds. */
export function personOf(rows: RowCodec, phone: string | null, pattern: PhonePattern) {
  const ending = phone === null ? pattern : phoneEnding(phone);
  return {
    pattern,
    ending,
    phones: phone === null ? [] : phoneForms(phone).map((digits) => `+${digits}`),
    spellings: phone === null ? [] : spellingsOf(rows, phone),
    mayBeSealed: rows !== plainRows,
    isIn: finderIn(rows, pattern),
    endsIn: finderIn(rows, ending),
    mask: phone === null ? "erased" : maskPhone(phone),
  };
}

/** The forms in which a message's recipient is stored. */
export const spellingsOf = (rows: RowCodec, phone: string): string[] =>
  phoneForms(phone).flatMap((digits) => rows.spellings(`+${digits}`, "notification.to_phone"));

/** Whether a stored value has what the pattern finds. */
function finderIn(rows: RowCodec, pattern: PhonePattern): Person["isIn"] {
  const find = phoneFinder(pattern);
  return (stored, column, row) => find(readValue(rows, stored, column, row, ""));
}

/** The base64 of a text at each of the three offsets at which it may begin, without the characters that also encode its neighbours. */
const encoded = (text: string): string[] =>
  [0, 1, 2].map((offset) => {
    const whole = Math.floor((offset + text.length) / 3) * 4;
    return Buffer.from(`${"x".repeat(offset)}${text}`)
      .toString("base64")
      .slice(offset === 0 ? 0 : 4, whole)
      .replaceAll("+", "\\+");
  });

type Page = (sql: Sql, person: Person, page: PageOf) => Promise<PageResult>;

/** How each table of a site is erased, and how many rows at once. A payload may have a megabyte. */
export const ofSite: Record<ErasedSiteTable, { erase: Page; limit: number }> = {
  event_payload: { erase: erasePayloads, limit: 500 },
  notification: { erase: eraseMessages, limit: 2_000 },
  event: { erase: eraseEvents, limit: 5_000 },
  customer_order: { erase: eraseOrders, limit: 5_000 },
  site: { erase: async (sql, person, { siteId }) => eraseOfSite(sql, person, siteId), limit: 1 },
};

/** Erases messages in the sandbox; the real platform deletes its own. */
async function eraseInSandbox(
  context: Pick<AdminContext, "sandbox" | "testSandbox">,
  sql: Sql,
  { phones }: Person,
  { accountId: owner, after }: { accountId: string; after: string },
): Promise<PageResult> {
  const sandbox = await sandboxOf({ ...context, sql }, owner);
  const none = { deleted: 0, next: null };
  const { deleted, next } = (await sandbox?.forget({ owner, to: phones[0], after: seqIn(after) })) ?? none;
  return { next: next === null ? null : asPosition(next), scanned: 0, counts: { "sandbox.message": deleted }, postponed: 0 };
}

/** A position is a uuid, in whose end the sandbox's seq stands. */
const asPosition = (seq: string): string => firstId.slice(0, -17) + seq.padStart(16, "0").replace(/^\d{4}/u, "$&-");
const seqIn = (position: string): string => position.slice(-17).replace("-", "");
