import { pipeline, Readable } from "node:stream";
import { stringify } from "csv-stringify";
import type { Context as KoaContext, Middleware } from "koa";
import { notificationFilterInput } from "shared/core/input/log";
import { auditFilterMembers } from "shared/core/input/team";
import type { Role } from "shared/core/role";
import { uuidTime } from "shared/core/uuid";
import { listAuditEntries, type AuditRow } from "shared/db/audit";
import { listNotifications, type NotificationRow } from "shared/db/notification/log";
import { isSiteOfAccount } from "shared/db/site";
import { z } from "zod";
import type { AdminContext } from "../context.ts";
import type { Caller } from "../session/caller.ts";
import { notFound } from "../trpc/errors.ts";
import { toLogPage, toNotificationFilter } from "../trpc/paging.ts";
import { seesPhones, shownPhone, shownText, requireRole } from "../trpc/roles.ts";
import { answerRefusal } from "./refusals.ts";
import { requestContext } from "./request-context.ts";

const input = z.object(auditFilterMembers);
const pageSize = 500;

/** What was done in the account, newest first. */
export const auditCsv: CsvExport<z.output<typeof input>> = {
  name: "audit.csv",
  needed: "owner",
  input,
  columns: ["time", "actor", "token", "action", "subject", "address"],
  async *rows({ sql }, { accountId }, filter) {
    let before: string | null = null;
    do {
      const page: AuditRow[] = await listAuditEntries(sql, accountId, filter, toLogPage(filter, before, pageSize));
      yield* page.map(auditRecord);
      before = page.length === pageSize ? (page.at(-1)?.id ?? null) : null;
    } while (before !== null);
  },
};

const auditRecord = ({ id, actor, token_id, action, subject, address }: AuditRow) =>
  [new Date(uuidTime(id)).toISOString(), actor, token_id, action, subject, address] as const;

const columns = ["id", "time", "site", "event", "event_id", "template", "language", "phone", "status"] as const;
const more = ["message_id", "error_code", "error_reason", "sent", "delivered", "read", "failed", "resend_of"] as const;

/** The log of messages, newest first. */
export const notificationsCsv: CsvExport<z.output<typeof notificationFilterInput>> = {
  name: "notifications.csv",
  needed: "viewer",
  input: notificationFilterInput,
  columns: [...columns, ...more],
  async *rows({ sql }, { accountId, role }, input) {
    const filter = toNotificationFilter(input, role);
    if (filter.siteId !== undefined && !(await isSiteOfAccount(sql, accountId, filter.siteId))) throw notFound("site");
    let before: string | null = null;
    do {
      const page: NotificationRow[] = await listNotifications(sql, accountId, filter, toLogPage(input, before, pageSize));
      yield* page.map((row) => notificationRecord(row, role));
      before = page.length === pageSize ? (page.at(-1)?.id ?? null) : null;
    } while (before !== null);
  },
};

const notificationRecord = (row: NotificationRow, role: Role) => [
  row.id,
  new Date(uuidTime(row.id)).toISOString(),
  row.site_id,
  shownText(row.event, role),
  row.event_id,
  row.template,
  row.language,
  shownPhone(row.to_phone, role),
  row.status,
  seesPhones(role) ? row.wa_message_id : null,
  row.error_code,
  row.error_reason && shownText(row.error_reason, role),
  toText(row.sent_at),
  toText(row.delivered_at),
  toText(row.read_at),
  toText(row.failed_at),
  row.resend_of,
];

const toText = (time: Date | null): string | null => time && time.toISOString();

/** A list as a file. */
export interface CsvExport<Input> {
  /** The file's name, at `/export/`. */
  name: string;
  needed: Role;
  /** Of the address's query. */
  input: z.ZodType<Input>;
  columns: readonly string[];
  /** Read as fast as the client takes them, so the whole is never in memory. */
  rows(context: AdminContext, caller: Caller, input: Input): AsyncIterable<readonly (string | null)[]>;
}

/** Answers as the procedures do: the same authentication, roles and messages, refusals as `{error}`. Texts that a spreadsheet would run as a formula are escaped. */
export function csvRoute<Input>(context: AdminContext, csv: CsvExport<Input>): Middleware {
  return async (koa, next) => {
    if (koa.path !== `/export/${csv.name}` || koa.method !== "GET") return next();
    koa.set("cache-control", "no-store");
    try {
      const body = await open(context, csv, koa);
      koa.attachment(csv.name);
      koa.type = "text/csv; charset=utf-8";
      koa.body = body;
    } catch (cause) {
      answerRefusal(context.log, koa, cause);
    }
  };
}

async function open<Input>(context: AdminContext, csv: CsvExport<Input>, koa: KoaContext): Promise<Readable> {
  const { caller } = await requestContext(context, koa);
  const allowed = requireRole(caller, csv.needed);
  const rows = csv.rows(context, allowed, csv.input.parse(queryOf(koa)))[Symbol.asyncIterator]();
  // What fails at once is answered as a refusal; what fails later can only end the connection.
  const first = await rows.next();
  const writer = stringify({ header: true, columns: [...csv.columns], escape_formulas: true });
  pipeline(Readable.from(resume(first, rows)), writer, (error) => {
    if (error !== null && error !== undefined) context.log.warn({ err: error, path: koa.path }, "export ended early");
  });
  return writer;
}

/** A filter that is left empty is none. */
const queryOf = ({ query }: KoaContext) => Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));

async function* resume<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
