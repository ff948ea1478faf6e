import { dueWork } from "./owned.ts";
import { type RowOf, type Sql, changedRows, columns, hasRows, of } from "./statement.ts";

/** The kinds of e-mails and posts. `reset_request` goes to a typed address, which perhaps nobody has. */
const mailKinds = ["invite", "reset", "reset_request", "confirm", "alert_mail"] as const;
const postKinds = ["alert_slack", "alert_webhook", "alert_teams", "alert_pagerduty"] as const;
export type OutboxKind = (typeof mailKinds)[number] | (typeof postKinds)[number];

/** A message that waits to leave. */
export interface NewOutgoing {
  id: string;
  account_id: string | null;
  kind: OutboxKind;
  /** A keyed digest of the address. */
  to_hash: string | null;
  /** The alert's channel that the message is for. */
  channel_id?: string;
  /** Encrypted. */
  content: string;
  expires_at: Date;
}

export const insertOutgoing = (sql: Sql, row: NewOutgoing) => sql`insert into outbox ${sql({ ...row })}`;

const claimedColumns = columns({
  id: of<string>(),
  account_id: of<string | null>(),
  kind: of<OutboxKind>(),
  channel_id: of<string | null>(),
  content: of<string>(),
  failures: of<number>(),
  expired: of<boolean>({ read: "expires_at <= now()", stored: false }),
});

/** A row of the outbox that this process sends. */
export type ClaimedOutgoing = RowOf<typeof claimedColumns>;

const ofKinds = (kinds: readonly OutboxKind[]) =>
  dueWork<ClaimedOutgoing>({
    table: "outbox",
    key: "id",
    columns: claimedColumns,
    isOpen: `status = 'pending' and kind in (${kinds.map((kind) => `'${kind}'`).join(", ")})`,
  });

/** E-mails and posts, apart from each other, so that a hanging mail server keeps no post back. */
export const outgoing = { mails: ofKinds(mailKinds), posts: ofKinds(postKinds) };

/** The result of an attempt. */
export interface SendOutcome {
  /** The code of the failure; null: it has left. */
  error: string | null;
  statusCode: number | null;
  /** Seconds until the next attempt; null when there is none. */
  again: number | null;
}

/** SQL: the assignments after an attempt. The content is deleted once it was sent, or given up. */
export const outcomeOf = (sql: Sql, { error, statusCode, again }: SendOutcome) => sql`
  status = ${error === null ? "sent" : again === null ? "failed" : "pending"}, last_error = ${error}, last_status_code = ${statusCode},
  failures = failures + ${error === null ? 0 : 1}, due_at = now() + make_interval(secs => ${again ?? 0}),
  content = ${error === null || again === null ? sql`null` : sql`content`}`;

/** Whether at least `many` messages of the kind wait. */
export const areManyPending = (sql: Sql, kind: OutboxKind, many: number) =>
  hasRows(sql`select from outbox where status = 'pending' and kind = ${kind} offset ${many - 1} limit 1`);

const keptDays = 30;

/** Deletes at most `limit` rows older than 30 days; answers how many. */
export const forgetOutgoing = (sql: Sql, limit: number) =>
  changedRows(sql`
    delete from outbox where id = any(array(select id from outbox where id < uuid_at(now() - make_interval(days => ${keptDays})) order by id limit ${limit}))`);
