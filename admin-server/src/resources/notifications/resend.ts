import type { resendFilterInput, resendManyInput } from "shared/core/input/log";
import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { findNotification, type NotificationDetailRow } from "shared/db/notification/log";
import { countFailed } from "shared/db/notification/resend";
import { findResendJob } from "shared/db/notification/resend";
import type { ResendFilter, ResendJobRow } from "shared/db/notification/resend";
import { insertResendJob } from "shared/db/notification/resend";
import { readStoredError } from "shared/platform/errors/classify";
import { explain, resendOutlook } from "shared/platform/errors/classify";
import type { z } from "zod";
import { toLogPage } from "../../log-page.ts";
import { resendMessages } from "../../resends/resend-messages.ts";
import { conflict, notFound } from "../../trpc/refusals.ts";

/** The most that one call sends again. */
const mostResends = 10_000;

type Filter = z.output<typeof resendFilterInput>;

/** The message that repeats this one; the same however often it is asked for. */
export async function resendOne(
  sql: Sql,
  accountId: string,
  { id, force }: { id: string; force: boolean },
  now: Date,
): Promise<NotificationDetailRow> {
  const [outcome] = await resendMessages(sql, accountId, [id], { force, looked: true, now });
  if (outcome === undefined) throw notFound("notification");
  if ("refused" in outcome) throw conflict(outcome.refused);
  const repeated = await findNotification(sql, accountId, outcome.repeated);
  if (repeated === undefined) throw notFound("notification");
  return repeated;
}

/** How many messages the filter holds and what a resend of them would come to, before anybody decides. */
export async function countResends(sql: Sql, accountId: string, filter: Filter) {
  const rows = await countFailed(sql, accountId, toResendFilter(filter), toLogPage(filter, null, mostResends + 1));
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  return {
    total: Math.min(total, mostResends),
    /** There are more than one call sends again. */
    tooMany: total > mostResends,
    errors: rows.map(({ error_code: code, error_detail, count }) => {
      const failure = { code, subcode: readStoredError(error_detail).subcode };
      return { code, count, resend: resendOutlook(failure), explanation: explain(failure) };
    }),
  };
}

/** Begins to send a filter's messages again; servers go on with it by themselves. */
export async function startResends(
  sql: Sql,
  { accountId, email }: { accountId: string; email: string },
  input: z.output<typeof resendManyInput>,
): Promise<ResendJobRow> {
  const { total, tooMany } = await countResends(sql, accountId, input);
  if (tooMany) throw conflict(`These are more than ${mostResends} messages; narrow the filter, by time say`);
  // Messages that fail from now on are not meant.
  const { before } = toLogPage(input, null, 0);
  const now = newId();
  const job = {
    id: newId(),
    account_id: accountId,
    created_by: email,
    filter: toResendFilter(input),
    force: input.force,
    total,
    below: before !== null && before < now ? before : now,
  };
  await insertResendJob(sql, job);
  return await readResendJob(sql, accountId, job.id);
}

export async function readResendJob(sql: Sql, accountId: string, id: string): Promise<ResendJobRow> {
  const job = await findResendJob(sql, accountId, id);
  if (job === undefined) throw notFound("resend job");
  return job;
}

function toResendFilter(input: Filter): ResendFilter {
  const { siteId, eventId, event, phone, template, errorCode } = input;
  return { siteId, eventId, event, phone, template, errorCode, fromId: toLogPage(input, null, 0).from ?? undefined };
}
