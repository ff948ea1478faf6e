import type { cancelManyInput, sendNowManyInput } from "shared/core/input/log";
import { optOutKey } from "shared/core/person-key";
import { listNotifications } from "shared/db/notification/log";
import { listFailed, type ResendFilter, takeFormerResend } from "shared/db/notification/resend";
import { insertItems } from "shared/db/operation/items";
import { type Advance, advanceByCall, inheritResend, type WorkingOperation } from "shared/db/operation/operation";
import { cancelScheduled, sendNow } from "shared/db/waiting/cancel";
import { listScheduled, type ScheduledFilter } from "shared/db/waiting/list";
import { readRowCodec } from "shared/sealing/account-rows";
import { readValue, type RowCodec } from "shared/secrets/row-codec";
import type { Vault } from "shared/secrets/vault";
import type { z } from "zod";
import { isChosen, type ResendContext, resendMessages, toFailedFilter } from "../api/resends.ts";
import { nextKey, readStretches, toLogPage } from "../trpc/paging.ts";
import { readingMessages } from "../trpc/search.ts";

/** What is done page by page, in the order of the log. `sql` is a transaction. */
interface PageOf {
  context: ResendContext;
  operation: WorkingOperation;
  rows: RowCodec;
  /** What the operation works on, as its call named it. */
  input: unknown;
}

type PagedKind = "resend" | "cancel" | "send_now";

const pages: Record<PagedKind, (page: PageOf) => Promise<Advance>> = { resend: resendPage, cancel: cancelPage, send_now: sendNowPage };

export const isPaged = (kind: string): kind is PagedKind => Object.hasOwn(pages, kind);

const ended: Advance = { position: null };

/** Works on the next page of an operation in the transaction of `context`; the caller records what it answers. */
export async function runPage(context: ResendContext, operation: WorkingOperation): Promise<Advance> {
  const { id, kind, account_id: accountId } = operation;
  if (!isPaged(kind)) return {};
  const rows = await readRowCodec(context.sql, context.vault, accountId);
  if (operation.input === null) return kind === "resend" ? await inherit(context, rows, operation) : ended;
  // Without what it was to work on, it would work on everything.
  const text = readValue(rows, operation.input, "operation.input", id, null);
  return text === null ? ended : await pages[kind]({ context, operation, rows, input: JSON.parse(text) });
}

/** The most pages that a call works on before it leaves the rest to the servers. */
const mostOfCall = 10;

/** Works on a new operation within its call. Answers the number of messages so far, whether that is all, and where the next page begins. */
export async function runInCall(context: ResendContext, operation: WorkingOperation) {
  const { sql } = context;
  let { position } = operation;
  let sum = 0;
  for (let page = 0; page < mostOfCall; page += 1) {
    const advance = await runPage(context, { ...operation, position });
    const { made = 0, without = 0 } = advance;
    await advanceByCall(sql, operation.id, { ...advance, more: made + without });
    sum += made;
    if (advance.position === null) return { made: sum, isAll: true, position: null };
    position = advance.position ?? position;
  }
  return { made: sum, isAll: false, position };
}

/** Goes on with a resend that a program of an earlier version began. */
async function inherit({ sql }: ResendContext, rows: RowCodec, { id, total }: WorkingOperation): Promise<Advance> {
  const former = await takeFormerResend(sql, id);
  if (former === "held") return {};
  // What that program did is no part of the operation.
  if (former === undefined) return { ...ended, more: -total };
  const { force, below, done } = former;
  const phone = former.filter.phone && readValue(rows, former.filter.phone, "resend_job.filter", id, null);
  // The filter without its phone would match everybody.
  if (phone === null) return { ...ended, more: -total };
  const input: ResendInput = { filter: { ...former.filter, phone }, force };
  await inheritResend(sql, id, rows.seal(JSON.stringify(input), "operation.input", id));
  return { position: below, more: -Math.min(done, total) };
}

/** What a resend works on. */
export interface ResendInput {
  filter: ResendFilter;
  force: boolean;
}

/** The messages of one transaction: the payload of an event may have a megabyte. */
const resentAtOnce = 50;

