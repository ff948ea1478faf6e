import { type DropCode, dropStatuses } from "../../core/message.ts";
import { type NotificationResult, recordResults } from "../event/settle.ts";
import { noteLate } from "../notification/statuses.ts";
import { type Sql, inTransaction } from "../statement.ts";
import { type DueSite, lockTurns, type OwnedMessage, type Recipient, recipientRows, turnedOn } from "./turns.ts";

/** The outcome of a message that was taken. */
export type WaitingOutcome =
  | { kind: "settled"; result: NotificationResult }
  /** The platform has reported on the message meanwhile. */
  | { kind: "known" }
  | { kind: "dropped"; code: DropCode }
  | Later;

/** The message is due again. */
export interface Later {
  kind: "later";
  seconds: number;
  /** The platform's code; null if the message was not tried. */
  refused: string | null;
  /** Whether the next time counts as another attempt. A refusal that does not count is kept once, however often it comes. */
  again: boolean;
  /** True if all messages to this phone wait as long, in their order. */
  pausesPhone: boolean;
  /** The platform's code for which it waits, if that has a wait of its own. */
  heldFor?: string | null;
}

export interface WaitingResult extends Recipient, OwnedMessage {
  outcome: WaitingOutcome;
}

/**
 * Records the outcomes of messages that `owner` took, and passes on their recipients' turns; answers the sites where a turn is due now. For a message that
 * another gateway has by now, or that is tried anew, only the platform's answer counts.
 */
export const settleWaiting = async (sql: Sql, owner: string, given: readonly WaitingResult[]): Promise<DueSite[]> =>
  await inTransaction(sql, async (transaction) => {
    const locked = await transaction<{ id: string; take: string }[]>`
      select id, xmin::text as take from waiting_message
      where site_id = any(${sitesOf(given)}::uuid[]) and id = any(${idsOf(given)}::uuid[]) and owner = ${owner} order by site_id, id for update`;
    const takes = new Map(locked.map(({ id, take }) => [id, take]));
    const isOurs = ({ id, take }: WaitingResult): boolean => takes.get(id) === take;
    const ours = given.filter(isOurs);
    const results = given.flatMap((one) =>
      one.outcome.kind === "settled" && (isOurs(one) || !one.outcome.result.local) ? one.outcome.result : [],
    );
    if (results.length > 0) await recordResults(transaction, results);
    await recordOthers(transaction, ours);
    await noteLate(transaction, given);
    // The turn of another message's recipient may be that of a message that this owner has taken since.
    return await passOn(transaction, ours, [owner]);
  });

async function recordOthers(sql: Sql, given: readonly WaitingResult[]): Promise<void> {
  const later = given.flatMap(({ id, outcome }) => (outcome.kind === "later" ? { id, ...outcome } : []));
  const ended = given.filter(({ outcome }) => isOver[outcome.kind]);
  const dropped = ended.flatMap(({ id, site_id, outcome }) =>
    outcome.kind === "dropped" ? { id, site_id, code: outcome.code, status: dropStatuses[outcome.code] } : [],
  );
  if (ended.length > 0) await endWaiting(sql, ended);
  if (dropped.length > 0) {
    const rows = sql`json_to_recordset(${JSON.stringify(dropped)}::text::json) as d(id uuid, code text, status notification_status)`;
    await sql`
      update notification n set (status, error_code) = (select d.status, d.code from ${rows} where d.id = n.id)
      where n.site_id = any(${sitesOf(dropped)}::uuid[]) and n.id = any(${idsOf(dropped)}::uuid[]) and n.status = 'sending'`;
  }
  if (later.length > 0) await postpone(sql, sitesOf(given), later);
}

/** Ends the waiting of messages, but for those that the platform took and refused for a while before that was recorded: these wait on. */
async function endWaiting(sql: Sql, ended: readonly WaitingResult[]): Promise<void> {
  const within = sql`site_id = any(${sitesOf(ended)}::uuid[]) and id = any(${idsOf(ended)}::uuid[])`;
  const gone =
    await sql`delete from waiting_message where ${within} and id <> all(array(select id from notification where ${within} and status = 'queued'))`;
  if (gone.count < ended.length) await waitOn(sql, ended);
}

/** Has messages wait on for which a report came that they wait: while somebody owned them, that could be told in the log alone. */
async function waitOn(sql: Sql, messages: readonly { site_id: string; id: string }[]): Promise<void> {
  const within = sql`site_id = any(${sitesOf(messages)}::uuid[]) and id = any(${idsOf(messages)}::uuid[])`;
  await sql`
    update waiting_message w set owner = null, again = true, doubts = 0, held_for = n.code, due_at = coalesce(n.until, now())
    from (select id, tries->-1->>'code' as code, (tries->-1->>'until')::timestamptz as until from notification where ${within} and status = 'queued') n
    where w.site_id = any(${sitesOf(messages)}::uuid[]) and w.id = any(${idsOf(messages)}::uuid[]) and w.id::text = n.id::text`;
}

