import { alertKinds } from "../../core/alert/alert.ts";
import type { ActionableProblem } from "../../core/problem/actions.ts";
import {
  type FoundProblem,
  type ProblemDetails,
  type ProblemKind,
  problemKinds,
  type ProblemState,
  type TellableProblem,
  usualKinds,
} from "../../core/problem/problem.ts";
import { newId } from "../ids.ts";
import { type RowOf, type Sql, changedRows, columns, hasRows, of, one } from "../statement.ts";

const problemColumns = columns({
  /** The id, which carries the time when the problem was found first. */
  id: of<string>(),
  kind: of<ProblemKind>(),
  site_id: of<string | null>(),
  /** What it is about, such as an id or a code; empty: the account. */
  subject: of<string>(),
  detail: of<ProblemDetails[ProblemKind]>(),
  /** The messages, events or requests that are part of it, of those that came, or failed, at `first_at` or later. */
  count: of<number>(),
  more: of<boolean>(),
  ...of.each(of<Date>(), "first_at", "last_at"),
  state: of<ProblemState>({ read: "case when state = 'snoozed' and snoozed_until <= now() then 'open' else state end" }),
  snoozed_until: of<Date | null>(),
  acknowledged_by: of<string | null>({ read: "case when state <> 'snoozed' or snoozed_until > now() then acknowledged_by end" }),
  note: of<string | null>(),
  opened_at: of<Date>(),
  resolved_at: of<Date | null>(),
  /** When a person resolved it: what was made before does not count again. */
  counted_from: of<Date | null>(),
  /** Since when it is wrong, which is before `first_at` where it was found again within a day after a person had resolved it, and has not ended by itself since. */
  began_at: of<Date>({ read: "least(first_at, case when opened_at < counted_from + interval '1 day' then began_at end)" }),
  /** When it was found again so; null where it was not. */
  reopened_at: of<Date | null>({
    read: "case when began_at is not null and opened_at between counted_from and counted_from + interval '1 day' then opened_at end",
    stored: false,
  }),
  /** Whether it was told of, or would have been if there were a channel. */
  alerted: of<boolean>(),
  /** The place in a list that is ordered by when problems opened. */
  place: of<string>({ read: "(extract(epoch from opened_at) * 1000000)::bigint || ' ' || id", stored: false }),
});

/** Something that is wrong with an account, or was. */
export type ProblemRow = RowOf<typeof problemColumns>;

/** What a notice tells of it. */
export type TellableRow = Omit<ProblemRow, Untold>;
type Untold = "place" | "note" | "snoozed_until" | "acknowledged_by" | "state" | "alerted" | "began_at" | "reopened_at";

/** What tells a problem, in words and by where it leads. */
export const toTellable = ({ site_id: siteId, first_at, last_at, counted_from, resolved_at, ...row }: TellableRow): ActionableProblem => ({
  ...({ ...row, siteId } as TellableProblem),
  firstAt: first_at.toISOString(),
  lastAt: last_at.toISOString(),
  countedFrom: counted_from?.toISOString() ?? null,
  isOver: resolved_at !== null,
});

/** A newer version beside this one may find problems of further kinds. */
export const isKnown = (sql: Sql) => sql`kind = any(${[...problemKinds]}::text[])`;

export interface ProblemFilter {
  state?: ProblemState | undefined;
  siteId?: string | undefined;
  kind?: ProblemKind | undefined;
  /** Only those that were told of. */
  alerted?: true;
}

export const isPlace = (key: string): boolean => /^\d{1,18} [0-9a-f-]{36}$/u.test(key);

/** A page of the account's problems, those that opened last first. */
export const listProblems = (
  sql: Sql,
  accountId: string,
  { state, siteId, kind, alerted }: ProblemFilter,
  { before, limit }: { before: string | null; limit: number },
) => {
  const [micros = "", id = ""] = before?.split(" ") ?? [];
  return sql<ProblemRow[]>`
    select ${problemColumns.read(sql)} from problem
    where account_id = ${accountId} and ${isKnown(sql)} ${alerted === undefined ? sql`` : sql`and alerted`}
      ${siteId === undefined ? sql`` : sql`and site_id = ${siteId}`} ${kind === undefined ? sql`` : sql`and kind = ${kind}`}
      ${state === undefined ? sql`` : sql`and ${sql.unsafe(`(${problemColumns.all.state.read})`)} = ${state}`}
      ${before === null ? sql`` : sql`and (opened_at, id) < ('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond', ${id}::uuid)`}
    order by opened_at desc, id desc limit ${limit}`;
};

