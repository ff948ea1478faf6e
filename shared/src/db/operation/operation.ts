import { type OperationCounts, type OperationKind, type OperationState, outcomes } from "../../core/operation.ts";
import { dueWork, type Lease } from "../owned.ts";
import { containing } from "../sql-text.ts";
import { type Fragment, type IdPage, type RowOf, type Sql, changedRows, columns, of, one, scalar, valuesOf } from "../statement.ts";
import { changesOfItems } from "./items.ts";

const ownColumns = {
  ...of.texts("id", "account_id"),
  kind: of<OperationKind>(),
  created_by: of<string>(),
  created_at: of<Date>(),
  site_id: of<string | null>(),
  /** The binding, the event or the endpoint that it is about. */
  subject_id: of<string | null>(),
  /** Whether a resend also takes messages that would probably fail in the same way. */
  force: of<boolean>(),
  asked_at: of<Date | null>(),
  total: of<number>(),
  /** The number of its items, and of the parts that brought none. */
  ...of.each(of<number>(), "made", "without"),
  ...of.each(of<Date | null>(), "stopping_at", "finished_at"),
  live: of<number>(),
};

const workingColumns = columns({ ...ownColumns, input: of<string | null>(), position: of<string | null>() });

/** An operation that this process works on. */
export type WorkingOperation = RowOf<typeof workingColumns>;

const shownColumns = columns(
  {
    ...ownColumns,
    state: of<OperationState>({
      read: `case when o.finished_at is null then case when o.stopping_at is null then 'running' else 'stopping' end
        when o.stopping_at is null then 'finished' else 'stopped' end`,
    }),
  },
  "o",
);

/** An operation with its counts as of now. */
export type OperationRow = RowOf<typeof shownColumns> & OperationCounts;

/**
 * SQL: the most items that are looked at when an operation is read; of one with more, the counts of up to a second ago are told while it runs, and of up to an
 * hour ago afterwards (see `releaseOperation`).
 */
const mostOfOne = "case when o.finished_at is null then 1000 else 10000 end";
const mostOfList = "case when o.finished_at is null then 500 else 100 end";

const counted = [...outcomes, "waiting"] as const;

/** Operations (`o`) with their counts: the last ones, and what has changed since where that is little to read. */
const withCounts = (sql: Sql, most: string) => sql`
  select ${shownColumns.read(sql)}, ${sql.unsafe(counted.map((name) => `o.${name} + l.${name} as ${name}`).join(", "))}
  from operation o cross join lateral (${changesOfItems(sql, most)}) l`;

export const findOperation = (sql: Sql, accountId: string, id: string) =>
  one(sql<OperationRow[]>`${withCounts(sql, mostOfOne)} where o.id = ${id} and o.account_id = ${accountId}`);

export interface OperationFilter {
  kind?: OperationKind | undefined;
  notKind?: OperationKind | undefined;
  state?: OperationState | undefined;
  open?: boolean | undefined;
  /** Operations that are about this site alone. */
  siteId?: string | undefined;
  /** A part of who has begun it, or of its site's name; those of `orKinds` match too. */
  search?: string | undefined;
  orKinds?: readonly OperationKind[] | undefined;
  /** Whether erasures are among them. */
  erasures: boolean;
}

/** A page of the account's operations, newest first. */
export const listOperations = (
  sql: Sql,
  accountId: string,
  { kind, notKind, state, open, siteId, search, orKinds = [], erasures }: OperationFilter,
  page: IdPage,
) => sql<OperationRow[]>`
  ${withCounts(sql, mostOfList)}
  where o.account_id = ${accountId} ${page.before === null ? sql`` : sql`and o.id < ${page.before}`}
    ${kind === undefined ? sql`` : sql`and o.kind = ${kind}`} ${notKind === undefined ? sql`` : sql`and o.kind <> ${notKind}`} ${state === undefined ? sql`` : sql`and (${sql.unsafe(shownColumns.all.state.read ?? "")}) = ${state}`}
    ${open === undefined ? sql`` : sql`and o.finished_at ${open ? sql`is null` : sql`is not null`}`}
    ${search === undefined ? sql`` : sql`and (o.kind = any(${[...orKinds]}::text[]) or o.created_by ilike ${containing(search)} or o.site_id in (select id from site where account_id = ${accountId} and name ilike ${containing(search)}))`}
    ${siteId === undefined ? sql`` : sql`and o.site_id = ${siteId}`} ${erasures ? sql`` : sql`and o.kind <> 'erasure'`}
  order by o.id desc limit ${page.limit}`;

export type NewOperation = Pick<WorkingOperation, "id" | "account_id" | "kind" | "created_by" | "total"> &
  Partial<Pick<WorkingOperation, "site_id" | "subject_id" | "force" | "input" | "position" | "asked_at">>;

export const insertOperation = (sql: Sql, operation: NewOperation) =>
  one(sql<[WorkingOperation]>`insert into operation ${valuesOf(sql, operation)} returning ${workingColumns.read(sql)}`);

/** The number of the account's operations under way, events that are replayed one by one and erasures aside. */
export const countOpenOperations = (sql: Sql, accountId: string) =>
  scalar(sql<[{ count: number }]>`
    select count(*)::integer as count from operation
    where account_id = ${accountId} and finished_at is null and kind not in ('replay', 'erasure')`);

/** Asks for the end of an operation under way; false where there is none, or somebody has asked before. A server takes back what has not left. */
export const stopOperation = async (sql: Sql, accountId: string, id: string): Promise<boolean> =>
  (await changedRows(sql`
    update operation set stopping_at = now(), due_at = least(due_at, now())
    where id = ${id} and account_id = ${accountId} and finished_at is null and stopping_at is null`)) > 0;

