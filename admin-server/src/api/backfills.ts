import { backfillInput, backfillPreviewInput, listBackfillsInput } from "shared/core/input/bindings";
import { idInput } from "shared/core/input/values";
import { describeReason, type Reason } from "shared/core/reason";
import { mostBackfilled, type RequestProblem, sayProblem } from "shared/core/requested";
import { hasExpired } from "shared/core/schedule/due";
import { uuidFloor, uuidTime } from "shared/core/uuid";
import { type Said, say, write } from "shared/core/wording";
import { findAccount } from "shared/db/account";
import {
  type BackfillRow,
  cancelBackfill,
  findBackfill,
  findMissedEvents,
  insertBackfill,
  listBackfills,
  mostPreviewedMs,
} from "shared/db/backfill";
import { type BindingRow, findBinding } from "shared/db/binding";
import { readStoredEvents } from "shared/db/event/stored";
import { newId } from "shared/db/ids";
import { findSite } from "shared/db/site";
import { firstId, type Sql } from "shared/db/statement";
import { readRowCodec, readToReplay } from "shared/sealing/account-rows";
import { refuseTooManyOperations } from "../operations/begin.ts";
import { conflict, absent, Refusal } from "../trpc/errors.ts";
import { present, readPage } from "../trpc/paging.ts";
import { operatorProcedure, router } from "../trpc/trpc.ts";
import { createPlanner, type RequestContext } from "./planner.ts";

/** Runs a site's earlier events for a binding that was made later. */
export const backfillsRouter = router({
  /** Previews a backfill. Sends nothing. */
  backfillPreview: operatorProcedure.input(backfillPreviewInput).query(async ({ ctx, input: { id, since } }) => {
    const { accountId } = ctx.caller;
    return await previewBackfill(ctx, await readBinding(ctx.sql, accountId, id), accountId, since);
  }),

  backfill: operatorProcedure.input(backfillInput).mutation(async ({ ctx, input: { id, since, requestId } }) => {
    const { accountId, email } = ctx.caller;
    const binding = await readBinding(ctx.sql, accountId, id);
    const span = await spanOf(ctx.sql, binding, accountId, since);
    const missed = await findMissedEvents(ctx.sql, span, firstMissed);
    const row = { ...span, id: newId(), account_id: accountId, created_by: email, request_id: requestId, total: missed.ids.length };
    await refuseTooManyOperations(ctx.sql, accountId);
    // The database makes its operation, with its id.
    const made = await insertBackfill(ctx.sql, row);
    if (made === undefined) throw conflict("Another backfill is running: wait for its end, or cancel it");
    const backfill = await readBackfill(ctx.sql, accountId, made);
    if (backfill.binding_id !== id) throw conflict("This requestId was used for another binding: make a new one");
    // A refusal rolls the backfill back; a repeated request is not checked again.
    if (made === row.id) await refuseBackfill(ctx.sql, binding, accountId, missed);
    return { operation: { id: made }, backfill: presentBackfill(backfill) };
  }),

  backfills: operatorProcedure.input(listBackfillsInput).query(async ({ ctx, input }) => {
    const { id } = await readBinding(ctx.sql, ctx.caller.accountId, input.bindingId);
    return await readPage("backfills", input, (page) => listBackfills(ctx.sql, id, page), presentBackfill);
  }),

  cancelBackfill: operatorProcedure.input(idInput).mutation(async ({ ctx, input: { id } }) => {
    await readBackfill(ctx.sql, ctx.caller.accountId, id);
    await cancelBackfill(ctx.sql, id);
    return { backfill: presentBackfill(await readBackfill(ctx.sql, ctx.caller.accountId, id)) };
  }),
});

/** One more event than a backfill runs shows that there are too many. */
const firstMissed = { after: firstId, limit: mostBackfilled + 1 };

type Missed = Awaited<ReturnType<typeof findMissedEvents>>;

/** @throws CONFLICT */
async function refuseBackfill(sql: Sql, binding: BindingRow, accountId: string, { ids, searchedTo }: Missed): Promise<void> {
  const site = await findSite(sql, accountId, binding.site_id);
  if (site?.enabled !== true) throw new Refusal("CONFLICT", sayProblem("site_disabled"));
  if (!binding.enabled) throw conflict("The binding is disabled: enable it first");
  if (ids.length === 0 && searchedTo === null) throw conflict("No event since then is missing at this binding");
  if (ids.length > mostBackfilled) throw conflict("More than {most} events came since then: choose a later time", { most: mostBackfilled });
}

/** The range of events that the binding has missed since a time, as far as the data of events is kept. */
async function spanOf(sql: Sql, { id, site_id, event }: BindingRow, accountId: string, since: Date) {
  const account = (await findAccount(sql, accountId)) ?? absent("account");
  const kept = Date.now() - Math.min(account.payload_days, account.log_days) * 86_400_000;
  return { site_id, binding_id: id, event, above: uuidFloor(Math.max(since.getTime(), kept, 0)), below: newId() };
}