/** What the account's open problems are about and since when each counts; of resolved ones, those that a person has resolved. */
export const listStarts = (sql: Sql, accountId: string) =>
  sql<Pick<ProblemRow, "id" | "kind" | "site_id" | "subject" | "state" | "detail" | "first_at" | "last_at" | "counted_from" | "alerted">[]>`
    select id, kind, site_id, subject, state, detail, first_at, last_at, counted_from, alerted from problem
    where account_id = ${accountId} and ${isKnown(sql)} and (resolved_at is null or counted_from is not null)
    order by id limit ${mostProblems}`;

export const findProblem = (sql: Sql, accountId: string, id: string) =>
  one(
    sql<ProblemRow[]>`select ${problemColumns.read(sql)} from problem where id = ${id} and account_id = ${accountId} and ${isKnown(sql)}`,
  );

/** Changes a problem that is not resolved. False when the account has no such one. */
export const changeProblem = (sql: Sql, accountId: string, id: string, to: { acknowledgedBy: string } | { snoozedUntil: Date }) =>
  hasRows(sql`
    update problem set ${
      "snoozedUntil" in to
        ? sql`state = 'snoozed', snoozed_until = ${to.snoozedUntil}`
        : sql`state = 'acknowledged', acknowledged_by = ${to.acknowledgedBy}, snoozed_until = null`
    }
    where id = ${id} and account_id = ${accountId} and state <> 'resolved' returning id`);

/** @param note Without anybody's phone. */
export const writeNote = (sql: Sql, accountId: string, id: string, note: string | null) =>
  sql`update problem set note = ${note} where id = ${id} and account_id = ${accountId}`;

/** Resolves a problem by hand: if it returns, it counts anew, and within a day has the beginning that it had. Answers the resolved one. */
export const resolveByHand = (sql: Sql, accountId: string, id: string) => sql<{ id: string }[]>`
  update problem set state = 'resolved', resolved_at = now(), snoozed_until = null, acknowledged_by = null, counted_from = date_trunc('milliseconds', now()) + interval '1 millisecond',
    began_at = ${sql.unsafe(problemColumns.all.began_at.read ?? "")}
  where id = ${id} and account_id = ${accountId} and state <> 'resolved' returning id`;

type DatedProblem = FoundProblem & { firstAt: Date; lastAt: Date };

/** The most problems of an account that one look keeps, and of resolved ones that stay. */
const mostProblems = 1_000;

/** Stores what a look has found: a known problem is counted on, one that was resolved opens again, and begins anew if it had ended by itself. Answers those that are open anew. */
export async function keepProblems(sql: Sql, accountId: string, found: readonly DatedProblem[]): Promise<string[]> {
  const rows = found.slice(0, mostProblems).map(({ siteId, subject, firstAt, lastAt, isQuiet, ...rest }) => ({
    id: newId(),
    ...rest,
    alerted: isQuiet !== true,
    site_id: siteId,
    subject: subject.slice(0, 700),
    first_at: firstAt,
    last_at: lastAt,
  }));
  if (rows.length === 0) return [];
  // An acknowledgement of a binding that never fires lasts until the binding changes.
  const isStillKnown = sql`(p.kind = 'binding_never_fired' and p.acknowledged_by is not null and p.detail->>'changedAt' = excluded.detail->>'changedAt')`;
  const kept = await sql<{ id: string; is_new: boolean }[]>`
    insert into problem as p (id, account_id, kind, site_id, subject, detail, count, more, first_at, last_at, alerted)
    select f.id, ${accountId}, f.kind, f.site_id, f.subject, f.detail, f.count, f.more, f.first_at, f.last_at, f.alerted
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as f(id uuid, kind text, site_id uuid, subject text, detail json, count integer, more boolean, first_at timestamptz, last_at timestamptz, alerted boolean)
    where f.site_id is null or exists (select from site s where s.id = f.site_id and s.account_id = ${accountId})
    on conflict (account_id, kind, subject, coalesce(site_id, '00000000-0000-0000-0000-000000000000')) do update set
      detail = excluded.detail, count = excluded.count, more = excluded.more,
      first_at = excluded.first_at,
      last_at = greatest(excluded.last_at, case when p.state <> 'resolved' then p.last_at end),
      opened_at = case when p.state = 'resolved' then now() else p.opened_at end,
      began_at = case when p.resolved_at > p.counted_from then null else p.began_at end,
      state = case when p.state = 'resolved' then case when ${isStillKnown} then 'acknowledged' else 'open' end
        when p.state = 'snoozed' and p.snoozed_until <= now() or (p.state = 'acknowledged' and p.kind = 'binding_never_fired' and not ${isStillKnown}) then 'open'
        else p.state end,
      snoozed_until = case when p.state = 'snoozed' and p.snoozed_until > now() then p.snoozed_until end,
      acknowledged_by = case when p.state = 'acknowledged' or (p.state = 'snoozed' and p.snoozed_until > now()) or ${isStillKnown} then p.acknowledged_by end,
      alerted = excluded.alerted or (p.alerted and p.state <> 'resolved'),
      resolved_at = null
    where p.state = 'resolved' or (p.state = 'snoozed' and p.snoozed_until <= now()) or p.last_at < excluded.last_at or excluded.alerted > p.alerted
      or (p.detail::text, p.count, p.more) is distinct from (excluded.detail::text, excluded.count, excluded.more)
    returning p.id, p.opened_at = now() as is_new`;
  const opened = kept.filter(({ is_new }) => is_new).map(({ id }) => id);
  if (opened.length > 0) await forgetEarliest(sql, accountId);
  return opened;
}

