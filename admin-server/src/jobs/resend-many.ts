import type { Sql } from "shared/db/connect";
import { listFailed } from "shared/db/notification/resend";
import type { ResendJobRow } from "shared/db/notification/resend";
import { advanceResendJob, holdResendJob, postponeResendJob } from "shared/db/notification/resend";
import { inTransaction } from "shared/db/transaction";
import type { AdminContext } from "../context.ts";
import { resendMessages } from "../resends/resend-messages.ts";

/** What one transaction takes: an event's payload may be a megabyte. */
const messagesAtOnce = 50;

/** Goes on with what people asked to have sent again, whichever server gets to it, until nothing is left. A server that dies has done a batch or has not. */
export async function resendMany({ sql, stopping, clock }: Pick<AdminContext, "sql" | "stopping" | "clock">): Promise<void> {
  let held: ResendJobRow | undefined;
  const step = async (transaction: Sql): Promise<void> => {
    held = await holdResendJob(transaction);
    if (held !== undefined) await work(transaction, held, clock());
  };
  try {
    do await inTransaction(sql, step);
    while (held !== undefined && !stopping.aborted);
  } catch (error) {
    // The others' turn comes before it is tried again.
    if (held !== undefined) await postponeResendJob(sql, held.id);
    throw error;
  }
}

async function work(sql: Sql, job: ResendJobRow, now: Date): Promise<void> {
  const { id, account_id, filter, force } = job;
  const page = { from: filter.fromId ?? null, before: job.below, limit: messagesAtOnce };
  const ids = await listFailed(sql, account_id, filter, page);
  const outcomes =
    ids.length === 0 ? [] : await resendMessages(sql, account_id, ids, { force, looked: filter.errorCode !== undefined, now });
  const resent = outcomes.filter((outcome) => "isNew" in outcome && outcome.isNew).length;
  const refused = outcomes.filter((outcome) => "refused" in outcome).length;
  await advanceResendJob(sql, id, { resent, refused, below: ids.length < messagesAtOnce ? null : (ids.at(-1) ?? null) });
}