/** How many of the events are planned, and for how long, and how many at a time: the payload of one may have a megabyte. */
const mostPlanned = 500;
const mostPlannedMs = 40;
const plannedAtOnce = 20;
const mostRecipients = 5;

async function previewBackfill(context: RequestContext, binding: BindingRow, accountId: string, since: Date) {
  const { sql, vault } = context;
  const span = await spanOf(sql, binding, accountId, since);
  const { ids, searchedTo } = await findMissedEvents(sql, span, firstMissed, mostPreviewedMs);
  const tally = createTally();
  const planner = await createPlanner(context, accountId, binding.site_id);
  const [own] = planner?.bindingsOf(binding.event).filter(({ id }) => id === binding.id) ?? [];
  const rows = await readRowCodec(sql, vault, accountId);
  const now = context.clock();
  const most = Math.min(ids.length, mostPlanned);
  let planned = planner === null || own === undefined ? most : 0;
  for (const until = performance.now() + mostPlannedMs; planner !== null && own !== undefined && planned < most;) {
    if (planned > 0 && performance.now() > until) break;
    const some = ids.slice(planned, Math.min(planned + plannedAtOnce, most));
    planned += some.length;
    for (const stored of await readStoredEvents(sql, binding.site_id, some)) {
      const event = readToReplay(rows, stored);
      if (typeof event === "string") {
        tally.refuse(event);
        continue;
      }
      if (hasExpired(own.schedule, event.payload, new Date(uuidTime(event.id)), now)) {
        tally.refuse("expired");
        continue;
      }
      const plan = planner.plan(event, [own]);
      const optedOut = await planner.optedOut(plan);
      if (plan.messages.length === 0)
        tally.count(
          "without",
          plan.skip === "skipped_conditions"
            ? say("Its conditions do not hold.")
            : (plan.traces[0]?.reasons[0] ?? say("It has no recipient.")),
        );
      for (const message of plan.messages) {
        const failure = optedOut.has(message) ? say("The recipient has opted out.") : message.failure;
        if (failure === null) tally.send(event.id, message.toPhone);
        else tally.count("failed", failure);
      }
    }
  }
  return {
    /** How many events the binding has missed; `tooMany`: more than one backfill runs. */
    total: Math.min(ids.length, mostBackfilled),
    tooMany: ids.length > mostBackfilled,
    /** Up to when events were looked at; null: to the end. What came later is looked at while the backfill runs. */
    searchedTo: searchedTo && new Date(uuidTime(searchedTo)).toISOString(),
    /** The beginning of the span, no earlier than the kept data. */
    since: new Date(uuidTime(span.above)).toISOString(),
    /** The number of first events that are planned as a gateway would plan them now; the following numbers count only these. */
    planned,
    isEnabled: own !== undefined,
    ...tally.result(),
  };
}

/** The most reasons that are listed. */
const mostReasons = 20;

function createTally() {
  const counts = {
    /** Messages that would leave, and that would fail. */
    messages: 0,
    failed: 0,
    /** Events whose message would have expired by now, and those without any message. Nothing is sent for them. */
    expired: 0,
    without: 0,
  };
  const recipients: { eventId: string; toPhone: string }[] = [];
  const reasons = new Map<string, { count: number; reason: Reason | null; said: Said | null }>();
  const count = (what: "failed" | "without", why: Reason | Said): void => {
    counts[what] += 1;
    const [text, reason, said] = "code" in why ? [describeReason(why), why, null] : [write(why), null, why];
    const noted = reasons.get(text);
    if (noted !== undefined) noted.count += 1;
    else if (reasons.size < mostReasons) reasons.set(text, { count: 1, reason, said });
  };
  return {
    count,
    send(eventId: string, toPhone: string) {
      counts.messages += 1;
      if (recipients.length < mostRecipients) recipients.push({ eventId, toPhone });
    },
    refuse(problem: RequestProblem) {
      if (problem === "expired") counts.expired += 1;
      else count("without", sayProblem(problem));
    },
    result: () => ({
      ...counts,
      recipients,
      /** Each reason in English, and as a reason or a sentence that is data. */
      reasons: Array.from(reasons, ([text, as]) => ({ text, ...as })).toSorted((a, b) => b.count - a.count),
    }),
  };
}

/** @throws NOT_FOUND */
const readBinding = async (sql: Sql, accountId: string, id: string) => (await findBinding(sql, accountId, id)) ?? absent("binding");

/** @throws NOT_FOUND */
const readBackfill = async (sql: Sql, accountId: string, id: string) => (await findBackfill(sql, accountId, id)) ?? absent("backfill");

const presentBackfill = (row: BackfillRow) => ({
  ...present(row, "id", "binding_id", "created_by", "created_at"),
  since: new Date(uuidTime(row.above)).toISOString(),
  /** How many events there were, how many were taken so far, and how many came to nothing. */
  total: Math.max(row.total, row.taken + row.refused),
  ...present(row, "taken", "refused", "cancelled_at"),
  /** Null while it runs. */
  finishedAt: row.finished_at && row.finished_at.toISOString(),
});
