import { beginEncryptionPass, type EncryptionRow, encryptions, finishEncryption, lockStored, saveEncryption } from "shared/db/encryption";
import { type Lease, workOnDue } from "shared/db/owned";
import { firstId, inGivingTransaction } from "shared/db/statement";
import { readRowCodec } from "shared/sealing/account-rows";
import { encryptPage, isByTime } from "shared/sealing/encrypt-stored";
import type { AdminContext } from "../context.ts";

/** All in milliseconds. */
export const defaultEncryptingTimes = {
  /** Between two looks for accounts that were switched on. */
  tickMs: 1_000,
  /** How long a page may take before another server goes on with it. */
  leaseMs: 120_000,
  /** The time until rows are looked at again, since transactions that began before the switch may have stored some since. */
  againMs: 60_000,
};
export type EncryptingTimes = typeof defaultEncryptingTimes;

type EncryptingContext = Pick<AdminContext, "sql" | "vault" | "log" | "stopping">;

/** Encrypts data that accounts stored before they were switched on, page by page, each account at one server at a time. An interrupted run goes on at its last page. */
export async function workOnEncryptions(context: EncryptingContext, times: EncryptingTimes): Promise<void> {
  const due = { ...encryptions, seconds: times.leaseMs / 1000 };
  const encrypt = (work: EncryptionRow, lease: Lease): Promise<void> =>
    workOn(context, work, lease, times).catch(async (error: unknown) => {
      context.log.warn({ err: error, accountId: work.account_id }, "an account's encryption was interrupted and goes on later");
      await encryptions.rest(context.sql, work.account_id, lease, times.againMs / 1000);
    });
  while (!context.stopping.aborted && (await workOnDue(context.sql, due, encrypt)));
}

async function workOn(context: EncryptingContext, work: EncryptionRow, lease: Lease, times: EncryptingTimes): Promise<void> {
  const { sql, log, stopping } = context;
  const { account_id: accountId } = work;
  let current = work;
  while (current.step < current.steps.length) {
    if (stopping.aborted) return encryptions.rest(sql, accountId, lease, 0);
    current = await encryptNext(context, current, lease);
  }
  if (current.pass === 0 || current.changed > 0 || !current.settled)
    return beginEncryptionPass(sql, accountId, lease, times.againMs / 1000);
  await finishEncryption(sql, accountId, lease);
  log.info({ accountId }, "everything that an account has stored is encrypted");
}

/** Encrypts a page and records the progress. */
const encryptNext = ({ sql, vault }: EncryptingContext, work: EncryptionRow, lease: Lease): Promise<EncryptionRow> =>
  inGivingTransaction(sql, async (transaction) => {
    await lockStored(transaction, work.account_id);
    const step = work.steps[work.step];
    if (step === undefined) return work;
    const rows = await readRowCodec(transaction, vault, work.account_id);
    const after = work.position ?? (work.pass > 1 && isByTime(step) ? work.recent : firstId);
    const { next, changed } = await encryptPage(transaction, rows, { step, accountId: work.account_id, after });
    const progress = { step: next === null ? work.step + 1 : work.step, position: next, changed: work.changed + changed };
    const isOurs = await saveEncryption(transaction, lease, { ...work, ...progress }, changed);
    if (!isOurs) throw new Error("another server has taken it over, or it was switched off");
    return { ...work, ...progress };
  });
