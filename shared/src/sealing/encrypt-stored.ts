import { isE164 } from "../core/phone.ts";
import { encryptedColumns } from "../db/encryption.ts";
import type { StoredPart } from "../db/erasure/request.ts";
import { rewriteFields } from "../db/event-kind.ts";
import { forgetSomeOfSite } from "../db/event/search-rows.ts";
import type { Sql } from "../db/statement.ts";
import { isRecord, type RowCodec, sealedPrefix } from "../secrets/row-codec.ts";

/** Everything of an account that is encrypted, in the order of the work. */
export const encryptionSteps = (siteIds: readonly string[]): StoredPart[] => [
  ...siteIds.flatMap((siteId) => [...Object.keys(largeTables), "site"].map((table) => ({ table, siteId }))),
  { table: "account", siteId: null },
];

/** Whether rows of a step are in the order of time. */
export const isByTime = ({ table }: StoredPart) => table === "event_payload" || table === "notification" || table === "webhook_delivery";

/**
 * Encrypts the values of the next page that are still plain, of rows with greater ids than `after`, in the transaction `sql`. `next`: the page's last id; null
 * at the end of the step. `changed`: how many rows were encrypted.
 */
export async function encryptPage(
  sql: Sql,
  rows: RowCodec,
  { step: { table, siteId }, accountId, after }: { step: StoredPart; accountId: string; after: string },
) {
  if (siteId === null)
    return { next: null, changed: (await encryptResendJobs(sql, rows, accountId)) + (await encryptOperations(sql, rows, accountId)) };
  if (isLarge(table)) return await encryptRows(sql, rows, table, siteId, after);
  const samples = await encryptSamples(sql, rows, siteId);
  const bodies = await encryptBodies(sql, rows, siteId);
  // Removes the plain words by which events were found; learners that were under way have ended.
  const found = await forgetSomeOfSite(sql, siteId, foundAtOnce);
  return { next: bodies === bodiesAtOnce || found === foundAtOnce ? after : null, changed: samples + bodies + found };
}

/** How many rows of the tables that grow with the events are read at once (a payload may have a megabyte), and their compared columns. */
const largeTables = {
  event_payload: { limit: 50, compared: [] },
  notification: { limit: 200, compared: ["notification.to_phone", "notification.wa_message_id"] },
  customer_order: { limit: 500, compared: ["customer_order.number"] },
  webhook_delivery: { limit: 200, compared: [] },
} as const satisfies Record<keyof typeof encryptedColumns, object>;

type LargeTable = keyof typeof largeTables;

const isLarge = (table: string): table is LargeTable => table in largeTables;

async function encryptRows(sql: Sql, rows: RowCodec, table: LargeTable, siteId: string, after: string) {
  const { limit, compared } = largeTables[table];
  const sealed = encryptedColumns[table];
  const columns = [...sealed, ...compared].map(nameOf);
  const page = await sql<{ id: string; size: number }[]>`
    select id, ${sql.unsafe(columns.map((name) => `coalesce(octet_length(${name}), 0)`).join(" + "))} as size
    from ${sql(table)} where site_id = ${siteId} and id > ${after} order by id limit ${limit}`;
  let bytes = 0;
  const tooMany = page.findIndex(({ size }) => (bytes += size) > bytesAtOnce);
  const ids = page.slice(0, tooMany === -1 ? undefined : Math.max(1, tooMany)).map(({ id }) => id);
  const next = ids.length === limit || ids.length < page.length ? (ids.at(-1) ?? null) : null;
  const isInPage = sql`t.site_id = ${siteId} and t.id > ${after} and t.id <= ${ids.at(-1) ?? after}`;
  const plain = await sql<StoredRow[]>`
    select t.id, ${sql(columns.map((name) => `t.${name}`))} from ${sql(table)} t where ${isInPage} and (${sql.unsafe(columns.map(isPlain).join(" or "))})
    order by t.id for update`;
  if (plain.length === 0) return { next, changed: 0 };
  const written = plain.map((row) => {
    const values = sealed.map((column) => [nameOf(column), sealValue(rows, column, row)]);
    return {
      id: row.id,
      ...Object.fromEntries([...values, ...compared.map((column) => [nameOf(column), concealValue(rows, column, row)])]),
    };
  });
  await sql`
    update ${sql(table)} t set ${sql.unsafe(columns.map((name) => `${name} = w.${name}`).join(", "))}
    from json_to_recordset(${JSON.stringify(written)}::text::json) as w(id uuid, ${sql.unsafe(columns.map((name) => `${name} text`).join(", "))})
    where ${isInPage} and t.id = any(${plain.map(({ id }) => id)}::uuid[]) and t.id::text = w.id::text`;
  return { next, changed: plain.length };
}

