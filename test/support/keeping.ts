import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifyBackup, writeArchive } from "admin-server/cli/backup/archive";
import { dump, load } from "admin-server/cli/backup/database";
import type { Gateway } from "gateway/start";
import type { Fragment } from "postgres";
import { phonePattern, type PhonePattern } from "shared/core/phone-search";
import { webhookTypes } from "shared/core/webhook";
import { names } from "shared/db/erasure/erase";
import { newId } from "shared/db/ids";
import { type Pool, type Sql, inTransaction } from "shared/db/statement";
import { startSandbox } from "shared/sandbox/start";
import { readRowCodec } from "shared/sealing/account-rows";
import { createLogger } from "shared/server/logger";
import { type AdminClient, openAdminOn } from "./admin.ts";
import { data } from "./data.ts";
import { testDatabase, type TestDatabase } from "./database.ts";
import { loopback, openGateway, masterKey, vault } from "./gateway.ts";
import { startReceiver } from "./receiver.ts";
import { postEvent, type Posted, type Sender } from "./requests.ts";
import { controlToken, sandboxKey } from "./sandbox.ts";
import { waitFor } from "./wait-for.ts";

/** Makes every row of events `days` older, as if the clock had gone on since: ids carry their time. */
export async function age(pool: Pool, days: number): Promise<void> {
  await inTransaction(pool, async (sql) => {
    for (const [table, columns] of Object.entries(dated))
      for (const column of columns) await sql`update ${sql(table)} set ${sql(column)} = ${older(sql, sql`${sql(column)}`, days)}`;
    await sql`
      update event_kind set fields = (select coalesce(json_agg(field::jsonb || jsonb_build_object('last', ${older(sql, sql`(field->>'last')::uuid`, days)},
        'sampled', ${older(sql, sql`(field->>'sampled')::uuid`, days)})), '[]') from json_array_elements(fields) field)`;
    const by = sql`make_interval(days => ${days})`;
    await sql`update idempotency set expires_at = expires_at - ${by}`;
    await sql`update opt_out set told_at = told_at - ${by}, since = since - ${by}`;
    await sql`update site set deleted_at = deleted_at - ${by}`;
    await sql`update sandbox.message set at = at - ${by}`;
  });
}

const dated = data<Record<string, string[]>>("test-support-keeping", "dated");

const older = (sql: Sql, id: ReturnType<Sql>, days: number) =>
  sql`(left(uuid_at(uuid_time(${id}) - make_interval(days => ${days}))::text, 13) || substr((${id})::text, 14))::uuid`;

/** A folder for backups; removed when disposed. */
export async function backupFolder(): Promise<AsyncDisposable & { file(): string }> {
  const folder = await mkdtemp(join(tmpdir(), "tidings-backup-"));
  return {
    file: () => join(folder, `${randomBytes(4).toString("hex")}.tar.gz`),
    [Symbol.asyncDispose]: async () => rm(folder, { recursive: true, force: true }),
  };
}

/** Does the work of `npm run backup`, with a random key in the backup. */
export async function backUp(sql: Pool, file: string): Promise<Record<string, number>> {
  const rows: Record<string, number> = {};
  const createdAt = new Date();
  const masterKey = { id: "00000000", key: Buffer.alloc(32), included: true };
  const onTable = (name: string, count: number): void => void (rows[name] = count);
  await sql.begin("isolation level repeatable read read only", async (transaction) => {
    await writeArchive(file, createdAt, (checksums) => dump(transaction, { createdAt, masterKey, onTable }, checksums));
  });
  return rows;
}

/** Does the work of `npm run restore`. */
export async function restore(sql: Pool, file: string): Promise<{ closed: number }> {
  const { manifest } = await verifyBackup(file);
  return await load(sql, file, manifest, () => undefined);
}

