import { uuidTime } from "shared/core/uuid";
import { type AuditRow, type ChainedRow, failedSignIn, type StoredChange, subjectOfEntry } from "shared/db/audit";
import { present } from "./paging.ts";

/** An entry for owners to read. */
export const presentAuditEntry = (row: AuditRow) => ({
  id: row.id,
  createdAt: new Date(uuidTime(row.id)).toISOString(),
  ...present(row, "actor", "actor_id", "token_id", "action"),
  subject: subjectOfEntry(row),
  address: row.address,
  changes: (row.changes ?? []).map((change) => presentChange(change, row)),
});

/** `kept`: `secret` if only the change is told, `erased` if the values were deleted with the person they belong to. An absent value was not there, or is no longer. */
function presentChange(change: StoredChange, { content }: AuditRow) {
  const { member } = change;
  if (change.secret === true) return { member, kept: "secret" as const };
  if (change.personal !== true) return { member, kept: "values" as const, before: change.before, after: change.after };
  const values = content?.[member];
  return values === undefined ? { member, kept: "erased" as const } : { member, kept: "values" as const, ...values };
}

/** The entry and its place in its account's chain as a line of JSON, with no character that would break the line. */
export const jsonLine = (row: ChainedRow): string => `${oneLine(JSON.stringify(chained(row)))}\n`;

const chained = (row: ChainedRow) => ({
  accountId: row.account_id,
  seq: row.seq,
  ...presentAuditEntry(row),
  hash: row.hash.toString("hex"),
});

/** JSON escapes the control characters below the space; readers that split text into lines know more of them. */
const oneLine = (json: string): string => json.replaceAll(/[\u007f-\u009f\u2028\u2029]/g, escaped);

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/**
 * The entry as a line of syslog (RFC 5424): facility 13 (log audit), severity notice, or warning for a failed sign-in. The message is the JSON line in
 * ASCII; the members that people look for most stand in the structured data too.
 */
export function syslogLine(row: ChainedRow, host: string): string {
  const entry = presentAuditEntry(row);
  const data = {
    account: row.account_id,
    seq: String(row.seq),
    actor: row.actor,
    action: row.action,
    subject: entry.subject,
    address: row.address,
  };
  const parameters = Object.entries(data).flatMap(([name, value]) => (value === null ? [] : ` ${name}="${parameterValue(value)}"`));
  const priority = 13 * 8 + (row.action === failedSignIn ? 4 : 5);
  const head = `<${priority}>1 ${entry.createdAt} ${headerField(host, 255)} tidings - ${headerField(row.action, 32)}`;
  const message = JSON.stringify(chained(row)).replaceAll(/[^\u0020-\u007e]/g, escaped);
  return `${head} [tidings@${exampleNumber}${parameters.join("")}] ${message}\n`;
}

/** The number that RFC 5612 reserves for those without an enterprise number. */
const exampleNumber = 32_473;

const headerField = (text: string, longest: number): string => text.replaceAll(/[^\u0021-\u007e]/g, "").slice(0, longest) || "-";

/** The text with a backslash before the three characters that end or escape a value, and a space for characters that may break a line. */
const parameterValue = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, " ").replaceAll(/["\\\]]/g, String.raw`\$&`);