/** Deletes the resolved problems beyond the most that an account keeps, those that ended first. */
const forgetEarliest = (sql: Sql, accountId: string) => sql`
  delete from problem where id = any(array(
    select id from problem where account_id = ${accountId} and resolved_at is not null order by resolved_at desc offset ${mostProblems}))`;

/** Resolves the account's problems whose cause is gone; answers them. Those of failed messages stay while these wait to be sent again: what a stop takes back has failed as before. */
export const resolveGone = (sql: Sql, accountId: string, holding: readonly Pick<FoundProblem, "kind" | "siteId" | "subject">[]) =>
  sql<{ id: string }[]>`
    update problem p set state = 'resolved', resolved_at = now(), snoozed_until = null
    where account_id = ${accountId} and state <> 'resolved' and ${isKnown(sql)} and not exists (
      select from json_to_recordset(${JSON.stringify(holding.map(({ kind, siteId, subject }) => ({ kind, site_id: siteId, subject: subject.slice(0, 700) })))}::text::json)
        as h(kind text, site_id uuid, subject text)
      where h.kind = p.kind and h.subject = p.subject and h.site_id is not distinct from p.site_id)
      and not (p.kind in ('template_refused', 'binding_cannot_send', 'messages_failed') and exists (
        select from operation o cross join lateral (
          select id, site_id from operation_item where operation_id = o.id and not settled and outcome is null limit ${mostWaiting}
        ) i join notification n on n.site_id = i.site_id and n.id = i.id join notification f on f.site_id = n.site_id and f.id = n.resend_of
        where o.account_id = p.account_id and o.kind = 'resend' and o.finished_at is null and case p.kind
          when 'messages_failed' then f.error_code = p.subject and f.site_id = p.site_id
          when 'template_refused' then f.template_id::text = p.subject else f.binding_id::text = p.subject end))
    returning id`;

/** The most messages of each resend that are looked at. */
const mostWaiting = 10_000;

/**
 * An earlier version that runs beside finds problems of some kinds too. It tells of those that have no open alert: so each of ours has one, of the same id,
 * and its alerts are taken as problems, once.
 */
export const adoptAlerts = (sql: Sql, accountId: string) => sql`select adopt_alerts(${accountId})`;

export async function mirrorAlerts(sql: Sql, opened: readonly string[], resolved: readonly string[]): Promise<void> {
  if (opened.length > 0)
    await sql`
      insert into alert (id, account_id, kind, subject, detail)
      select id, account_id, kind, subject, detail from problem
      where id = any(${[...opened]}::uuid[]) and kind = any(${[...alertKinds]}::text[])
        and not (kind = 'template_refused' and detail->>'status' not in ('rejected', 'paused', 'disabled'))
      on conflict (id) do update set cleared_at = null, detail = excluded.detail`;
  if (resolved.length > 0) await sql`update alert set cleared_at = now() where id = any(${[...resolved]}::uuid[]) and cleared_at is null`;
}

const keptDays = 90;

/** Deletes at most `limit` problems, and an earlier version's alerts, that ended long ago; answers how many. */
export async function forgetProblems(sql: Sql, limit: number): Promise<number> {
  const old = sql`now() - make_interval(days => ${keptDays})`;
  await sql`delete from alert where id = any(array(select id from alert where cleared_at < ${old} order by cleared_at limit ${limit}))`;
  return changedRows(sql`
    delete from problem where id = any(array(select id from problem where resolved_at < ${old} order by resolved_at limit ${limit}))`);
}

/** How many of the account's problems opened in the span, and how many are open now. */
export const countProblems = (sql: Sql, accountId: string, from: Date, to: Date) =>
  one(sql<[{ opened: number; open: number }]>`
    select (count(*) filter (where opened_at >= ${from} and opened_at < ${to}))::integer as opened,
      (count(*) filter (where state = 'open'))::integer as open
    from problem where account_id = ${accountId} and ${isKnown(sql)}`);

/** SQL: whether a channel `c` is told of problems of the kind of `p`. */
export const isChosenBy = (sql: Sql) => sql`p.kind = any(coalesce(c.kinds, ${[...usualKinds]}::text[]))`;