/** Makes a person leave traces in every place that can hold personal data. `label` is a word in all of their texts. */
export async function liveThrough(world: KeepingWorld, phone: string, label: string): Promise<string[]> {
  const { owner, sql, siteId, accountId, sandboxUrl, phoneNumberId } = world;
  await owner.recipients.add.mutate({ siteId, phone, label: `${label} ${fullWidth(phone)}` });
  const digits = phone.slice(1);
  await owner.views.create.mutate({ list: "log", name: `${label} ${fullWidth(phone)}`, filter: { template: digits } });
  const spaced = `+${digits.slice(0, 2)} ${digits.slice(2, 5)}-${digits.slice(5)}`;
  const order = { id: `${label}-${phone}`, number: label, status: label, total: "49.90", currency: "USD" };
  const customer = { first_name: label, phone_e164: phone };
  const event = { event: "order.created", customer, order, data: { contact: spaced, ref: label } };
  const posted = [
    await world.post(event, { "X-Service-Idempotency-Key": `${label}-${phone}` }),
    await world.post(event, { "X-Service-Idempotency-Key": `${label}-${phone}`, "X-Service-Mode": "test" }),
    await world.post({ ...event, customer: {}, order: { id: label }, data: { note: `call ${spaced}`, whatsapp: Number(digits) } }),
    await world.post({ customer: {}, order: { id: `${label} ${fullWidth(phone)}` }, data: { note: arabicIndic(spaced), ref: label } }),
    // Keys that are a person's, and digits that no phone has in common with others but the signs between them.
    await world.post({
      customer: { first_name: label },
      order: { id: `${label}-keys` },
      data: { [spaced.replaceAll(/[ -]/g, ",")]: 1, [`tel ${raised(spaced)}`]: 2, [label]: 3, call: spaced.replaceAll(/[ -]/g, " = ") },
    }),
  ];
  for (const { status, body } of posted) if (status !== 200) throw new Error(body);
  const unsigned = { "X-Service-Signature": `sha256=${"0".repeat(64)}`, "X-Service-Idempotency-Key": `${label}-${phone}` };
  const refused = await world.post(event, unsigned);
  if (refused.status !== 401) throw new Error(refused.body);
  const sha256 = createHash("sha256").update(JSON.stringify(event)).digest("hex");
  await waitFor("the refusal to be noted", async () => (await sql`select from refused_request where sha256 = ${sha256}`).length > 0);
  await world.settled();
  await owner.sandbox.answer.mutate({ from: phone, text: `Please call ${spaced}` });
  const { items } = await owner.sandbox.messages.query({ to: phone });
  await owner.sandbox.markRead.mutate({ id: items[0]?.id ?? "" });
  await owner.events.fields.query({ siteId, event: "order.created" });
  const events = posted.map(({ json }) => String(json["event_id"]));
  await waitFor("the events to be found", async () => {
    const [found] = await sql`
      select count(*) = ${events.length} or (select encrypt_payloads from account where id = ${accountId}) as all
      from event_search where id = any(${events}::uuid[])`;
    return found?.["all"] === true;
  });
  const job = {
    id: newId(),
    account_id: accountId,
    created_by: label,
    filter: sql.json({ phone }),
    force: false,
    total: 1,
    below: newId(),
  };
  await sql`insert into resend_job ${sql({ ...job, finished_at: new Date() })}`;
  const [id, rows] = [newId(), await readRowCodec(sql, vault, accountId)];
  const test = { id, account_id: accountId, site_id: siteId, kind: "test", name: "order.created", due_at: new Date("2100-01-01") };
  const sealed = {
    payload: rows.seal(JSON.stringify(event), "requested_event.payload", id),
    phone: rows.seal(phone, "requested_event.phone", id),
  };
  await sql`insert into requested_event ${sql({ ...test, ...sealed })}`;
  const headers = { "content-type": "application/json", authorization: `Bearer ${controlToken}` };
  const body = JSON.stringify({ phoneNumberId, from: phone, value: "stop" });
  await fetch(`${sandboxUrl}/_sandbox/preferences`, { method: "POST", headers, body });
  await world.settled();
  return events;
}

/** The phone in the form of an input method of East Asia. */
export const fullWidth = (phone: string): string => phone.replaceAll(/[+\d]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0));

const arabicIndic = (phone: string): string => phone.replaceAll(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)));

const raised = (phone: string): string =>
  phone.replaceAll(/[+\d]/g, (sign) => "⁰¹²³⁴⁵⁶⁷⁸⁹⁺".charAt("0123456789+".indexOf(sign))).replaceAll(" ", "\u00b7");