/** The operations, of whose accounts the one that has waited for longest comes first, however many another has begun. */
export const operations = dueWork<WorkingOperation>({
  table: "operation",
  key: "id",
  columns: workingColumns,
  isOpen: "settled_at is null",
  order:
    "(select max(o.served_at) from operation o where o.account_id = operation.account_id and o.settled_at is null) nulls first, due_at",
  onClaim: ", served_at = clock_timestamp()",
});

/** How an operation has advanced. */
export interface Advance {
  /** Of the counts. New items without an outcome wait. */
  changes?: Partial<OperationCounts>;
  /** New items. */
  made?: number;
  /** Parts that bring no item. */
  without?: number;
  /** Items that will not change any more. */
  settled?: number;
  /** Waiting items that were taken out. */
  takenBack?: number;
  /** Parts beyond those that were counted at the start. */
  more?: number;
  /** Where the next page begins; null once everything was asked for. */
  position?: string | null;
}

/** SQL: the assignments. */
function toSet(sql: Sql, advance: Advance): Fragment {
  const { changes = {}, made = 0, without = 0, settled = 0, takenBack = 0, more = 0, position } = advance;
  const sums: Record<string, number> = {
    ...changes,
    made: made - takenBack,
    without,
    live: made - settled - takenBack,
    total: more,
    waiting: (changes.waiting ?? 0) - takenBack,
  };
  const set = Object.entries(sums).map(([name, change]) => `${name} = ${name} + (${change})`);
  const rest =
    position === null
      ? sql`input = null, position = null, asked_at = coalesce(asked_at, now())`
      : sql`position = ${position ?? sql`position`}`;
  return sql`${sql.unsafe(set.join(", "))}, ${rest}`;
}

/** Records a page, in its transaction; false when another has taken the operation over, and the page must be rolled back. */
export const advanceOperation = (sql: Sql, id: string, lease: Lease, advance: Advance) =>
  operations.extend(sql, id, lease, toSet(sql, advance));

/** Records what a call did itself: the first page of a new operation, or what its stop took back. */
export const advanceByCall = (sql: Sql, id: string, advance: Advance) => sql`update operation set ${toSet(sql, advance)} where id = ${id}`;

/** Ends an operation; what becomes of its messages is followed on. Parts that were counted at the start and not found any more are skipped. */
export const finishOperation = (sql: Sql, id: string) => sql`
  update operation set finished_at = now(), asked_at = coalesce(asked_at, now()), input = null, position = null, due_at = now(),
    without = without + ${missed(sql)}, skipped = skipped + ${missed(sql)}
  where id = ${id} and finished_at is null`;

const missed = (sql: Sql) => sql`case when stopping_at is null and kind <> 'erasure' then greatest(0, total - made - without) else 0 end`;

/** Releases an operation. One with items that may still change is counted again after `againIn` seconds; one without is never due again. */
export const releaseOperation = (sql: Sql, id: string, lease: Lease, againIn: number) =>
  operations.release(
    sql,
    id,
    lease,
    sql`due_at = now() + make_interval(secs => ${againIn}), settled_at = case when finished_at is not null and live <= 0 then now() end`,
  );

/** Deletes the account's finished operations with smaller ids than `before`, at most `limit`; answers how many. */
export const deleteOperationsBefore = (sql: Sql, siteId: string, before: string, limit: number) =>
  changedRows(sql`
    delete from operation where id = any(array(
      select id from operation where account_id = (select account_id from site where id = ${siteId}) and id < ${before} and finished_at is not null limit ${limit}))`);

/** Gives a resend that a program of an earlier version began what it works on, sealed. */
export const inheritResend = (sql: Sql, id: string, input: string) => sql`update operation set input = ${input} where id = ${id}`;

/** The operation as it stands now, in the transaction of a page. */
export const readProgress = (sql: Sql, id: string) =>
  one(sql<[WorkingOperation]>`select ${workingColumns.read(sql)} from operation where id = ${id}`);

/** Counts the parts of the account that an erasure has been through; answers whether it has finished. */
export const noteErasure = async (sql: Sql, id: string): Promise<boolean> =>
  (await scalar(sql<{ is_finished: boolean }[]>`
    update operation o set changed = case when e.finished_at is not null then o.total when e.pass > 0 then o.total - 1 else least(e.step, o.total - 1) end
    from erasure e where o.id = ${id} and e.id = o.id returning e.finished_at is not null as is_finished`)) ?? true;

/** Of how many things operations are, the binding or endpoint that they are about, and their site, or the sites of their messages; but for erasures. */
export const nameOperations = (sql: Sql, accountId: string, ids: readonly string[]) =>
  sql<{ id: string; name: string; site_name: string | null; kind: OperationKind; about: string | null }[]>`
    select o.id, o.total::text as name, o.kind, coalesce(b.event || ' → ' || t.name, w.url) as about,
      coalesce(s.name, (select string_agg(name, ', ' order by name) from site where account_id = ${accountId}
        and id in (select site_id from operation_item where operation_id = o.id))) as site_name
    from operation o left join site s on s.id = o.site_id left join binding b on b.id = o.subject_id left join template t on t.id = b.template_id
      left join webhook w on w.id = o.subject_id
    where o.account_id = ${accountId} and o.kind <> 'erasure' and o.id = any(${[...ids]}::uuid[])`;
