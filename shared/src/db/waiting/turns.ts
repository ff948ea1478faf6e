import { type Fragment, type Sql, of } from "../statement.ts";

/*
 * A message that does not leave with its event has a row in `waiting_message` until it was sent or given up, and its recipient one in `recipient_turn`:
 * the messages of a recipient leave one after the other, and a thousand for one phone delay no other recipient. A transaction that changes what a
 * recipient waits for holds the recipient's row, and reads the messages in a statement that begins after that.
 */

/** A recipient of an account. */
export type Recipient = Record<"account_id" | "phone_hash", string>;

/** The columns that every message waits with. */
export const waitingColumns = {
  ...of.each(of<string>({ sqlType: "uuid" }), "site_id", "id", "account_id", "event_id", "binding_id"),
  phone_hash: of<string>(),
  expires_at: of<string | null>({ sqlType: "timestamptz" }),
  ...of.each(of<string | null>(), "cancel_key", "restart_key"),
};

/** A message that was taken once. */
export interface OwnedMessage {
  site_id: string;
  id: string;
  /** The version of the row that was taken, which tells this take from a later one of the same gateway. */
  take: string;
}

/** A site with messages that are due. */
export type DueSite = Record<"site_id" | "account_id", string>;

const isHeld = (site: string): string => `exists (select from site s where s.id = ${site} and s.hold_messages)`;

/** SQL: gives recipients of rows (`account_id, phone_hash, site_id, due_at`) their turn at the message first due, at a paused site only if they wait at no other. */
export const insertTurns = (rows: string): string => `
  insert into recipient_turn as r (account_id, phone_hash, site_id, due_at)
  select distinct on (account_id, phone_hash) account_id, phone_hash, site_id, due_at
  from ${rows} w order by account_id, phone_hash, ${isHeld("w.site_id")}, due_at
  on conflict (account_id, phone_hash) do update set site_id = excluded.site_id, due_at = greatest(excluded.due_at, r.paused_until)
  where case when r.site_id = excluded.site_id then excluded.due_at < r.due_at
    else ${isHeld("r.site_id")} or (excluded.due_at < r.due_at and not ${isHeld("excluded.site_id")}) end`;

/** The recipients as rows. */
export const recipientRows = (sql: Sql, recipients: readonly Recipient[]): Fragment => sql`
  select r.account_id, r.phone_hash from unnest(${recipients.map(({ account_id }) => account_id)}::uuid[], ${recipients.map(({ phone_hash }) => phone_hash)}::text[])
    as r(account_id, phone_hash)`;

/** Holds the recipients until the transaction ends, in the order that is used everywhere. */
export const lockTurns = (sql: Sql, recipients: readonly Recipient[]) => sql`
  select from recipient_turn where (account_id, phone_hash) in (${recipientRows(sql, recipients)}) order by account_id, phone_hash for update`;

/**
 * Sets when, and for which site, locked recipients (rows) have their turn again; recipients with nothing to wait for are deleted. Two common tables.
 * @param owners The owners of the turns; null: turns without an owner. Other turns stay.
 */
export const turnedOn = (sql: Sql, recipients: Fragment, owners: readonly string[] | null): Fragment => sql`
  turned as (
    update recipient_turn r set owner = null, site_id = m.site_id, due_at = greatest(m.due_at, r.paused_until)
    from (${recipients}) as k(account_id, phone_hash) cross join lateral (${firstOf(sql)}) m
    where r.account_id = k.account_id and r.phone_hash = k.phone_hash and ${belongsTo(sql, owners)}
    returning r.site_id, r.account_id, r.due_at
  ),
  gone as (
    delete from recipient_turn r using (${recipients}) as k(account_id, phone_hash)
    where r.account_id = k.account_id and r.phone_hash = k.phone_hash and ${belongsTo(sql, owners)} and not exists (${firstOf(sql)})
  )`;

const belongsTo = (sql: Sql, owners: readonly string[] | null): Fragment =>
  owners === null ? sql`r.owner is null` : sql`r.owner = any(${[...owners]}::uuid[])`;

/**
 * Sets the turns anew of a site's recipients that also wait for messages of another site, or whose turn is still that of a cancelled message. Call it
 * after the site's hold has begun or ended, in the transaction that wrote it.
 */
export async function turnOver(sql: Sql, siteId: string): Promise<void> {
  const elsewhere = (table: string) => sql`exists (
    select from ${sql(table)} o where o.account_id = w.account_id and o.phone_hash = w.phone_hash and o.site_id <> w.site_id)`;
  const shared = sql`
    select w.account_id, w.phone_hash from waiting_message w
    where w.site_id = ${siteId} and (${elsewhere("waiting_message")} or ${elsewhere("recipient_turn")})`;
  const recipients = await sql<Recipient[]>`select distinct shared.account_id, shared.phone_hash from (${shared}) shared`;
  if (recipients.length === 0) return;
  await lockTurns(sql, recipients);
  await sql`with ${turnedOn(sql, recipientRows(sql, recipients), null)} select`;
}

/** The next message of the recipient `k`; one of a paused site only if there is no other. */
const firstOf = (sql: Sql): Fragment => sql`
  select either.site_id, either.due_at from (
    (select 1 as choice, w.site_id, w.due_at from waiting_message w join site s on s.id = w.site_id and not s.hold_messages
      where w.account_id = k.account_id and w.phone_hash = k.phone_hash and w.owner is null order by w.due_at, w.id limit 1)
    union all
    (select 2, w.site_id, w.due_at from waiting_message w
      where w.account_id = k.account_id and w.phone_hash = k.phone_hash and w.owner is null order by w.due_at, w.id limit 1)
  ) either order by choice limit 1`;