/** A phone that nobody else has. */
export const anyPhone = (): string => `+4917${randomBytes(5).readUIntBE(0, 5).toString().padStart(13, "0").slice(-8)}`;

type AdminOptions = Parameters<typeof openAdminOn>[2];

/** Every program over one database, and an account with a shop that sends each order to its customer and to its own people. */
export interface KeepingWorld extends AsyncDisposable {
  database: TestDatabase;
  sql: Pool;
  databaseUrl: string;
  gateway: Gateway;
  admin: Awaited<ReturnType<typeof openAdminOn>>;
  owner: AdminClient;
  ownerEmail: string;
  accountId: string;
  siteId: string;
  sandboxUrl: string;
  phoneNumberId: string;
  post(payload: object, headers?: Record<string, string>, to?: Gateway): Promise<Posted>;
  /** Waits until nothing is under way: every message has its last status, and the callback knows it. */
  settled(): Promise<void>;
}

export async function openKeepingWorld(overrides: AdminOptions = {}): Promise<KeepingWorld> {
  const database = await testDatabase();
  const { sql, url: databaseUrl } = database;
  const sandbox = await startSandbox({
    host: "127.0.0.1",
    port: 0,
    databaseUrl,
    key: sandboxKey,
    controlToken,
    log: createLogger("sandbox", "silent"),
    options: { sentAfterMs: 0, deliveredAfterMs: 5, readAfterMs: 10, reviewAfterMs: 0 },
  });
  const gateway = await openGateway(databaseUrl, sandbox.url, {}, { dueMs: 50 });
  // The receiver answers with the request, which the log of deliveries then holds.
  const receiver = await startReceiver();
  receiver.script(({ body }, response) => response.writeHead(200).end(body));
  const config = {
    masterKey,
    platformUrl: sandbox.url,
    isSandbox: true,
    sandboxControlToken: controlToken,
    publicGatewayUrl: gateway.url,
    allowPrivate: loopback,
  };
  const admin = await openAdminOn(databaseUrl, config, overrides);
  const { client: owner, email: ownerEmail } = await admin.signUp();
  const accountId = (await owner.auth.me.query()).account.id;
  const { platform } = await owner.settings.get.query();
  const { siteId, sender } = await openShop(owner);
  await owner.webhooks.create.mutate({ siteId, url: receiver.url, types: [...webhookTypes] });
  return {
    database,
    sql,
    databaseUrl,
    gateway,
    admin,
    owner,
    ownerEmail,
    accountId,
    siteId,
    sandboxUrl: sandbox.url,
    phoneNumberId: platform.phoneNumberId ?? "",
    post: (payload, headers = {}, to = gateway) => postEvent(to, sender, payload, { headers }),
    settled: () => waitFor("every message to come to its end", async () => await isSettled(sql), 20_000).then(() => undefined),
    async [Symbol.asyncDispose]() {
      await admin[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

async function isSettled(sql: Pool): Promise<boolean> {
  const [row] = await sql<[{ open: number }]>`
    select ((select count(*) from notification where status in ('queued', 'sending', 'sent', 'delivered')) + (select count(*) from sandbox.callback)
      + (select count(*) from event where chat is null) + (select count(*) from event_due)
      + (select count(*) from webhook_delivery where status = 'pending'))::integer as open`;
  return row.open === 0;
}

async function openShop(owner: AdminClient): Promise<{ siteId: string; sender: Sender }> {
  const { site, apiKey, webhookSecret } = await owner.sites.create.mutate({
    name: "Shop",
    url: "https://shop.example",
    sourceType: "generic",
    testPhone: "+15559990001",
  });
  const { template } = await owner.templates.create.mutate({
    name: "order_created",
    language: "en_US",
    category: "UTILITY",
    body: "Order {{1}} of {{2}} has arrived at the shop.",
    examples: { body: ["10042", "Ada"] },
  });
  await owner.templates.submit.mutate({ id: template.id });
  await waitFor("the template's approval", async () => {
    await owner.templates.sync.mutate();
    return (await owner.templates.get.query({ id: template.id })).template.status === "approved";
  });
  const variableMap = {
    body: {
      "1": { source: "field" as const, path: "order.id", fallback: "?" },
      "2": { source: "field" as const, path: "customer.phone_e164", fallback: "somebody" },
    },
  };
  const base = { siteId: site.id, event: "order.created", templateId: template.id, variableMap };
  await owner.bindings.create.mutate({ ...base, recipient: { strategy: "customer" } });
  await owner.bindings.create.mutate({ ...base, recipient: { strategy: "site_recipients" } });
  await owner.bindings.create.mutate({ ...base, recipient: { strategy: "field_path", path: "data.contact" } });
  return { siteId: site.id, sender: { key: apiKey, secret: webhookSecret } };
}

interface Column {
  place: string;
  schema: string;
  table: string;
  column: string;
  type: string;
}

/** Every table of the service and the sandbox, `schema.table` outside of public; partitions count as their table. */
export async function everyTable(sql: Pool): Promise<string[]> {
  return [...new Set((await everyColumn(sql)).map(({ schema, table }) => nameOf(schema, table)))];
}

/** What holds no word, and less than a phone. */
const short = ["boolean", "smallint", "integer", "date", "timestamp with time zone"];

/**
 * The places of texts that match one of the patterns, as `table.column`: searches every column of every table, except for short ones. All columns of a table are asked for
 * in one statement, which reads it once; tables without rows are left out.
 */
export async function searchEverywhere(sql: Sql, ...patterns: readonly (string | PhonePattern)[]): Promise<string[]> {
  const columns = (await everyColumn(sql)).filter(({ type }) => !short.includes(type));
  const union = (parts: Fragment[]) => parts.reduce((one, other) => sql`${one} union all ${other}`);
  const tables = [...new Set(columns.map(({ schema, table }) => nameOf(schema, table)))];
  const filled = await sql<
    { table: string }[]
  >`${union(tables.map((table) => sql`select ${table} as table where exists (table ${sql(table)})`))}`;
  const found: string[] = [];
  for (const { table } of filled) {
    const each = columns.filter((column) => nameOf(column.schema, column.table) === table);
    const places = each.map(({ place, column, type }) => {
      const text = type === "bytea" ? sql`encode(${sql(column)}, 'escape')` : sql`${sql(column)}::text`;
      const fits = patterns.map((pattern) =>
        typeof pattern === "string" ? sql`${text} ~ ${pattern}` : sql`(${names(sql, text, pattern)})`,
      );
      const fitsAny = fits.reduce((one, other) => sql`${one} or ${other}`);
      return sql`select ${place} as place where exists (select from held where ${fitsAny})`;
    });
    const rows = await sql<{ place: string }[]>`with held as materialized (table ${sql(table)}) ${union(places)}`;
    found.push(...rows.map(({ place }) => place));
  }
  return found;
}

/** The places of a phone, in plain text or in the platform's message ids, and of more patterns. */
export const tracesOf = async (sql: Sql, phone: string, ...more: string[]): Promise<string[]> =>
  searchEverywhere(sql, phonePattern(phone), encoded(phone), ...more);

/** The same in one search, for several phones and words; not for every way in which people group digits. */
export const placesOf = async (sql: Sql, ...texts: string[]): Promise<string[]> =>
  searchEverywhere(
    sql,
    texts.flatMap((text) => (text.startsWith("+") ? [text.slice(1), fullWidth(text.slice(1)), encoded(text)] : text)).join("|"),
  );

/** The phone as a pattern. */
const encoded = (phone: string): string =>
  [0, 1, 2]
    .map((shift) =>
      Buffer.from(`${"x".repeat(shift)}${phone.slice(1)}`)
        .toString("base64")
        .slice(4, 14)
        .replaceAll(/[+/]/g, "\\$&"),
    )
    .join("|");

async function everyColumn(sql: Sql): Promise<Column[]> {
  const rows = await sql<Omit<Column, "place">[]>`
    select n.nspname as schema, c.relname as table, a.attname as column, format_type(a.atttypid, null) as type
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    where n.nspname in ('public', 'sandbox') and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0 and not a.attisdropped
    order by n.nspname, c.relname, a.attnum`;
  return rows.map((row) => ({ ...row, place: `${nameOf(row.schema, row.table)}.${row.column}` }));
}

const nameOf = (schema: string, table: string): string => (schema === "public" ? table : `${schema}.${table}`);
