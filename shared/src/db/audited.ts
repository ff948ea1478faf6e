import type { Fragment } from "postgres";
import { isUuid } from "../core/uuid.ts";
import { accountColumns } from "./account.ts";
import type { AuditChange, AuditValue } from "./audit.ts";
import type { Sql } from "./connect.ts";
import { camelCase } from "./table.ts";

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

const ofAccount = "account_id = $account";
const ofSite = "site_id in (select id from site where account_id = $account)";
const accountColumnsTold = (as: "plain" | "personal") => accountColumns.names.filter((name) => accountColumns.all[name].audited === as);

const invite: AuditedTable = {
  table: "invite",
  within: ofAccount,
  plain: ["role", "expires_at"],
  personal: ["email"],
  leftOut: ["id", "account_id", "created_by", "token_hash", "accepted_at", "created_at"],
};

const alertChannel: AuditedTable = {
  table: "alert_channel",
  within: ofAccount,
  plain: ["kind", "enabled", "kinds"],
  personal: ["hint", "name"],
  secret: ["target", "secret"],
  leftOut: ["id", "account_id", "target_hash", "secret_hint", "disabled_because", "confirm_hash", "confirm_until", "created_at"],
};

/** The tables that the audit reads, by the beginning of a procedure's path. The first entry that fits counts. */
export const auditedTables: readonly [string, readonly AuditedTable[]][] = [
  [
    "sites.",
    [
      {
        table: "site",
        within: `${ofAccount} and deleted_at is null`,
        plain: [
          "source_type",
          "enabled",
          "require_timestamp",
          "require_signed_timestamp",
          "rate_limit_per_second",
          "idempotency_hours",
          "hold_messages",
          "country",
          "normalize_phones",
          "retry_after_answer",
        ],
        personal: ["name", "url", "test_phone", "topic_map"],
        secret: ["inbound_token"],
        leftOut: ["id", "account_id", "config_version", "connected_at", "pinged_at", "created_at", "updated_at", "deleted_at"],
      },
      {
        table: "site_secret",
        within: `${ofSite} and kind = 'source_secret' and expires_at is null`,
        key: "site_id",
        plain: [],
        secret: ["secret"],
        leftOut: ["id", "site_id", "kind", "key_hash", "hint", "expires_at", "last_used_at", "created_at"],
      },
      {
        table: "reconcile",
        within: ofSite,
        key: "site_id",
        plain: [],
        secret: ["key_id"],
        leftOut: ["site_id", "url", "due_at", "owner", "lease_until", "last_at", "taken", "problem", "problem_since"],
      },
    ],
  ],
  [
    "recipients.",
    [
      {
        table: "site_recipient",
        within: ofSite,
        plain: ["site_id", "active"],
        personal: ["phone", "label"],
        leftOut: ["id", "created_at"],
      },
    ],
  ],
  [
    "bindings.",
    [
      {
        table: "binding",
        within: ofSite,
        plain: ["site_id", "template_id", "enabled"],
        personal: ["event", "recipient", "variable_map", "conditions", "schedule"],
        leftOut: ["id", "template_shape", "created_at", "updated_at"],
      },
    ],
  ],
  [
    "templates.",
    [
      {
        table: "template",
        within: ofAccount,
        plain: ["language", "category", "status", "ttl_seconds"],
        personal: ["name", "definition"],
        leftOut: [
          "id",
          "account_id",
          "platform_id",
          "reason",
          "requested_category",
          "quality",
          "quality_at",
          "status_source",
          "source",
          "told_at",
          "upcoming_category",
          "upcoming_at",
          "former_category",
          "category_at",
          "submitting_at",
          "synced_at",
          "created_at",
          "updated_at",
        ],
      },
    ],
  ],
  [
    "tokens.",
    [
      {
        table: "access_token",
        within: ofAccount,
        plain: ["role", "scopes", "expires_at"],
        personal: ["name"],
        leftOut: ["id", "account_id", "created_by", "token_hash", "hint", "last_used_at", "created_at"],
      },
    ],
  ],
  ["users.invite", [invite]],
  [
    "users.",
    [
      {
        table: "membership",
        within: ofAccount,
        key: "user_id",
        plain: ["role"],
        leftOut: ["id", "user_id", "account_id", "chosen_at", "created_at", "assistant_agreed"],
      },
      {
        table: "app_user",
        within: "id in (select user_id from membership where account_id = $account)",
        plain: [],
        personal: ["name", "email"],
        leftOut: [
          "id",
          "password_hash",
          "address_proven",
          "email_proven",
          "sleeps",
          "openid_issuer",
          "openid_subject",
          "credentials_ended_at",
          "created_at",
        ],
      },
    ],
  ],
  [
    "webhooks.",
    [
      {
        table: "webhook",
        within: ofAccount,
        plain: ["site_id", "types", "enabled"],
        personal: ["url"],
        leftOut: ["id", "account_id", "disabled_because", "failing_since", "created_at"],
      },
    ],
  ],
  [
    "views.",
    [
      {
        table: "saved_view",
        within: ofAccount,
        plain: ["list"],
        personal: ["name", "filter"],
        leftOut: ["id", "account_id", "created_by", "created_at"],
      },
    ],
  ],
  ["alerts.updateChannel", [alertChannel]],
  [
    "alerts.update",
    [
      {
        table: "alert_watch",
        within: ofAccount,
        plain: ["conditions", "quiet_hours", "urgent_always", "weekly"],
        leftOut: ["account_id", "due_at", "owner", "lease_until", "updated_at", "looked_at", "week_told"],
      },
    ],
  ],
  ["alerts.", [alertChannel]],
  [
    "assistant.",
    [
      {
        table: "assistant_use",
        within: ofAccount,
        plain: ["kind", "model", "tokens"],
        leftOut: ["id", "account_id", "user_id", "input", "running_until"],
      },
    ],
  ],
  [
    "optOuts.",
    [
      {
        table: "opt_out",
        within: `${ofAccount} and active`,
        plain: ["scope", "source"],
        leftOut: ["id", "account_id", "phone_hash", "phone", "user_id", "code", "active", "since", "told_at"],
      },
    ],
  ],
  [
    "settings.",
    [
      {
        table: "account",
        within: "id = $account",
        plain: accountColumnsTold("plain"),
        personal: accountColumnsTold("personal"),
        leftOut: ["id", "verify_token", "config_version", "has_opt_outs", "opened_from", "created_at", "updated_at", "data_key"],
      },
      {
        table: "platform_account",
        within: ofAccount,
        plain: ["sandbox", "waba_id", "phone_number_id", "app_id", "api_version", "marketing_route"],
        secret: ["access_token", "app_secret"],
        leftOut: [
          "account_id",
          "access_token_hint",
          "stopped_code",
          "stopped_reason",
          "stopped_at",
          "stopped_until",
          "stop_waits",
          "probe_after",
          "told_at",
          "told_event",
          "limited_number",
          "limited_probe_after",
          "updated_at",
        ],
      },
      {
        table: "assistant",
        within: ofAccount,
        plain: ["provider", "model", "timeout_seconds", "output_tokens", "daily_tokens"],
        personal: ["base_url"],
        secret: ["api_key"],
        leftOut: ["account_id", "api_key_hint", "updated_at"],
      },
    ],
  ],
];

