import { pipeline, Readable } from "node:stream";
import { stringify } from "csv-stringify";
import type { Context as KoaContext, Middleware } from "koa";
import { notificationFilterInput } from "shared/core/input/log";
import { auditFilterMembers } from "shared/core/input/team";
import type { Role } from "shared/core/role";
import { uuidTime } from "shared/core/uuid";
import { listAuditEntries, subjectOfEntry, type AuditRow } from "shared/db/audit";
import { listNotifications, notificationColumns, type NotificationRow } from "shared/db/notification/log";
import type { ColumnOptions } from "shared/db/table";
import { z } from "zod";
import type { AdminContext } from "../context.ts";
import type { Caller } from "../session/caller.ts";
import { callerAsActor, recordMutation } from "../trpc/audit-trail.ts";
import { requireSite, toLogPage, toNotificationFilter } from "../trpc/paging.ts";
import { may, requireAdmission, requireProof, requireRole, requireScope, shownPhone, shownText } from "../trpc/roles.ts";
import { answerRefusal } from "./refusals.ts";
import { requestContext } from "./request-context.ts";

/** A list as a file at `/export/{name}`, newest first. */
export interface CsvExport<Input, Row> {
  name: string;
  needed: Role;
  /** Of the address's query. */
  input: z.ZodType<Input>;
  /** Read as fast as the client takes them, so that the list is never whole in memory. */
  rows(context: AdminContext, caller: Caller, input: Input): AsyncIterable<Row>;
  /** Each column's header, and its text for a role. */
  columns: Record<string, (row: Row, role: Role) => string | null>;
}

const auditInput = z.strictObject(auditFilterMembers);

export const auditCsv: CsvExport<z.output<typeof auditInput>, AuditRow> = {
  name: "audit.csv",
  needed: "owner",
  input: auditInput,
  rows: ({ sql }, { accountId }, input) => everyRow((page) => listAuditEntries(sql, accountId, input, toLogPage(input, page))),
  columns: {
    time: ({ id }) => new Date(uuidTime(id)).toISOString(),
    actor: (row) => row.actor,
    token: (row) => row.token_id,
    action: (row) => row.action,
    subject: subjectOfEntry,
    address: (row) => row.address,
  },
};

export const notificationsCsv: CsvExport<z.output<typeof notificationFilterInput>, NotificationRow> = {
  name: "notifications.csv",
  needed: "viewer",
  input: notificationFilterInput,
  async *rows({ sql }, { accountId, role }, input) {
    const filter = toNotificationFilter(input, role);
    await requireSite(sql, accountId, filter.siteId);
    yield* everyRow((page) => listNotifications(sql, accountId, filter, toLogPage(input, page)));
  },
  columns: exportedColumns(),
};

/** The columns of the log that have a header. The time of a message is in its id. */
function exportedColumns(): Record<string, (row: NotificationRow, role: Role) => string | null> {
  const shown = notificationColumns.names.flatMap((name) => {
    const { exportedAs, holds } = notificationColumns.all[name];
    return exportedAs === undefined ? [] : [[exportedAs, (row: NotificationRow, role: Role) => shownCell(row[name], holds, role)] as const];
  });
  return { id: ({ id }) => id, time: ({ id }) => new Date(uuidTime(id)).toISOString(), ...Object.fromEntries(shown) };
}

function shownCell(value: string | number | Date | null, holds: ColumnOptions["holds"], role: Role): string | null {
  if (value === null || (holds === "encoded phone" && !may(role, "seePhones"))) return null;
  const text = value instanceof Date ? value.toISOString() : String(value);
  if (holds === "phone") return shownPhone(text, role);
  return holds === "mentions" ? shownText(text, role) : text;
}

const pageSize = 500;

async function* everyRow<Row extends { id: string }>(
  read: (page: { before: string | null; limit: number }) => PromiseLike<readonly Row[]>,
): AsyncGenerator<Row> {
  let before: string | null = null;
  do {
    const rows: readonly Row[] = await read({ before, limit: pageSize });
    yield* rows;
    before = rows.length === pageSize ? (rows.at(-1)?.id ?? null) : null;
  } while (before !== null);
}

/** Authenticates and refuses as the procedures do, HEAD too; a refusal is `{error}`. Texts that a spreadsheet would run as a formula are escaped. */
export function csvRoute<Input, Row>(context: AdminContext, csv: CsvExport<Input, Row>): Middleware {
  return async (koa, next) => {
    if (koa.path !== `/export/${csv.name}` || !["GET", "HEAD"].includes(koa.method)) return next();
    koa.set("cache-control", "no-store");
    try {
      const body = await open(context, csv, koa);
      koa.attachment(csv.name);
      koa.type = "text/csv; charset=utf-8";
      if (body === null) koa.status = 200;
      else koa.body = body;
    } catch (cause) {
      answerRefusal(context.log, koa, cause);
    }
  };
}

async function open<Input, Row>(context: AdminContext, csv: CsvExport<Input, Row>, koa: KoaContext): Promise<Readable | null> {
  const { caller, address } = await requestContext(context, koa);
  const allowed = requireRole(caller, csv.needed);
  requireAdmission(allowed, `export.${csv.name}`);
  requireScope(allowed, `export.${csv.name}`, "query");
  const query = queryOf(koa);
  // Without a filter it is everything.
  if (Object.keys(query).length === 0) requireProof(allowed);
  const input = csv.input.parse(query);
  if (koa.method === "HEAD") return null;
  const rows = csv.rows(context, allowed, input)[Symbol.asyncIterator]();
  // A failure of the first row is answered as a refusal; a later one can only end the connection.
  const first = await rows.next();
  // A filter may name a person.
  const changes = Object.entries(query).map(([member, after]) => ({ member, personal: true, after: String(after).slice(0, 200) }));
  await recordMutation({ sql: context.sql, address }, callerAsActor(allowed), { action: `export.${csv.name}`, changes });
  const writer = stringify({ header: true, columns: Object.keys(csv.columns), escape_formulas: true });
  const toRecord = (row: Row) => Object.values(csv.columns).map((textOf) => textOf(row, allowed.role));
  pipeline(Readable.from(resume(first, rows, toRecord)), writer, (error) => {
    if (error !== null && error !== undefined) context.log.warn({ err: error, path: koa.path }, "export ended early");
  });
  return writer;
}

/** The query without its empty members. */
const queryOf = ({ query }: KoaContext) => Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));

async function* resume<T, R>(first: IteratorResult<T>, rest: AsyncIterator<T>, map: (item: T) => R): AsyncGenerator<R> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield map(next.value);
  } finally {
    await rest.return?.();
  }
}
