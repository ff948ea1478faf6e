import type { PhonePattern } from "../core/phone-search.ts";
import { names } from "../db/erasure/erase.ts";
import { type Columns, type RowOf, type Sql, changedRows, columns, of, one, scalar, snakeCased, valuesOf } from "../db/statement.ts";
import type { AccountState } from "./account-state.ts";

export const sandboxLimits = ["pair", "number", "management"] as const;
export type SandboxLimit = (typeof sandboxLimits)[number];

const accountColumns = columns({
  ...of.texts("wabaId", "phoneNumberId", "appId", "name"),
  /** Digits only, country code first. */
  phoneNumber: of<string>(),
  /** SHA-256 in hex; the token itself is not kept. */
  accessTokenHash: of<string>(),
  /** Encrypted in the row, as are `verifyToken` and each of `stopped`. */
  appSecret: of<string>(),
  ...of.texts("callbackUrl", "verifyToken"),
  /** The account of the service that this one belongs to, as the service names it. */
  owner: of<string | null>(),
  /** True for the try-out's account. */
  demo: of<boolean>(),
  subscribed: of<boolean>(),
  limits: of<readonly SandboxLimit[]>({ read: "array_to_json(limits)" }),
  throttleStatus: of<number>(),
  refuseCode: of<number | null>(),
  /** `wa_id`s of people who stopped this account's marketing messages. */
  stopped: of<readonly string[]>({ read: "array_to_json(stopped)" }),
  state: of<AccountState>({ read: "state::json" }),
});

/** A business account with one phone number and one app. */
export type SandboxAccount = Readonly<RowOf<typeof accountColumns>>;

/** Members of `state` that an account has never changed are missing. */
export const listSandboxAccounts = (sql: Sql) =>
  sql<(Omit<SandboxAccount, "state"> & { state: Partial<AccountState> })[]>`
    select ${accountColumns.read(sql)} from sandbox.account order by created_at`;

export const insertSandboxAccount = (sql: Sql, account: SandboxAccount) => sql`insert into sandbox.account ${storedAccount(sql, account)}`;

export const updateSandboxAccount = (sql: Sql, account: SandboxAccount) =>
  sql`update sandbox.account set ${storedAccount(sql, account)} where waba_id = ${account.wabaId}`;

const storedAccount = (sql: Sql, { limits, stopped, state, ...plain }: SandboxAccount) =>
  valuesOf(sql, {
    ...snakeCased(plain),
    limits: sql`${[...limits]}::text[]`,
    stopped: sql`${[...stopped]}::text[]`,
    state: JSON.stringify(state),
  });

const messageColumns = columns({
  ...of.texts("id", "waba_id", "phone_number_id"),
  /** Digits of the phone, whatever it was addressed by; a user id that nobody has, as written. */
  recipient: of<string>(),
  at: of<Date>({ sqlType: "timestamptz" }),
  ...of.each(of<Date | null>({ sqlType: "timestamptz" }), "sent_at", "delivered_at", "read_at", "failed_at"),
  /** JSON. */
  content: of<string>(),
  /** Id of the template whose pacing holds it. */
  held_by: of<string | null>(),
});

/** An accepted message. Each instant is past or future; null means never. */
export type SandboxMessageRow = RowOf<typeof messageColumns>;

/** The rows' columns, and the rows themselves as SQL. */
const given = (sql: Sql, { stored, typed }: Pick<Columns<object>, "stored" | "typed">, rows: readonly object[]) =>
  sql`(${sql.unsafe(stored)}) select ${sql.unsafe(stored)} from json_to_recordset(${JSON.stringify(rows)}::text::json) as given(${sql.unsafe(typed)})`;

export interface MessageFilter {
  /** Digits. */
  recipient: string | null;
  phoneNumberId: string | null;
  /** The message's. */
  id?: string | null;
  /** Only messages that were accepted before the one with this `seq`. */
  before?: string | null;
}

/** A message and its place in the order in which all were accepted, a bigint as text. */
export type ListedMessage = SandboxMessageRow & { seq: string };

/** Stores messages and their callbacks in one statement. Safe to repeat: existing messages are skipped. */
export const insertSandboxMessages = (sql: Sql, messages: SandboxMessageRow[], callbacks: SandboxCallback[]) => sql`
  with stored as (
    insert into sandbox.message ${given(sql, messageColumns, messages)} on conflict (id) do nothing returning id
  )
  insert into sandbox.callback ${given(sql, callbackColumns, callbacks)} where subject in (select id from stored)`;

/** The messages of a filter, newest first. `unreached` includes messages that never reach the phone. */
export const listSandboxMessages = (sql: Sql, filter: MessageFilter & { unreached: boolean; limit: number }) =>
  sql<ListedMessage[]>`
    select seq::text, ${messageColumns.read(sql)} from sandbox.message
    where ${matches(sql, filter)} ${filter.unreached ? sql`` : sql`and (failed_at is null or delivered_at is not null)`}
    order by message.seq desc limit ${filter.limit}`;

export const deleteSandboxMessages = (sql: Sql, filter: MessageFilter) =>
  changedRows(sql`delete from sandbox.message where ${matches(sql, filter)}`);

