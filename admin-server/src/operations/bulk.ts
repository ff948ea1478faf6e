import type { cancelManyInput, resendManyInput, sendNowManyInput } from "shared/core/input/log";
import { newId } from "shared/db/ids";
import { countNotifications } from "shared/db/notification/log";
import { insertHeld } from "shared/db/operation/items";
import { advanceByCall, findOperation, finishOperation, type OperationRow } from "shared/db/operation/operation";
import type { Sql } from "shared/db/statement";
import { countScheduled } from "shared/db/waiting/list";
import { readRowCodec } from "shared/sealing/account-rows";
import type { RowCodec } from "shared/secrets/row-codec";
import type { z } from "zod";
import { countMatching, mostResends, type ResendContext, toFailedFilter, toResendFilter } from "../api/resends.ts";
import type { Caller } from "../session/caller.ts";
import { conflict, notFound } from "../trpc/errors.ts";
import { countStretches, present, toLogPage } from "../trpc/paging.ts";
import { readingMessages } from "../trpc/search.ts";
import { beginOperation, refuseTooManyOperations } from "./begin.ts";
import { type ResendInput, runInCall, toScheduledFilter } from "./pages.ts";

type Requester = Pick<Caller, "accountId" | "email" | "role">;

/** Starts a resend, which the servers carry out in the background. Answers its operation. */
export async function startResends(
  { sql, vault }: ResendContext,
  caller: Requester,
  { force, ...wanted }: z.output<typeof resendManyInput>,
): Promise<OperationRow> {
  const { accountId } = caller;
  await refuseTooManyOperations(sql, accountId);
  const rows = await readRowCodec(sql, vault, accountId);
  const filter = toResendFilter(wanted);
  const page = toLogPage(wanted);
  const { total } = await countMatching(sql, accountId, toFailedFilter(rows, filter), page);
  if (total > mostResends)
    throw conflict("These are more than {most} messages: narrow the filter, for example by time", { most: mostResends });
  const now = newId();
  // Messages that fail from now on are left out.
  const position = page.before !== null && page.before < now ? page.before : now;
  const of: ResendInput = { filter, force };
  const { id } = await beginOperation(
    sql,
    caller,
    { kind: "resend", total, position, force, site_id: filter.siteId ?? null },
    { rows, of },
  );
  return await readResend(sql, accountId, id);
}

/** The most messages that are counted at the start; beyond that the total grows with what is found. */
const mostCounted = 100_000;

/** Cancels the scheduled messages that match, those of deleted sites too. */
export async function cancelAll(context: ResendContext, caller: Requester, input: z.output<typeof cancelManyInput>) {
  // Refuses a search that the role may not make.
  const { rows, stretchOf } = await readingMessages(context, caller, { ...input, status: "scheduled" });
  return await runOrLeave(context, caller, { kind: "cancel", rows, input }, async (position) => {
    const range = toLogPage(input, { before: position, limit: mostCounted });
    const { total } = await countStretches(range, stretchOf, (part, filter) =>
      countNotifications(context.sql, caller.accountId, { ...filter, due: input.due, ids: input.ids ?? filter.ids }, part),
    );
    return total;
  });
}

/** Makes the matching scheduled messages due now, those that come next first. Messages of paused sites go on waiting. */
export async function sendAllNow(context: ResendContext, caller: Requester, input: z.output<typeof sendNowManyInput>) {
  const { sql, vault } = context;
  const { accountId } = caller;
  const rows = await readRowCodec(sql, vault, accountId);
  return await runOrLeave(context, caller, { kind: "send_now", rows, input }, async () => {
    const page = { before: null, from: null, limit: mostCounted };
    return (await countScheduled(sql, accountId, toScheduledFilter(vault, accountId, input), page)).scheduled;
  });
}

/** Follows what leaves with the end of a site's pause, in whose transaction it is called before that ends. Answers its operation; null where nothing waits. */
export async function followHeld(sql: Sql, caller: Requester, siteId: string): Promise<{ id: string } | null> {
  const { listed } = await countScheduled(sql, caller.accountId, { siteId, due: true }, { before: null, from: null, limit: 1 });
  if (listed === 0) return null;
  const of = { kind: "send_now", total: 0, site_id: siteId, subject_id: siteId, asked_at: new Date() } as const;
  const { id } = await beginOperation(sql, caller, of);
  const made = await insertHeld(sql, id, siteId, mostCounted);
  await advanceByCall(sql, id, { made, more: made, changes: { waiting: made } });
  return { id };
}

/** Some messages of an operation are done within the call, which `count` tells; the servers go on with the rest in the background. */
async function runOrLeave(
  context: ResendContext,
  caller: Requester,
  { kind, rows, input }: { kind: "cancel" | "send_now"; rows: RowCodec; input: { siteId?: string | undefined } },
  countRest: (position: string | null) => Promise<number>,
) {
  const { sql } = context;
  const operation = await beginOperation(sql, caller, { kind, total: 0, site_id: input.siteId ?? null }, { rows, of: input });
  const { id } = operation;
  const { made, isAll, position } = await runInCall(context, operation);
  if (isAll && (kind === "cancel" || made === 0)) await finishOperation(sql, id);
  else await refuseTooManyOperations(sql, caller.accountId, 1);
  if (!isAll) await advanceByCall(sql, id, { more: await countRest(position) });
  return { operation: { id }, count: made };
}

/** @throws NOT_FOUND */
export async function readResend(sql: Sql, accountId: string, id: string): Promise<OperationRow> {
  const row = await findOperation(sql, accountId, id);
  if (row?.kind !== "resend") throw notFound("resend job");
  return row;
}

/** How far a resend is with the queue; what becomes of the messages is told by its operation. */
export const presentResendJob = (row: OperationRow) => ({
  ...present(row, "id", "force", "created_by", "created_at"),
  // Messages may have failed after they were counted.
  total: Math.max(row.total, row.made + row.without),
  resent: row.made,
  refused: row.without,
  /** Null until all are queued. */
  finishedAt: row.asked_at && row.asked_at.toISOString(),
});
