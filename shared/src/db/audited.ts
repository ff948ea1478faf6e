import { isUuid } from "../core/uuid.ts";
import { accountColumns } from "./account.ts";
import type { AuditChange, AuditValue } from "./audit.ts";
import tables from "./audited-tables.json" with { type: "json" };
import { type Fragment, type Sql, camelCase } from "./statement.ts";

/** The columns that the audit reads of a table. Text that people type freely is personal, since it may name somebody. */
interface AuditedTable {
  table: string;
  /** SQL: the condition for the rows of the account `$account`. */
  within: string;
  /** The column that holds the subject's id. */
  key?: string;
  plain: readonly string[];
  personal?: readonly string[];
  /** Columns whose change an entry tells without their values. */
  secret?: readonly string[];
  /** Columns that are left out: nobody chooses them, or another entry tells them. A test finds columns that are in no list. */
  leftOut: readonly string[];
}

const accountColumnsTold = (as: "plain" | "personal") => accountColumns.names.filter((name) => accountColumns.all[name].audited === as);

/** The tables that the audit reads, by the beginning of a procedure's path. The first entry that fits counts. */
export const auditedTables: (readonly [beginning: string, AuditedTable[]])[] = Object.entries<AuditedTable[]>(tables).map(
  ([beginning, of]) => [
    beginning,
    of.map((table) =>
      table.table === "account" ? { ...table, plain: accountColumnsTold("plain"), personal: accountColumnsTold("personal") } : table,
    ),
  ],
);

/** A row's members in the form of an entry, each with the text that tells whether it has changed. */
export type Snapshot = ReadonlyMap<string, Member>;

type Member = { kind: "plain" | "personal" | "secret"; text: string; value: AuditValue };

/** The members of the procedure's subject as it is now; empty when there is none. `sql` is the transaction of the change. */
export async function readAudited(sql: Sql, action: string, accountId: string, subject: string | null): Promise<Snapshot> {
  const isOfAccount = action.startsWith("settings.") || action === "alerts.update";
  const snapshot = new Map<string, Member>();
  if (!isOfAccount && (subject === null || !isUuid(subject))) return snapshot;
  for (const table of tablesOf(action)) {
    const { key = "id" } = table;
    const [row] = await readRows(sql, table, accountId, isOfAccount ? sql`true` : sql`${sql(key)} = ${subject}`);
    if (row !== undefined) addMembers(snapshot, table, row);
  }
  return snapshot;
}

/** The same as `readAudited`, for several subjects; those that do not exist are left out. */
export async function readAuditedOf(sql: Sql, action: string, accountId: string, subjects: readonly string[]) {
  const snapshots = new Map<string, Map<string, Member>>();
  for (const table of tablesOf(action)) {
    const { key = "id" } = table;
    for (const row of await readRows(sql, table, accountId, sql`${sql(key)} = any(${[...subjects]}::uuid[])`, [key])) {
      const snapshot: Map<string, Member> = snapshots.get(String(row[key])) ?? new Map();
      snapshots.set(String(row[key]), addMembers(snapshot, table, row));
    }
  }
  return snapshots;
}

const tablesOf = (action: string): readonly AuditedTable[] => auditedTables.find(([beginning]) => action.startsWith(beginning))?.[1] ?? [];

const readRows = (
  sql: Sql,
  { table, within, plain, personal = [], secret = [] }: AuditedTable,
  accountId: string,
  which: Fragment,
  keys: readonly string[] = [],
) =>
  sql<Record<string, unknown>[]>`
    select ${sql([...keys, ...plain, ...personal, ...secret])} from ${sql(table)} where ${which} and ${conditionOf(sql, within, accountId)}`;

function addMembers(members: Map<string, Member>, { plain, personal = [], secret = [] }: AuditedTable, row: Record<string, unknown>) {
  const add = (kind: "plain" | "personal" | "secret") => (name: string) =>
    members.set(camelCase(name), { kind, text: JSON.stringify(row[name]), value: kind === "secret" ? null : toValue(row[name]) });
  plain.forEach(add("plain"));
  personal.forEach(add("personal"));
  secret.forEach(add("secret"));
  return members;
}

function conditionOf(sql: Sql, within: string, accountId: string) {
  const [head = "", tail = ""] = within.split("$account");
  return sql`${sql.unsafe(head)} ${accountId} ${sql.unsafe(tail)}`;
}

/** A longer text would make one entry as large as a page of them; a part of it could end within a phone, which erasing would not find. */
const longestValue = 4_000;

function toValue(value: unknown): AuditValue {
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  const text = value instanceof Date ? value.toISOString() : typeof value === "string" ? value : JSON.stringify(value);
  return text.length > longestValue ? `(${text.length} characters, too many to keep)` : text;
}

/** The members that differ between two snapshots of a subject. */
export const changesBetween = (before: Snapshot, after: Snapshot): AuditChange[] =>
  [...new Set([...before.keys(), ...after.keys()])].flatMap((member): AuditChange[] => {
    const [was, is] = [before.get(member), after.get(member)];
    if (was?.text === is?.text) return [];
    const kind = (is ?? was)?.kind;
    if (kind === "secret") return [{ member, secret: true }];
    const values = { ...(was !== undefined && { before: was.value }), ...(is !== undefined && { after: is.value }) };
    return [{ member, ...(kind === "personal" && { personal: true }), ...values }];
  });
