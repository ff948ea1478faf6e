import { pipeline, Readable } from "node:stream";
import { stringify } from "csv-stringify";
import type { Context as KoaContext, Middleware } from "koa";
import { errorCodesSchema, messageStatsInput, notificationFilterInput } from "shared/core/input/log";
import { auditFilterMembers } from "shared/core/input/team";
import type { Role } from "shared/core/role";
import { uuidTime } from "shared/core/uuid";
import { rule, say } from "shared/core/wording";
import { listAuditEntries, listChainedEntries, subjectOfEntry, type AuditRow, type ChainedRow } from "shared/db/audit";
import { listNotifications, notificationColumns, type NotificationRow } from "shared/db/notification/log";
import { listSites } from "shared/db/site";
import { readMessage } from "shared/sealing/account-rows";
import { z } from "zod";
import { type MessageCounts, readMessageStats } from "../api/stats.ts";
import type { AdminContext } from "../context.ts";
import type { Caller } from "../session/caller.ts";
import { jsonLine } from "../trpc/audit-lines.ts";
import { callerAsActor, recordMutation } from "../trpc/audit-trail.ts";
import { Refusal } from "../trpc/errors.ts";
import { refuseHuge } from "../trpc/input-bounds.ts";
import { everyRow, pageSize, readStretches, requireSite, toLogPage } from "../trpc/paging.ts";
import { requireAdmission, requireProof, requireProofOfPerson, requireRole, requireScope, shownCell, shownText } from "../trpc/roles.ts";
import { readingMessages } from "../trpc/search.ts";
import { answerRefusal } from "./refusals.ts";
import { requestContext } from "./request-context.ts";

/** A list as a file at `/export/{name}`. */
interface FileExport<Input, Row> {
  name: string;
  needed: Role;
  /** The schema of the address's query. */
  input: z.ZodType<Input>;
  /** Reads rows as fast as the client takes them, so that the list is never whole in memory. */
  rows(context: AdminContext, caller: Caller, input: Input): AsyncIterable<Row>;
  /** True if people have to prove who they are even with a filter, which may leave out nothing that matters. */
  isPersonal?: true;
  /** False for the audit's entries about this very file: a reader who polls finds the entry of the last question each time, and a file of such rows leaves none. */
  isNews?: (row: Row) => boolean;
}

/** A list as CSV, newest first. */
export interface CsvExport<Input, Row> extends FileExport<Input, Row> {
  /** Each column's header, and its text for a role. */
  columns: Record<string, (row: Row, role: Role) => string | null>;
}

/** A list with a JSON text on each line. */
export interface LinesExport<Input, Row> extends FileExport<Input, Row> {
  line: (row: Row) => string;
}

const idOf = ({ id }: { id: string }): string => id;

const auditInput = z.strictObject(auditFilterMembers);

export const auditCsv: CsvExport<z.output<typeof auditInput>, AuditRow> = {
  name: "audit.csv",
  needed: "owner",
  input: auditInput,
  rows: ({ sql }, { accountId }, input) => everyRow((page) => listAuditEntries(sql, accountId, input, toLogPage(input, page)), idOf),
  columns: {
    time: ({ id }) => new Date(uuidTime(id)).toISOString(),
    actor: (row) => row.actor,
    token: (row) => row.token_id,
    action: (row) => row.action,
    subject: subjectOfEntry,
    address: (row) => row.address,
  },
};

/** `id`: of a site or a binding, whose site is `siteId`. */
type StatsRow = MessageCounts & { by: string; name: string; id?: string; siteId?: string | null; siteName?: string | undefined };

