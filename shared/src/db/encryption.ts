import type { StoredPart } from "./erasure/request.ts";
import { dueWork, type Lease } from "./owned.ts";
import { type RowOf, type Sql, asJson, columns, of, one } from "./statement.ts";

/** The columns with customers' data in the tables that grow with the events: encrypted if the account encrypts, and searched when a person is erased. */
export const encryptedColumns = {
  event_payload: ["event_payload.payload", "event_payload.trace"],
  notification: ["notification.components", "notification.error_reason", "notification.error_detail"],
  customer_order: ["customer_order.external_id", "customer_order.status", "customer_order.total", "customer_order.currency"],
  webhook_delivery: ["webhook_delivery.payload", "webhook_delivery.answer"],
} as const;

const encryptionColumns = columns({
  account_id: of<string>(),
  steps: of<StoredPart[]>(),
  ...of.each(of<number>(), "pass", "step"),
  position: of<string | null>(),
  /** Rows that this pass encrypted. */
  changed: of<number>(),
  /** The id at which later passes begin: older rows were seen twice, and no transaction of that time still writes them. */
  recent: of<string>({ read: "uuid_at(requested_at - interval '1 hour')", stored: false }),
  /** True once everything that was under way at the switch has ended: a gateway keeps results for ten minutes while the database is away. */
  settled: of<boolean>({ read: "requested_at < now() - interval '11 minutes'", stored: false }),
});

/** The encryption of data that an account stored before it switched encryption on: one row while anything is left. */
export type EncryptionRow = RowOf<typeof encryptionColumns>;

/** Starts the encryption, or starts it over. */
export const requestEncryption = (sql: Sql, accountId: string, steps: StoredPart[]) => sql`
  insert into encryption (account_id, steps) values (${accountId}, ${asJson(sql, steps)})
  on conflict (account_id) do update set requested_at = now(), steps = excluded.steps, pass = 0, step = 0, position = null, changed = 0, total = 0,
    due_at = now(), owner = null, lease_until = null`;

export const cancelEncryption = (sql: Sql, accountId: string) => sql`delete from encryption where account_id = ${accountId}`;

/** How far the account's encryption has come; undefined when nothing is left to do. */
export const findEncryption = (sql: Sql, accountId: string): Promise<Pick<EncryptionRow, "steps" | "pass" | "step"> | undefined> =>
  one(sql<EncryptionRow[]>`select ${encryptionColumns.read(sql)} from encryption where account_id = ${accountId}`);

/**
 * Locks an account's stored data until the transaction's end for a process that goes through it, so that erasing misses nothing that is encrypted between
 * its statements. Call it first.
 */
export const lockStored = (sql: Sql, accountId: string) => sql`select pg_advisory_xact_lock(hashtextextended(${`stored ${accountId}`}, 0))`;

/** The encryption of what accounts have stored. */
export const encryptions = dueWork<EncryptionRow>({ table: "encryption", key: "account_id", columns: encryptionColumns });

/** Records a finished page, in its transaction; false when another has taken the work over, and the page must be rolled back. */
export const saveEncryption = (sql: Sql, lease: Lease, { account_id, step, position, changed }: EncryptionRow, added: number) =>
  encryptions.extend(sql, account_id, lease, sql`step = ${step}, position = ${position}, changed = ${changed}, total = total + ${added}`);

/** Ends a pass; the next one looks at recent rows again. */
export const beginEncryptionPass = (sql: Sql, accountId: string, lease: Lease, againIn: number) =>
  encryptions.release(
    sql,
    accountId,
    lease,
    sql`pass = pass + 1, step = 0, position = null, changed = 0, due_at = now() + make_interval(secs => ${againIn})`,
  );

/** Deletes the row once everything is encrypted, unless another process has taken the work over. */
export const finishEncryption = (sql: Sql, accountId: string, { owner }: Lease) =>
  sql`delete from encryption where account_id = ${accountId} and owner = ${owner}`;