/** A row's members in the form of an entry, each with the text that tells whether it has changed. */
export type Snapshot = ReadonlyMap<string, { kind: "plain" | "personal" | "secret"; text: string; value: AuditValue }>;

type Members = Map<string, { kind: "plain" | "personal" | "secret"; text: string; value: AuditValue }>;

/** The members of the procedure's subject as it is now; empty when there is none. `sql` is the transaction of the change. */
export async function readAudited(sql: Sql, action: string, accountId: string, subject: string | null): Promise<Snapshot> {
  const isOfAccount = action.startsWith("settings.") || action === "alerts.update";
  const snapshot: Members = new Map();
  if (!isOfAccount && (subject === null || !isUuid(subject))) return snapshot;
  for (const table of tablesOf(action)) {
    const { key = "id" } = table;
    const [row] = await readRows(sql, table, accountId, isOfAccount ? sql`true` : sql`${sql(key)} = ${subject}`);
    if (row !== undefined) addMembers(snapshot, table, row);
  }
  return snapshot;
}

/** The same as `readAudited`, for several subjects; those that do not exist are left out. */
export async function readAuditedOf(
  sql: Sql,
  action: string,
  accountId: string,
  subjects: readonly string[],
): Promise<Map<string, Snapshot>> {
  const snapshots = new Map<string, Members>();
  for (const table of tablesOf(action)) {
    const { key = "id" } = table;
    for (const row of await readRows(sql, table, accountId, sql`${sql(key)} = any(${[...subjects]}::uuid[])`, [key])) {
      const snapshot: Members = snapshots.get(String(row[key])) ?? new Map();
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

function addMembers(members: Members, { plain, personal = [], secret = [] }: AuditedTable, row: Record<string, unknown>): Members {
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
export function changesBetween(before: Snapshot, after: Snapshot): AuditChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((member): AuditChange[] => {
    const [was, is] = [before.get(member), after.get(member)];
    if (was?.text === is?.text) return [];
    const kind = (is ?? was)?.kind;
    if (kind === "secret") return [{ member, secret: true }];
    const values = { ...(was !== undefined && { before: was.value }), ...(is !== undefined && { after: is.value }) };
    return [{ member, ...(kind === "personal" && { personal: true }), ...values }];
  });
}
