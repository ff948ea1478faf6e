import type { ChannelKind } from "../../core/alert/alert.ts";
import type { ProblemKind } from "../../core/problem/problem.ts";
import { type RowOf, type Sql, columns, countRows, firstId, hasRows, of, one } from "../statement.ts";

const channelColumns = columns({
  ...of.texts("id", "account_id"),
  kind: of<ChannelKind>(),
  name: of<string>(),
  /** The kinds of problems that it is told of; null: the usual ones. */
  kinds: of<ProblemKind[] | null>({ read: "to_json(kinds)" }),
  /** Encrypted: an e-mail address or a URL. */
  target: of<string>(),
  /** The part of the target that may be shown. */
  hint: of<string>(),
  /** Encrypted. */
  secret: of<string | null>(),
  secret_hint: of<string | null>(),
  enabled: of<boolean>(),
  disabled_because: of<"gone" | null>(),
  /** True until the link that was mailed to the address is opened. */
  unconfirmed: of<boolean>({ read: "kind = 'email' and confirm_hash is not null", stored: false }),
  confirm_until: of<Date | null>(),
  created_at: of<Date>(),
  /** When people last changed it. */
  updated_at: of<Date>(),
});

/** A channel that alerts are sent to. */
export type ChannelRow = RowOf<typeof channelColumns>;

export interface NewChannel extends Pick<
  ChannelRow,
  "id" | "account_id" | "kind" | "name" | "kinds" | "target" | "hint" | "secret" | "secret_hint"
> {
  /** A keyed digest of the target. */
  target_hash: string;
  /** SHA-256 of the token that confirms an address, and until when it does. */
  confirm_hash: Buffer | null;
  confirm_until: Date | null;
}

/** Adds a channel; false if the account has it already. */
export const insertChannel = (sql: Sql, channel: NewChannel) =>
  hasRows(sql`insert into alert_channel ${sql({ ...channel })} on conflict (account_id, kind, target_hash) do nothing returning id`);

export const findChannel = (sql: Sql, accountId: string, id: string) =>
  one(sql<ChannelRow[]>`select ${channelColumns.read(sql)} from alert_channel where id = ${id} and account_id = ${accountId}`);

/** A try that has failed. */
export interface ChannelFailure {
  at: string;
  error: string;
  statusCode: number | null;
  /** True if there will be no other attempt. */
  isOver: boolean;
}

/** A channel with its latest failures. */
export interface ListedChannel extends ChannelRow {
  last_sent_at: Date | null;
  /** The failures since something last arrived, the newest first; three at most. */
  failures: ChannelFailure[];
}

/** The account's channels, the oldest first. */
export const listChannels = (sql: Sql, accountId: string) =>
  sql<ListedChannel[]>`
    select ${channelColumns.read(sql)},
      (select uuid_time(id) from outbox where channel_id = c.id and status = 'sent' order by id desc limit 1) as last_sent_at,
      (select coalesce(json_agg(f), '[]') from (
        select uuid_time(id) as at, last_error as error, last_status_code as "statusCode", status = 'failed' as "isOver" from outbox
        where channel_id = c.id and last_error is not null and status <> 'sent'
          and id > coalesce((select id from outbox where channel_id = c.id and status = 'sent' order by id desc limit 1), ${firstId})
        order by id desc limit 3) f) as failures
    from alert_channel c where account_id = ${accountId} order by id`;

export const countChannels = (sql: Sql, accountId: string) =>
  countRows(sql, sql`select from alert_channel where account_id = ${accountId}`);

/** Changes what people set; a channel that is switched on or off forgets why the service switched it off. False when the account has no such channel. */
export const changeChannel = (
  sql: Sql,
  accountId: string,
  id: string,
  { enabled, name, kinds }: { enabled?: boolean | undefined; name?: string | undefined; kinds?: readonly ProblemKind[] | null | undefined },
) =>
  hasRows(sql`
    update alert_channel set name = ${name === undefined ? sql`name` : name}, kinds = ${kinds === undefined ? sql`kinds` : kinds && [...kinds]}
      ${enabled === undefined ? sql`` : sql`, enabled = ${enabled}, disabled_because = null`}
    where id = ${id} and account_id = ${accountId} returning id`);

/** Switches off a channel whose address answers that it is gone for good. */
export const disableGone = (sql: Sql, id: string) =>
  sql`update alert_channel set enabled = false, disabled_because = 'gone' where id = ${id} and enabled`;

export const replaceChannelSecret = (sql: Sql, accountId: string, id: string, secret: { secret: string; secret_hint: string }) =>
  hasRows(sql`
    update alert_channel set ${sql(secret)} where id = ${id} and account_id = ${accountId} and kind = 'webhook' returning id`);

export const deleteChannel = (sql: Sql, accountId: string, id: string) =>
  hasRows(sql`delete from alert_channel where id = ${id} and account_id = ${accountId} returning id`);

/** Deletes the e-mail channel of a person who has left the account. */
export const deleteChannelOfAddress = (sql: Sql, accountId: string, targetHash: string) =>
  sql`delete from alert_channel where account_id = ${accountId} and kind = 'email' and target_hash = ${targetHash}`;

/** Confirms the channel of a mailed link, which works once. Undefined when the link is unknown or too old. */
export const confirmChannel = (sql: Sql, hash: Buffer) =>
  one(sql<Pick<ChannelRow, "id" | "account_id" | "hint">[]>`
    update alert_channel set confirm_hash = null, confirm_until = null where confirm_hash = ${hash} and confirm_until > now() returning id, account_id, hint`);