/** The statistics of a span: by site, binding, template, hour of day and day. */
export const statisticsCsv: CsvExport<z.output<typeof messageStatsInput>, StatsRow> = {
  name: "statistics.csv",
  needed: "viewer",
  input: messageStatsInput,
  async *rows({ sql }, { accountId }, input) {
    const { total, sites, bindings, templates, hours, days } = await readMessageStats(sql, accountId, input, true);
    const ids = [...new Set([...sites, ...bindings].flatMap(({ siteId }) => siteId ?? []))];
    const siteNames = new Map(
      (await listSites(sql, accountId, { ids }, { before: null, limit: ids.length })).map(({ id, name }) => [id, name]),
    );
    const rows = <Row extends MessageCounts & Pick<StatsRow, "id" | "siteId">>(
      by: string,
      all: readonly Row[],
      nameOf: (row: Row) => string,
    ) => all.map((row): StatsRow => ({ ...row, by, name: nameOf(row), siteName: siteNames.get(row.siteId ?? "") }));
    const sitesById = sites.map((row) => ({ ...row, id: row.siteId }));
    const bindingsById = bindings.map((row) => ({ ...row, id: row.bindingId }));
    yield* rows("all", [total], () => "");
    yield* rows("site", sitesById, ({ id }) => id);
    yield* rows("binding", bindingsById, ({ id, event, template }) => (event === null ? id : `${event} ${template ?? ""}`));
    yield* rows("template", templates, ({ template }) => template);
    yield* rows("hour", hours, ({ hour }) => String(hour));
    yield* rows("day", days, ({ date }) => date);
  },
  columns: {
    by: ({ by }) => by,
    name: ({ name }, role) => shownText(name, role),
    messages: ({ total }) => String(total),
    sent: ({ sent }) => String(sent),
    delivered: ({ delivered }) => String(delivered),
    read: ({ read }) => String(read),
    failed: ({ failed }) => String(failed),
    sent_p50_ms: ({ sentMs }) => sentMs && String(sentMs.p50),
    sent_p95_ms: ({ sentMs }) => sentMs && String(sentMs.p95),
    delivered_p50_ms: ({ deliveredMs }) => deliveredMs && String(deliveredMs.p50),
    delivered_p95_ms: ({ deliveredMs }) => deliveredMs && String(deliveredMs.p95),
    // Those that came later stand last, for programs that read by place.
    site_name: ({ siteName }) => siteName ?? null,
    id: ({ id }) => id ?? null,
  },
};

const auditLinesInput = z.strictObject({
  since: z
    .string()
    .regex(/^\d{1,15}$/, rule("Must be the number (seq) of an entry, or 0"))
    .optional(),
});

/** The audit in the order of the chain, so that `since` goes on where the last file ended. */
export const auditLines: LinesExport<z.output<typeof auditLinesInput>, ChainedRow> = {
  name: "audit.jsonl",
  needed: "owner",
  isPersonal: true,
  input: auditLinesInput,
  rows: ({ sql }, { accountId }, { since = "0" }) =>
    everyRow(
      ({ before, limit }) => listChainedEntries(sql, accountId, { after: Number(before ?? since), limit }),
      ({ seq }) => String(seq),
    ),
  isNews: ({ action }) => action !== "export.audit.jsonl",
  line: jsonLine,
};

/** A query holds texts alone. */
const notificationsInput = notificationFilterInput.extend({
  errorCodes: z
    .string()
    .max(50_100)
    .transform((text) => text.split(","))
    .pipe(errorCodesSchema)
    .optional(),
  test: z
    .enum(["true", "false"])
    .transform((text) => text === "true")
    .optional(),
});

export const notificationsCsv: CsvExport<z.output<typeof notificationsInput>, NotificationRow> = {
  name: "notifications.csv",
  needed: "viewer",
  input: notificationsInput,
  async *rows(context, caller, input) {
    await requireSite(context.sql, caller.accountId, input.siteId);
    yield* everyRow(async (page) => {
      // The codec is read for each page: the account may begin to encrypt meanwhile.
      const { rows, range, stretchOf } = await readingMessages(context, caller, input, page);
      const stored = await readStretches(range, stretchOf, (part, how) => listNotifications(context.sql, caller.accountId, how, part));
      return { ...stored, rows: stored.rows.map((row) => readMessage(rows, row)) };
    }, idOf);
  },
  columns: exportedColumns(),
};

/** The columns of the log that have a header. The time of a message is in its id. */
function exportedColumns(): Record<string, (row: NotificationRow, role: Role) => string | null> {
  const shown = notificationColumns.names.flatMap((name) => {
    const { exportedAs, holds } = notificationColumns.all[name];
    if (exportedAs === undefined || name === "tries" || name === "pricing") return [];
    const textOf = (row: NotificationRow, role: Role): string | null => {
      const cell = shownCell(row[name], holds, role);
      return cell === null ? null : String(cell);
    };
    return [[exportedAs, textOf] as const];
  });
  return { id: ({ id }) => id, time: ({ id }) => new Date(uuidTime(id)).toISOString(), ...Object.fromEntries(shown) };
}