/** The most bytes of a page of more than one row, which is in memory several times over: read, encrypted, and on its way back. */
const bytesAtOnce = 8_000_000;

type StoredRow = { id: string } & Record<string, string | null>;
type SealedColumn = (typeof encryptedColumns)[LargeTable][number];
type ComparedColumn = (typeof largeTables)[LargeTable]["compared"][number];

const nameOf = (column: string): string => column.slice(column.indexOf(".") + 1);

/** SQL: whether a value is plain, by the same rule as `sealValue` and `concealValue`. No JSON reads as a record, so its first signs are enough, however long it is. */
function isPlain(name: string): string {
  if (name === "to_phone") return "t.to_phone ~ '^[+][1-9][0-9]{6,14}$'";
  if (jsonColumns.has(name)) return `(left(t.${name}, 3) not in ('${sealedPrefix}', '[]'))`;
  return `(t.${name} !~ '^[sc]1[.][A-Za-z0-9_-]{22,}$'${name === "wa_message_id" ? " and t.wa_message_id <> 'erased'" : ""})`;
}

const jsonColumns = new Set(["payload", "trace", "components", "answer"]);

function sealValue(rows: RowCodec, column: SealedColumn, row: StoredRow): string | null {
  const stored = row[nameOf(column)] ?? null;
  const isDone = stored === null || isRecord(stored) || (stored === "[]" && column === "notification.components");
  return isDone ? stored : rows.seal(rows.open(stored, column, row.id), column, row.id);
}

/** Encrypts a compared value. Values that an erasure has replaced stay: they name nobody. */
function concealValue(rows: RowCodec, column: ComparedColumn, row: StoredRow): string | null {
  const stored = row[nameOf(column)] ?? null;
  const isErased =
    column === "notification.to_phone" ? !isE164(stored ?? "") : column === "notification.wa_message_id" && stored === "erased";
  return isErased || isRecord(stored) ? stored : rows.conceal(rows.open(stored, column, row.id), column);
}

async function encryptSamples(sql: Sql, rows: RowCodec, siteId: string): Promise<number> {
  const seal = (sample: string): string => rows.seal(rows.open(sample, "event_kind.fields", siteId), "event_kind.fields", siteId);
  return await rewriteFields(sql, [siteId], (field) => {
    // A path stays in the clear: one that holds somebody's name goes.
    if (field.hidden !== undefined) return null;
    return field.sample === null || isRecord(field.sample) ? field : { ...field, sample: seal(field.sample) };
  });
}

const bodiesAtOnce = 50;
const foundAtOnce = 1_000;

/** Encrypts the kept answers of dry runs. */
async function encryptBodies(sql: Sql, rows: RowCodec, siteId: string): Promise<number> {
  const kept = await sql<{ event_id: string; body: string }[]>`
    select event_id, body from idempotency where site_id = ${siteId} and body is not null and left(body, 3) <> ${sealedPrefix}
    limit ${bodiesAtOnce} for update`;
  const written = kept.map(({ event_id, body }) => ({ event_id, body: rows.seal(body, "idempotency.body", event_id) }));
  if (written.length > 0)
    await sql`
      update idempotency i set body = w.body from json_to_recordset(${JSON.stringify(written)}::text::json) as w(event_id uuid, body text)
      where i.site_id = ${siteId} and i.event_id = w.event_id`;
  return written.length;
}

/** Encrypts the phones in the filters of resends of earlier versions. */
async function encryptResendJobs(sql: Sql, rows: RowCodec, accountId: string): Promise<number> {
  const jobs = await sql<{ id: string; filter: { phone?: string } }[]>`
    select id, filter from resend_job where account_id = ${accountId} and filter->>'phone' is not null for update`;
  const plain = jobs.filter(({ filter }) => filter.phone?.startsWith(sealedPrefix) === false);
  for (const { id, filter } of plain) {
    const sealed = { ...filter, phone: rows.seal(filter.phone ?? "", "resend_job.filter", id) };
    await sql`update resend_job set filter = ${JSON.stringify(sealed)}::text::json where id = ${id}`;
  }
  return plain.length;
}

/** Encrypts what operations under way work on. */
async function encryptOperations(sql: Sql, rows: RowCodec, accountId: string): Promise<number> {
  const kept = await sql<{ id: string; input: string }[]>`
    select id, input from operation where account_id = ${accountId} and input is not null and left(input, 3) <> ${sealedPrefix} for update`;
  for (const { id, input } of kept) await sql`update operation set input = ${rows.seal(input, "operation.input", id)} where id = ${id}`;
  return kept.length;
}
