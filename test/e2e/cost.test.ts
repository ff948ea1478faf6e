import { connect } from "shared/db/connect";
import { recordOptOuts } from "shared/db/opt-out";
import { expect, inject, it, describe, vi } from "vitest";
import { testDatabase } from "../support/database.ts";
import { openGateway, openShop, type Shop, vault } from "../support/gateway.ts";
import { startScriptedPlatform } from "../support/platform.ts";
import { anEvent, postEvent } from "../support/requests.ts";
import { shared } from "../support/shared.ts";

const never = 10 ** 8;
/** Nothing runs by itself while a cost is counted. */
const still = {
  leaseMs: 1_000_000,
  sweepMs: never,
  requestedTickMs: never,
  dueMs: never,
  ownedMs: never,
  provenMs: never,
  forgetMs: never,
  notesMs: never,
  reconcileTickMs: never,
  backlogMs: never,
};

const database = shared(testDatabase);
/** A connection to another database, so that its own statements are not counted. */
const observer = shared(async () => {
  const sql = connect(inject("serverUrl"), { max: 1 });
  await sql`create extension if not exists pg_stat_statements`;
  await sql`alter database ${sql(new URL(database.url).pathname.slice(1))} set compute_query_id = 'on'`;
  return { sql, [Symbol.asyncDispose]: () => sql.end() };
});

/**
 * PostgreSQL's counts for the database, read once every connection to it is closed: a backend reports its counts when it ends. Letting a connection in takes
 * two commits, that of the test's guard too: on a busy machine a pool opens more connections for the same events.
 */
async function cost(): Promise<{ statements: number; commits: number }> {
  const { sql } = observer;
  const name = new URL(database.url).pathname.slice(1);
  const gone = async () => (await sql`select from pg_stat_activity where datname = ${name}`).length;
  await expect.poll(gone).toBe(0);
  const [row] = await sql<{ statements: number; commits: number }[]>`
    select (xact_commit - 2 * sessions)::integer as commits,
      (select coalesce(sum(calls), 0)::integer from pg_stat_statements where dbid = d.datid and toplevel) as statements
    from pg_stat_database d where datname = ${name}`;
  return row ?? { statements: 0, commits: 0 };
}

describe("cost", () => {
  const events = 25;
  const platform = shared(startScriptedPlatform);

  async function openShopAndLeave(phones: string[], optedOut: string[]): Promise<Shop> {
    const sql = connect(database.url, { max: 1 });
    const shop = await openShop(sql, { recipient: { strategy: "site_recipients" }, phones });
    const word = { scope: "all", source: "callback", code: "130403", active: true, at: new Date() } as const;
    await recordOptOuts(
      sql,
      vault,
      shop.accountId,
      optedOut.map((phone) => ({ ...word, phone })),
    );
    // A site's first event costs a little more: it is noted.
    await sql`update site set connected_at = now() where id = ${shop.siteId}`;
    await sql.end();
    return shop;
  }

  it.each([
    ["one message", ["+15552000001"], []],
    ["one message of an account that others opted out of", ["+15552000002"], ["+15552000003"]],
    ["twenty messages", Array.from({ length: 20 }, (_, i) => `+155520001${String(i).padStart(2, "0")}`), []],
  ])("a warm event of %s costs two statements and two commits", async (_, phones, optedOut) => {
    const shop = await openShopAndLeave(phones, optedOut);
    let key = 0;
    const run = async (n: number): Promise<{ statements: number; commits: number }> => {
      const before = await cost();
      const gateway = await openGateway(database.url, platform.url, {}, still);
      for (let i = 0; i < n; i += 1) {
        const posted = await postEvent(
          gateway,
          shop,
          { ...anEvent, order: { id: String(i) } },
          { headers: { "X-Service-Idempotency-Key": `${phones[0]}-${(key += 1)}` } },
        );
        expect(posted.json).toMatchObject({ chat: "sent", recipients_sent: phones.length });
      }
      await gateway[Symbol.asyncDispose]();
      const after = await cost();
      return { statements: after.statements - before.statements, commits: after.commits - before.commits };
    };
    // A database's first start makes its keys. The cost of a start and its first event cancels out between a run of one event and a run of many.
    await run(0);
    // PostgreSQL's own upkeep commits, too: where it came between, it is counted again.
    await vi.waitFor(async () => {
      const [one, many] = [await run(1), await run(1 + events)];
      expect([many.statements - one.statements, many.commits - one.commits]).toEqual([2 * events, 2 * events]);
    }, 60_000);
  });
});