/** What to forget of a business: what `person` had, what was sent before `before`, or what is both, among the messages behind the one with the seq `after`. */
interface Forgotten {
  phoneNumberId: string;
  /** Messages to any of `numbers` (digits), and messages whose content matches `pattern`. */
  person: { numbers: string[]; pattern: PhonePattern } | null;
  before: Date | null;
  after: string;
}

/** The messages that one statement looks at, each of which patterns may be tried on. */
const mostLooked = 10_000;

/** Deletes messages and their pending callbacks. `next`: the seq to go on behind; null at the end. */
export const forgetSandboxMessages = async (sql: Sql, { phoneNumberId, person, before, after }: Forgotten) => {
  const [piece] = await sql<[{ deleted: number; next: string | null }]>`
    with looked as materialized (
      select id, seq from sandbox.message where phone_number_id = ${phoneNumberId} and seq > ${after}::bigint order by seq limit ${mostLooked}
    ), gone as (
      delete from sandbox.message where id = any(array(select id from looked))
        ${person === null ? sql`` : sql`and (recipient = any(${person.numbers}::text[]) or ${names(sql, sql`content`, person.pattern)})`}
        ${before === null ? sql`` : sql`and at < ${before}`}
      returning id
    ), withdrawn as (
      delete from sandbox.callback where subject in (select id from gone)
    )
    select (select count(*)::integer from gone) as deleted, (select case when count(*) = ${mostLooked} then max(seq)::text end from looked) as next`;
  return piece;
};

/** The message with that id; `lock` locks its row until the end of the transaction. */
export const findSandboxMessage = (sql: Sql, id: string, lock = false) =>
  one(sql<SandboxMessageRow[]>`
    select ${messageColumns.read(sql)} from sandbox.message where id = ${id} ${lock ? sql`for update` : sql``}`);

/** Writes what can become of an accepted message. */
export const updateSandboxMessage = (sql: Sql, row: SandboxMessageRow) => sql`
  update sandbox.message set ${sql(row, "sent_at", "delivered_at", "read_at", "failed_at", "content", "held_by")} where id = ${row.id}`;

/** The oldest messages that a template's pacing holds, locked until the end of the transaction. */
export const listHeldMessages = (sql: Sql, templateId: string, limit: number) =>
  sql<SandboxMessageRow[]>`
    select ${messageColumns.read(sql)} from sandbox.message where held_by = ${templateId} order by seq limit ${limit} for update`;

/** When the newest `limit` messages of a category were accepted that a number sent after `since` and that did not fail, oldest first. */
export async function listAcceptedAt(sql: Sql, phoneNumberId: string, category: string, since: Date, limit: number) {
  const rows = await sql<{ at: Date }[]>`
    select at from sandbox.message where phone_number_id = ${phoneNumberId} and at > ${since} and content::json->>'category' = ${category}
      and failed_at is null order by seq desc limit ${limit}`;
  return rows.map(({ at }) => at.getTime()).toReversed();
}

const matches = (sql: Sql, { recipient, phoneNumberId, id = null, before = null }: MessageFilter) => sql`
  ${recipient === null ? sql`true` : sql`recipient = ${recipient}`} and ${id === null ? sql`true` : sql`id = ${id}`} and
  ${phoneNumberId === null ? sql`true` : sql`phone_number_id = ${phoneNumberId}`} ${before === null ? sql`` : sql`and seq < ${before}::bigint`}`;

const callbackColumns = columns({
  waba_id: of<string>(),
  /** Id of the message or template; for a preference, sender and recipient. */
  subject: of<string>(),
  /** The platform's subscription field, such as `messages`. */
  field: of<string>(),
  /** The reported status or event. */
  kind: of<string>(),
  /** JSON: one item of `statuses`, or the field's whole value. */
  value: of<string>(),
  ...of.each(of<Date>({ sqlType: "timestamptz" }), "due_at", "created_at"),
});

/** A pending update for the account's callback. */
export type SandboxCallback = RowOf<typeof callbackColumns>;

/** The kind of an incoming message, which shares its field with the statuses. */
export const incomingKind = "incoming";

/** `id`: a bigint, as text. */
export type DueCallback = Omit<SandboxCallback, "waba_id" | "due_at"> & { id: string };

export const insertCallbacks = (sql: Sql, callbacks: SandboxCallback[]) => sql`
  insert into sandbox.callback ${given(sql, callbackColumns, callbacks)}`;

/** The account's due updates, oldest first. */
export const listDueCallbacks = (sql: Sql, wabaId: string, now: Date, limit: number) =>
  sql<DueCallback[]>`
    select id, subject, field, kind, value, created_at from sandbox.callback
    where waba_id = ${wabaId} and due_at <= ${now} order by due_at, id limit ${limit}`;

/** When the next update is due, per account or for one account. */
export const nextCallbacks = (sql: Sql, wabaId: string | null) =>
  sql<{ waba_id: string; due_at: Date }[]>`
    select waba_id, min(due_at) as due_at from sandbox.callback ${wabaId === null ? sql`` : sql`where waba_id = ${wabaId}`} group by waba_id`;

