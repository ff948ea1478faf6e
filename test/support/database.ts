import { randomBytes } from "node:crypto";
import { connect as connectTcp, createServer, type AddressInfo, type Socket } from "node:net";
import type { Fragment, Helper, ParameterOrFragment, PendingQuery, Row } from "postgres";
import { connect } from "shared/db/connect";
import { grantEverydayRights } from "shared/db/grants";
import { newId } from "shared/db/ids";
import { migrate } from "shared/db/migrate";
import type { Pool } from "shared/db/statement";
import { everydayRole, type EmbeddedPostgres } from "shared/postgres/start";
import { inject } from "vitest";

/** A database as an installation has it: programs and statements work as the role that owns nothing. */
export interface TestDatabase extends AsyncDisposable {
  /** The URL of the programs' role. */
  readonly url: string;
  /** The connections of the programs' role. */
  readonly sql: Pool;
  /** The URL of the owner, for what migrates and restores. No other program gets in with it. */
  readonly ownerUrl: string;
  readonly owner: Owner;
}

/** The owner's connections, by which a test arranges and looks at what the programs' role may not, such as a trigger. They fit no statement of the product. */
export interface Owner extends OwnersStatements {
  begin: (work: (owner: OwnersStatements) => Promise<unknown>) => Promise<unknown>;
}

interface OwnersStatements {
  <T extends readonly (object | undefined)[] = Row[]>(
    template: TemplateStringsArray,
    ...parameters: readonly ParameterOrFragment<never>[]
  ): PendingQuery<T>;
  /** A name in a statement. */
  (name: string): Helper<string>;
  unsafe: Pool["unsafe"];
}

/** A database without any table, which its owner migrates or restores. */
export interface EmptyDatabase extends TestDatabase {
  readonly owner: Pool;
}

/** A fresh, migrated database of the test's own; dropped when disposed, even if somebody is still connected. */
export const testDatabase = async (): Promise<TestDatabase> => migratedDatabase();

/** The same for an owner who migrates further. */
export const migratedDatabase = async (): Promise<EmptyDatabase> => cloneOf(inject("templateName"));

/** A fresh database without any table. */
export const emptyDatabase = async (): Promise<EmptyDatabase> => cloneOf("template0");

/** A fresh copy of the database with this URL, to which nobody is connected. */
export const copyOf = async (url: string): Promise<TestDatabase> => cloneOf(new URL(url).pathname.slice(1));

/** Copies the files, which takes half the work of the default way, where every page is first written to the log. */
const cloneOf = async (template: string): Promise<EmptyDatabase> => {
  const name = `test_${randomBytes(6).toString("hex")}`;
  await onServer(async (server) => {
    await server`create database ${server(name)} template ${server(template)} strategy file_copy`;
    // The embedded database of an installation gives this right alone.
    await server`revoke all on database ${server(name)} from public`;
    await server`grant connect on database ${server(name)} to ${server(everydayRole)}`;
  });
  const urlAt = (server: string): string => Object.assign(new URL(server), { pathname: name }).href;
  const opened = open({ url: urlAt(inject("serverUrl")), everydayUrl: urlAt(inject("everydayUrl")) });
  return {
    ...opened,
    [Symbol.asyncDispose]: async () => {
      await opened[Symbol.asyncDispose]();
      await onServer(async (server) => server`drop database ${server(name)} with (force)`);
    },
  };
};

/** The database of a PostgreSQL of the test's own, migrated and with the rights that a start gives. Disposing it closes the connections. */
export async function migrated(urls: Pick<EmbeddedPostgres, "url" | "everydayUrl">): Promise<TestDatabase> {
  const database = open(urls);
  await migrate(database.owner);
  await grantEverydayRights(database.owner, everydayRole);
  return database;
}

function open({ url: ownerUrl, everydayUrl: url }: Pick<EmbeddedPostgres, "url" | "everydayUrl">): EmptyDatabase {
  const [sql, owner] = [connect(url, { max: 10, applicationName: "test" }), connect(ownerUrl, { max: 10, applicationName: "test" })];
  return {
    url,
    sql,
    ownerUrl,
    owner,
    [Symbol.asyncDispose]: async () => {
      for (const pool of [sql, owner]) await pool.end({ timeout: 5 });
    },
  };
}

let server: Pool | undefined;

/** Runs a command of the server on the worker's one connection for them, which ends with the worker. */
const onServer = async (run: (server: Pool) => Promise<unknown>): Promise<unknown> =>
  run((server ??= connect(inject("serverUrl"), { max: 1, applicationName: "test" })));

/** Names that occur in few rows, or in one. */
export const seldom = { template: "order_seldom", event: "cart.abandoned", phone: "+15550000007", waMessageId: "wamid.7777" } as const;
export const usual = { template: "order_3", event: "order.paid" } as const;

const weeks = 9;

export interface LongLog {
  accountId: string;
  siteIds: [string, string];
}

/** An account with two sites and `rows` events with a message each, spread over eight weeks, in their partitions. */
export async function openLongLog({ sql, owner }: TestDatabase, rows: number): Promise<LongLog> {
  const accountId = newId();
  const siteIds: [string, string] = [newId(), newId()];
  await sql`insert into account (id, name, verify_token) values (${accountId}, 'Test', 'verify')`;
  for (let week = weeks; week >= 0; week -= 1) {
    for (const table of ["event", "event_payload", "notification"])
      await sql`select make_week_partition(${table}, now() - ${week}::integer * interval '7 days')`;
  }
  for (const id of siteIds)
    await sql`insert into site (id, account_id, name, url, source_type) values (${id}, ${accountId}, 'Shop', 'https://shop.example', 'generic')`;
  for (let from = 0; from < rows; from += 50_000) await store(sql, accountId, siteIds, { from, to: Math.min(rows, from + 50_000), rows });
  await owner`vacuum analyze event, notification`;
  return { accountId, siteIds };
}