/** Authenticates and refuses as the procedures do, HEAD too; a refusal is `{error}`. */
export function exportRoute<Input, Row>(context: AdminContext, file: CsvExport<Input, Row> | LinesExport<Input, Row>): Middleware {
  return async (koa, next) => {
    if (koa.path !== `/export/${file.name}` || !["GET", "HEAD"].includes(koa.method)) return next();
    koa.set("cache-control", "no-store");
    try {
      const body = await open(context, file, koa);
      koa.attachment(file.name);
      koa.type = `${"line" in file ? "application/x-ndjson" : "text/csv"}; charset=utf-8`;
      if (body === null) koa.status = 200;
      else koa.body = body;
    } catch (cause) {
      answerRefusal(context.log, koa, cause);
    }
  };
}

async function open<Input, Row>(context: AdminContext, file: CsvExport<Input, Row> | LinesExport<Input, Row>, koa: KoaContext) {
  const { caller, address } = await requestContext(context, koa);
  const allowed = requireRole(caller, file.needed);
  const action = `export.${file.name}`;
  requireAdmission(allowed, action);
  requireScope(allowed, action, "query");
  const query = queryOf(koa);
  // Koa's own query has no member of the name `__proto__`.
  refuseHuge(Object.fromEntries(new URLSearchParams(koa.querystring)));
  // A file without a filter holds everything.
  if (Object.keys(query).length === 0) {
    if (allowed.via.kind === "access-token")
      throw new Refusal("FORBIDDEN", say("An access token takes a file by a filter, such as from: add one"));
    requireProof(allowed);
  }
  if (file.isPersonal === true) requireProofOfPerson(allowed);
  const input = file.input.parse(query);
  const rows = file.rows(context, allowed, input)[Symbol.asyncIterator]();
  // A failure of the first row is answered as a refusal; a later one can only end the connection.
  const { first, hasNews } = await readFirst(file, rows, needsProof(allowed) ? mostUnproven : 0);
  if (first.length > mostUnproven) requireProofOfPerson(allowed);
  if (koa.method === "HEAD") {
    await rows.return?.();
    return null;
  }
  if (hasNews) {
    // A filter may name a person.
    const changes = Object.entries(query).map(([member, after]) => ({ member, personal: true, after: String(after).slice(0, 200) }));
    await recordMutation({ sql: context.sql, address }, callerAsActor(allowed), { action, changes });
  }
  const failed = (error: Error | null | undefined): void => {
    if (error !== null && error !== undefined) context.log.warn({ err: error, path: koa.path }, "export ended early");
  };
  if ("line" in file) return Readable.from(resume(first, rows, file.line)).on("error", failed);
  // Texts that a spreadsheet would run as a formula are escaped.
  const writer = stringify({ header: true, columns: Object.keys(file.columns), escape_formulas: true });
  const toRecord = (row: Row) => Object.values(file.columns).map((textOf) => textOf(row, allowed.role));
  pipeline(Readable.from(resume(first, rows, toRecord)), writer, failed);
  return writer;
}

const needsProof = ({ via }: Caller): boolean => via.kind === "session" && !via.isProven;

/** The most rows that a person gets without a proof, whatever the filter says. */
const mostUnproven = 1_000;

/** The rows up to the first that is news, and more than `atLeast` where there are so many. More than a page of rows that are none counts as news. */
async function readFirst<Input, Row>({ isNews }: FileExport<Input, Row>, rows: AsyncIterator<Row>, atLeast: number) {
  const first: Row[] = [];
  let hasNews = false;
  for (;;) {
    const next = await rows.next();
    if (next.done === true) return { first, hasNews: hasNews || isNews === undefined };
    first.push(next.value);
    hasNews ||= isNews?.(next.value) !== false || first.length > pageSize;
    if (hasNews && first.length > atLeast) return { first, hasNews };
  }
}

/** The query without its empty members. */
const queryOf = ({ query }: KoaContext) => Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));

async function* resume<T, R>(first: readonly T[], rest: AsyncIterator<T>, map: (item: T) => R): AsyncGenerator<R> {
  try {
    for (const item of first) yield map(item);
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield map(next.value);
  } finally {
    await rest.return?.();
  }
}