export const deleteCallbacks = (sql: Sql, ids: string[]) => sql`delete from sandbox.callback where id = any(${ids}::bigint[])`;

/** Postpones updates: each waits twice as long as the last time, from `firstMs` up to `mostMs`. */
export const postponeCallbacks = (sql: Sql, ids: string[], now: Date, wait: { firstMs: number; mostMs: number }) => sql`
  update sandbox.callback set attempts = attempts + 1,
    due_at = ${now}::timestamptz + make_interval(secs => least(${wait.firstMs}::float8 * power(2, least(attempts, 30)), ${wait.mostMs}::float8) / 1000)
  where id = any(${ids}::bigint[])`;

/** Deletes and returns the pending updates of a subject. `dueAfter` leaves those that may be under way. */
export const withdrawCallbacks = (sql: Sql, subject: string, dueAfter: Date | null = null) =>
  sql<SandboxCallback[]>`
    delete from sandbox.callback where subject = ${subject} ${dueAfter === null ? sql`` : sql`and due_at > ${dueAfter}`}
    returning ${callbackColumns.read(sql)}`;

/** Deletes the outcome of a review that is under way. What happened to the template before stays, told or not. */
export const withdrawReview = (sql: Sql, templateId: string, now: Date) =>
  sql`delete from sandbox.callback where subject = ${templateId} and due_at > ${now} and attempts = 0`;

export const countCallbacks = (sql: Sql, wabaId: string) =>
  scalar(sql<[{ count: number }]>`select count(*)::integer as count from sandbox.callback where waba_id = ${wabaId}`);

/** A deleted name and language cannot be used again before `until`. */
export interface SandboxTemplateLock {
  wabaId: string;
  name: string;
  language: string;
  until: Date;
  approved: boolean;
}

export const listSandboxTemplateLocks = (sql: Sql) =>
  sql<SandboxTemplateLock[]>`select waba_id as "wabaId", name, language, until, approved from sandbox.template_lock`;

export const saveSandboxTemplateLock = (sql: Sql, lock: SandboxTemplateLock) => sql`
  insert into sandbox.template_lock (waba_id, name, language, until, approved)
  values (${lock.wabaId}, ${lock.name}, ${lock.language}, ${lock.until}, ${lock.approved})
  on conflict (waba_id, name, language) do update set until = excluded.until, approved = excluded.approved`;

/** A template, or a person. */
interface RecordRow {
  id: string;
  waba_id: string;
  /** JSON; a person's is sealed. */
  record: string;
}

/** Every template of every account, oldest first. */
export const listSandboxTemplates = (sql: Sql) => sql<RecordRow[]>`select id, waba_id, record from sandbox.template order by seq`;

export const saveSandboxTemplate = (sql: Sql, row: RecordRow) => sql`
  insert into sandbox.template (id, waba_id, record) values (${row.id}, ${row.waba_id}, ${row.record})
  on conflict (id) do update set record = excluded.record`;

export const deleteSandboxTemplate = (sql: Sql, id: string) => sql`delete from sandbox.template where id = ${id}`;

export const listSandboxPeople = (sql: Sql) => sql<RecordRow[]>`select waba_id, id, record from sandbox.person`;

export const saveSandboxPerson = (sql: Sql, row: RecordRow) => sql`
  insert into sandbox.person (waba_id, id, record) values (${row.waba_id}, ${row.id}, ${row.record})
  on conflict (waba_id, id) do update set record = excluded.record`;

export const deleteSandboxPerson = (sql: Sql, wabaId: string, id: string) =>
  sql`delete from sandbox.person where waba_id = ${wabaId} and id = ${id}`;

/** An uploaded file, without its bytes. */
export interface SandboxMedia {
  id: string;
  type: string;
  /** Bytes. */
  size: number;
  /** Hex. */
  sha256: string;
}

/** Stores a file, and forgets those from before `since` and all but the newest `most` of the account. */
export const saveSandboxMedia = (
  sql: Sql,
  wabaId: string,
  { id, type, size, sha256 }: SandboxMedia,
  { now, since, most }: { now: Date; since: Date; most: number },
) => sql`
  with stored as (
    insert into sandbox.media (waba_id, id, type, size, sha256, at) values (${wabaId}, ${id}, ${type}, ${size}, ${sha256}, ${now})
    on conflict (waba_id, id) do update set at = excluded.at
  )
  delete from sandbox.media where waba_id = ${wabaId} and id <> ${id} and (at < ${since}
    or id in (select id from sandbox.media where waba_id = ${wabaId} order by at desc offset ${most - 1}))`;

export const findSandboxMedia = (sql: Sql, wabaId: string, id: string, since: Date) =>
  one(sql<SandboxMedia[]>`
    select id, type, size, sha256 from sandbox.media where waba_id = ${wabaId} and id = ${id} and at >= ${since}`);

export const deleteSandboxMedia = async (sql: Sql, wabaId: string, id: string): Promise<boolean> =>
  (await changedRows(sql`delete from sandbox.media where waba_id = ${wabaId} and id = ${id}`)) > 0;