/** The last Thursday: on any day, the log's last week is half full, so that the plans are the same. */
const logEnd = "(date_trunc('week', now() - interval '3 days') + interval '3 days')";

const store = async (
  sql: Pool,
  accountId: string,
  [one, other]: [string, string],
  { from, to, rows }: { from: number; to: number; rows: number },
) => sql`
  with made as materialized (
    select n, case when n % 2 = 0 then ${one}::uuid else ${other}::uuid end as site_id,
      ${sql.unsafe(logEnd)} - interval '8 weeks' * (${rows}::integer - n) / ${rows}::integer as at,
      case when n % 100 < 2 then 'failed' when n % 100 < 6 then 'sent' when n % 100 < 40 then 'delivered' else 'read' end::notification_status as status,
      case when n % 10000 = 4242 then ${seldom.event} else (array['order.created', ${usual.event}, 'order.shipped'])[1 + n % 3] end as name,
      case when n % 10000 = 4242 then ${seldom.template} else 'order_' || n % 7 end as template
    from generate_series(${from}::integer, ${to - 1}::integer) n
  ),
  events as (
    insert into event (id, site_id, source, name, test, dry_run, bindings_run, chat)
    select ${idOf(sql, "e")}, site_id, 'generic', name, false, false, 1, 'sent' from made
  )
  insert into notification (id, site_id, account_id, event_id, event, binding_id, template_id, template, language, to_phone, position, status, components,
    wa_message_id, error_code, sent_at)
  select ${idOf(sql, "n")}, site_id, ${accountId}, ${idOf(sql, "e")}, name, ${accountId}, ${accountId}, template, 'en',
    '+1555' || lpad((n % 20000)::text, 7, '0'), 0, status, '[]', 'wamid.' || n, case when status = 'failed' then '131026' end, at
  from made`;

const idOf = (sql: Pool, letter: "e" | "n") =>
  sql.unsafe(
    `(left(uuid_at(at)::text, 14) || '7' || substr(md5('${letter}' || n), 1, 3) || '-a' || substr(md5('${letter}' || n), 4, 3) || '-' || substr(md5('${letter}' || n), 7, 12))::uuid`,
  );

/** The work of a statement, as PostgreSQL reports it. */
export interface ExecutedPlan {
  /** Tables that hold rows and were read from end to end. */
  scanned: string[];
  /** Rows of the log that were looked at, including dropped ones. */
  rowsRead: number;
  indexes: string[];
}

interface Node {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Node[];
}

/** Runs the statement and answers its plan. `query` has not been awaited yet. */
export async function planOf(sql: Pool, query: Fragment): Promise<ExecutedPlan> {
  const [row] = await sql<[{ "QUERY PLAN": [{ Plan: Node }] }]>`explain (analyze, format json) ${query}`;
  const nodes = flatten(row["QUERY PLAN"][0].Plan);
  const isScan = (node: Node): boolean => node["Node Type"] === "Seq Scan";
  const onLog = nodes.filter(
    (node) => /^(event|notification|waiting_message)/.test(node["Relation Name"] ?? "") && !(isScan(node) && rowsEach(node) <= fewRows),
  );
  return {
    scanned: onLog.filter(isScan).map((node) => node["Relation Name"] ?? ""),
    rowsRead: onLog.reduce((sum, node) => sum + rowsOf(node), 0),
    indexes: [...new Set(nodes.flatMap((node) => node["Index Name"] ?? []))],
  };
}

/** The most rows of a table that may be read whole: a week that has hardly begun, or whose end alone is in the log, is read faster so than by any index. */
const fewRows = 1000;

const rowsEach = (node: Node): number => node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0);

/** The rows of all loops; PostgreSQL reports those of one. */
const rowsOf = (node: Node): number => rowsEach(node) * node["Actual Loops"];

const flatten = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(flatten)];

/** A way to a database that fails at the test's command. */
export interface CuttableProxy extends AsyncDisposable {
  url: string;
  /** Ends every connection and takes no new one. */
  cut: () => void;
  /** Passes nothing on any more, and ends no connection. */
  hush: () => void;
  /** Takes connections again. */
  mend: () => void;
  /** How many connections it has not taken. */
  refused: () => number;
}

export async function startCuttableProxy(databaseUrl: string): Promise<CuttableProxy> {
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  let [isCut, isSilent, refused] = [false, false, 0];
  const server = createServer((client) => {
    if (isCut) {
      refused += 1;
      return void client.destroy();
    }
    const upstream = connectTcp(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (bytes) => void (isSilent || upstream.write(bytes)));
    upstream.on("data", (bytes) => void (isSilent || client.write(bytes)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  // The connection is reset, as if the other side were gone: an orderly end would be another case for the driver.
  const drop = (): void => open.forEach((socket) => socket.resetAndDestroy());
  return {
    url: url.href,
    cut: () => {
      isCut = true;
      drop();
    },
    hush: () => void (isSilent = true),
    mend: () => void ([isCut, isSilent] = [false, false]),
    refused: () => refused,
    [Symbol.asyncDispose]: async () => {
      drop();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