async function resendPage({ context, operation, rows, input }: PageOf): Promise<Advance> {
  const { filter, force } = input as ResendInput;
  const { sql } = context;
  const { id, account_id: accountId, position: before } = operation;
  const page = { from: filter.fromId ?? null, before, limit: resentAtOnce };
  const ids = await listFailed(sql, accountId, toFailedFilter(rows, filter), page);
  const results = ids.length === 0 ? [] : await resendMessages(context, accountId, ids, { force, looked: isChosen(filter) });
  const items = results.flatMap((each) => ("isNew" in each && each.isNew ? { id: each.repeated, site_id: each.siteId } : []));
  await insertItems(sql, id, items);
  return { ...madeOf(ids, items, "waiting"), position: ids.length < resentAtOnce ? null : (ids.at(-1) ?? null) };
}

/** The most messages that one page cancels or hurries. */
const messagesAtOnce = 1_000;

/** The caller's right to look for a phone was judged when the operation began. */
const role = "owner" as const;

/** Cancels the scheduled messages that match, those of deleted sites too. */
async function cancelPage({ context, operation, input }: PageOf): Promise<Advance> {
  const wanted = input as z.output<typeof cancelManyInput>;
  if (wanted.status !== undefined && wanted.status !== "scheduled") return ended;
  const { id, account_id: accountId } = operation;
  const { sql } = context;
  const asked = { before: operation.position, limit: messagesAtOnce };
  const { range, stretchOf } = await readingMessages(context, { accountId, role }, { ...wanted, status: "scheduled" }, asked);
  const walked = await readStretches(range, stretchOf, (part, filter) =>
    listNotifications(sql, accountId, { ...filter, due: wanted.due, ids: wanted.ids ?? filter.ids }, part),
  );
  const page = walked.rows;
  const cancelled = await cancelScheduled(sql, ...keysOf(page), "cancelled_by_operator");
  await insertItems(sql, id, cancelled, "cancelled");
  return { ...madeOf(page, cancelled, "cancelled"), settled: cancelled.length, position: nextKey(walked, messagesAtOnce, (row) => row.id) };
}

/** Makes the matching scheduled messages due now, those that come next first. Messages of paused sites go on waiting. */
async function sendNowPage({ context: { sql, vault }, operation, input }: PageOf): Promise<Advance> {
  const { id, account_id: accountId, position } = operation;
  const wanted = input as z.output<typeof sendNowManyInput>;
  const wantedNow = toScheduledFilter(vault, accountId, wanted);
  // Messages that were made after the call are left out.
  const filter = { ...wantedNow, before: wantedNow.before ?? (position === null ? null : id) };
  const page = await listScheduled(sql, accountId, filter, { before: position, from: null, limit: messagesAtOnce });
  const hurried = await sendNow(sql, ...keysOf(page));
  await insertItems(sql, id, hurried);
  const last = page.length < messagesAtOnce ? undefined : page.at(-1);
  return { ...madeOf(page, hurried, "waiting"), position: last === undefined ? null : `${last.leaves_at} ${last.id}` };
}

/** The items of a page, and the rest of it, which is skipped. */
function madeOf(page: readonly unknown[], items: readonly unknown[], outcome: "waiting" | "cancelled"): Advance {
  const [made, without] = [items.length, page.length - items.length];
  return { changes: { [outcome]: made, skipped: without }, made, without };
}

const keysOf = (page: readonly { site_id: string; id: string }[]): [sites: string[], ids: string[]] => [
  [...new Set(page.map(({ site_id }) => site_id))],
  page.map(({ id }) => id),
];

type ScheduledInput = Omit<z.output<typeof sendNowManyInput>, "ids"> & { ids?: readonly string[] | undefined };

export function toScheduledFilter(vault: Pick<Vault, "fingerprint">, accountId: string, input: ScheduledInput): ScheduledFilter {
  const { phone, from: _, to: __, ...filter } = input;
  return { ...filter, ...toLogPage(input), phoneHash: phone && vault.fingerprint(optOutKey(accountId, phone)) };
}