/** Whether the queue is done with a message. What is, has its status by the statements above. */
const isOver: Record<WaitingOutcome["kind"], boolean> = { settled: true, known: true, dropped: true, later: false };

/** A phone that pauses keeps its messages' order: they stay due, and its turn comes later. */
async function postpone(sql: Sql, sites: readonly string[], later: readonly (Later & { id: string })[]): Promise<void> {
  const rows = sql`json_to_recordset(${JSON.stringify(later)}::text::json) as l(id uuid, seconds double precision, refused text, again boolean, "pausesPhone" boolean, "heldFor" text)`;
  await sql`
    with due as (
      update waiting_message w set owner = null, again = l.again, held_for = l."heldFor",
        due_at = case when l."pausesPhone" or l.seconds = 0 then w.due_at else greatest(w.due_at, now() + make_interval(secs => l.seconds)) end
      from ${rows} where w.site_id = any(${[...sites]}::uuid[]) and w.id = l.id
      returning w.account_id, w.phone_hash, case when l."pausesPhone" then now() + make_interval(secs => l.seconds) end as paused_until
    ),
    paused as (
      update recipient_turn r set paused_until = due.paused_until from due
      where due.paused_until is not null and r.account_id = due.account_id and r.phone_hash = due.phone_hash
    )
    update notification n set status = 'queued',
      tries = case when l.refused is null or (not l.again and n.tries->-1->>'code' = l.refused) then n.tries else coalesce(n.tries, '[]') || jsonb_build_object('at', now(), 'code', l.refused) end
    from ${rows}
    where n.site_id = any(${[...sites]}::uuid[]) and n.id = any(${later.map(({ id }) => id)}::uuid[]) and n.id::text = l.id::text and n.status = 'sending'`;
}

/**
 * Releases waiting messages of owners that do not work on them any more: all of them, or `messages`, unless these were taken anew since. They may have been
 * sent, and are in doubt: the platform's callback decides, or they are due again after `inDoubtSeconds`. Null: nothing was sent, and they wait as before.
 * Answers the messages.
 */
export const giveBackWaiting = (sql: Sql, owners: readonly string[], how: GiveBack): Promise<{ id: string }[]> =>
  inTransaction(sql, (transaction) => giveBack(transaction, owners, how));

interface GiveBack {
  inDoubtSeconds: number | null;
  messages?: readonly OwnedMessage[];
}

async function giveBack(sql: Sql, owners: readonly string[], { inDoubtSeconds, messages }: GiveBack): Promise<{ id: string }[]> {
  const theirs = sql`owner = any(${[...owners]}::uuid[])`;
  const among = (some: readonly OwnedMessage[]) => sql`
    and site_id = any(${sitesOf(some)}::uuid[]) and id = any(${idsOf(some)}::uuid[])
    and id::text || xmin::text = any(${some.map(({ id, take }) => id + take)}::text[])`;
  const left = await sql<(Recipient & { site_id: string; id: string })[]>`
    update waiting_message set owner = null, again = ${inDoubtSeconds !== null}, doubts = doubts + ${inDoubtSeconds === null ? 0 : 1},
      due_at = greatest(due_at, now() + make_interval(secs => ${inDoubtSeconds}))
    where ${theirs} ${messages === undefined ? sql`` : among(messages)} returning account_id, phone_hash, site_id, id`;
  if (left.length > 0) {
    await noteLate(sql, left);
    await waitOn(sql, left);
    await sql`
      update notification set ${inDoubtSeconds === null ? sql`status = 'queued'` : sql`in_doubt_since = now()`}
      where site_id = any(${sitesOf(left)}::uuid[]) and id = any(${idsOf(left)}::uuid[]) and status = 'sending'`;
  }
  const all = (): Promise<Recipient[]> => sql<Recipient[]>`select account_id, phone_hash from recipient_turn where ${theirs}`.execute();
  await passOn(sql, messages === undefined ? await all() : left, owners);
  return left;
}

/** Sets the next turn of recipients whose turn was the owners'; answers the sites where it is due now. */
async function passOn(sql: Sql, recipients: readonly Recipient[], owners: readonly string[]): Promise<DueSite[]> {
  if (recipients.length === 0) return [];
  await lockTurns(sql, recipients);
  return await sql<DueSite[]>`
    with ${turnedOn(sql, recipientRows(sql, recipients), owners)}
    select distinct site_id, account_id from turned where due_at <= now()`;
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);
const sitesOf = (rows: readonly { site_id: string }[]): string[] => [...new Set(rows.map(({ site_id }) => site_id))];
