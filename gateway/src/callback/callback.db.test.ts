import { pino } from "pino";
import postgres from "postgres";
import type { JsonValue } from "shared/core/json";
import { connect } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { findCallbackAccount } from "shared/db/platform-callback";
import type { Pool } from "shared/db/statement";
import { beforeAll, describe, expect, it } from "vitest";
import { testDatabase } from "../../../test/support/database.ts";
import { insertNotifications, openShop, type Shop, vault } from "../../../test/support/gateway.ts";
import { shared } from "../../../test/support/shared.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import { type GatewayContext, systemClock } from "../context.ts";
import { receiveCallback } from "./callback.ts";

let shop: Shop;
const database = shared(async () => testDatabase());
beforeAll(async () => {
  shop = await openShop(database.sql);
});

/** A pool of its own, and the statements that PostgreSQL got over it. */
const watched = async (): Promise<{ sql: Pool; statements: string[] }> => {
  const statements: string[] = [];
  const sql = postgres(database.url, { max: 1, debug: (_connection, query) => void statements.push(query) });
  // The driver asks for the types once, with the first statement.
  await sql`select 1`;
  statements.length = 0;
  return { sql, statements };
};

/** Receives the entries of a callback to the account. */
async function receiver(sql: Pool) {
  const account = await findCallbackAccount(database.sql, shop.accountId);
  if (account === null) throw new Error("no account");
  const context = { sql, vault, clock: systemClock, log: pino({ level: "silent" }) } as unknown as GatewayContext;
  return (entry: object[]) => receiveCallback(context, account, { entry } as unknown as JsonValue);
}

describe("a callback of a thousand updates", () => {
  it("costs a handful of statements, whatever it mixes", async () => {
    const states = Array.from({ length: 500 }, (_, i) => ({ status: "sending" as const, waMessageId: i % 2 === 0 ? null : `wamid.${i}` }));
    const rows = await insertNotifications(database.sql, shop, states);
    const statuses = rows.flatMap(({ reference }, i) => {
      const known = i % 2 === 0 ? { biz_opaque_callback_data: reference } : {};
      return ["delivered", "failed"].map((status) => ({
        id: `wamid.${i}`,
        status,
        timestamp: "1790000000",
        errors: [{ code: 131042 }],
        ...known,
      }));
    });
    const template = { message_template_id: 1, message_template_name: "any", message_template_language: "en_US", event: "PAUSED" };
    const changes = [...statuses.map((status) => ({ field: "messages", value: { statuses: [status] } })), { field: "x", value: template }];
    const { sql, statements } = await watched();
    const receive = await receiver(sql);
    expect(await receive([{ changes }])).toEqual({
      statuses: 1000,
      notifications: 500,
      templates: 0,
      optOuts: 0,
      event_ids: expect.any(Array),
    });
    // Three statements for the statuses; for templates a transaction of one, and one that looks up a template that is not here.
    expect(statements).toHaveLength(7);
    expect(await receive([{ changes }])).toEqual({ statuses: 1000, notifications: 0, templates: 0, optOuts: 0 });
    const counts = await database.sql`
      select status, count(*)::integer as n, count(wa_message_id)::integer as named, count(failed_at)::integer as failed, count(error_code)::integer as errors
      from notification where site_id = ${shop.siteId} group by status`;
    expect(counts).toEqual([{ status: "delivered", n: 500, named: 500, failed: 500, errors: 0 }]);
    await sql.end();
  });
});

describe("two hundred incoming messages", () => {
  it("cost three statements, and a callback without one costs none for words", async () => {
    const { sql, statements } = await watched();
    const receive = await receiver(sql);
    const callback = (messages: object[]) => receive([{ changes: [{ field: "messages", value: { messages } }] }]);
    const huge = { from: "4915100000999", type: "text", text: { body: `stop ${"x".repeat(1_000_000)}` } };
    const words = Array.from({ length: 199 }, (_none, n) => ({
      from: `4915100000${String(n).padStart(3, "0")}`,
      timestamp: "1790000000",
      type: "text",
      text: { body: n % 2 === 0 ? "STOP" : "hello" },
    }));
    expect(await callback([huge, ...words])).toMatchObject({ optOuts: 100 });
    const own = statements.filter((text) => !/^(begin|commit)/.test(text));
    expect(own.length).toBeLessThanOrEqual(4);
    statements.length = 0;
    expect(await callback([])).toMatchObject({ optOuts: 0 });
    expect(statements).toEqual([]);
    await database.sql`delete from opt_out where account_id = ${shop.accountId}`;
    await sql.end();
  });
});

it("a person who said stop under an id alone is stopped as soon as they write from a phone that shows", async () => {
  const receive = await receiver(database.sql);
  const says = async (body: string, more: object) => {
    const messages = [{ from_user_id: "DE.4711", timestamp: "1790000000", type: "text", text: { body }, ...more }];
    await receive([{ changes: [{ field: "messages", value: { messages } }] }]);
    const stored = await database.sql`select phone is not null as shown, active, scope from opt_out where account_id = ${shop.accountId}`;
    return [...stored];
  };
  expect(await says("STOP", {})).toEqual([{ shown: false, active: true, scope: "all" }]);
  expect(await says("hello", { from: "4915100000999" })).toEqual([{ shown: true, active: true, scope: "all" }]);
  await database.sql`delete from opt_out where account_id = ${shop.accountId}`;
});

describe("a callback without our reference", () => {
  it("finds its message among the recipient's, as the platform writes the number, else by the id alone", async () => {
    const states = ["a", "b", "c"].map((name) => ({ status: "sending" as const, waMessageId: `wamid.without.${name}` }));
    const rows = await insertNotifications(database.sql, shop, states);
    const ids = rows.map(({ id }) => id);
    await database.sql`update notification set to_phone = '+5511987654321' where id = any(${ids}::uuid[])`;
    const recipients = ["551187654321", "4915112345678", undefined];
    const statuses = states.map(({ waMessageId }, i) => ({
      id: waMessageId,
      status: "delivered",
      timestamp: "1790000000",
      ...(recipients[i] !== undefined && { recipient_id: recipients[i] }),
    }));
    const { sql, statements } = await watched();
    const receive = await receiver(sql);
    const callback = (some: object[]) => receive([{ changes: [{ field: "messages", value: { statuses: some } }] }]);
    expect(await callback(statuses.slice(0, 1))).toMatchObject({ notifications: 1 });
    expect(statements.filter((text) => text.includes("messages_by_platform_id"))).toEqual([]);
    expect(await callback(statuses)).toMatchObject({ notifications: 2 });
    await sql.end();
  });
});

describe("a callback about another number or business account of the same app", () => {
  it("changes nothing here, whatever it says", async () => {
    const [row] = await insertNotifications(database.sql, shop, [{ status: "sending", waMessageId: "wamid.foreign" }]);
    const { sql } = database;
    await sql`
      insert into webhook (id, account_id, site_id, url, types)
      values (${newId()}, ${shop.accountId}, ${shop.siteId}, 'https://hook.example', '{message.received}')`;
    const receive = await receiver(sql);
    const news = {
      statuses: [{ id: "wamid.foreign", status: "failed", biz_opaque_callback_data: row?.reference, errors: [{ code: 131031 }] }],
      messages: [{ id: "wamid.in", from: "4915112345678", type: "text", text: { body: "STOP" } }],
      user_preferences: [{ wa_id: "4915112345678", category: "marketing_messages", value: "stop" }],
    };
    const about = async (waba: string, metadata: object) => {
      const changes = [{ field: "messages", value: { metadata, ...news } }];
      return await receive([{ id: waba, changes }]);
    };
    const nothing = { statuses: 0, notifications: 0, templates: 0, optOuts: 0 };
    expect(await about("1001", { phone_number_id: "2002" })).toEqual(nothing);
    expect(await about("1002", { phone_number_id: "2001" })).toEqual(nothing);
    expect(await about("1002", {})).toEqual(nothing);
    const template = { message_template_id: 1, event: "PAUSED" };
    await receive([{ id: "1002", changes: [{ value: template }] }]);
    const untouched = await sql`
      select (select stopped_code from platform_account where account_id = ${shop.accountId}) as stopped,
        (select count(*)::integer from opt_out where account_id = ${shop.accountId}) as opted,
        (select count(*)::integer from webhook_delivery) as told`;
    expect(untouched).toEqual([{ stopped: null, opted: 0, told: 0 }]);
    expect(await about("1001", { phone_number_id: "2001" })).toMatchObject({ statuses: 1, notifications: 1, optOuts: 2 });
    await sql`delete from opt_out where account_id = ${shop.accountId}`;
    await sql`delete from webhook where account_id = ${shop.accountId}`;
  });
});

describe("callbacks of an account that a change holds", () => {
  it("leave connections for all others while they wait with their opt-outs", async () => {
    const sql = connect(database.url, { max: 3 });
    const receive = await receiver(sql);
    const callback = async (n: number) => {
      const stop = { wa_id: `4917000000${n}`, category: "marketing_messages", value: "stop", timestamp: 1_790_000_000 };
      return receive([{ changes: [{ field: "user_preferences", value: { user_preferences: [stop] } }] }]);
    };
    const waiting = await database.sql.begin(async (change) => {
      await change`select from account where id = ${shop.accountId} for no key update`;
      const callbacks = Array.from({ length: 5 }, async (_none, n) => callback(10 + n));
      await waitFor("one that waits", async () => {
        const rows = await database.sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
        return rows.length > 0;
      });
      expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
      return { callbacks };
    });
    expect((await Promise.all(waiting.callbacks)).map(({ optOuts }) => optOuts)).toEqual([1, 1, 1, 1, 1]);
    await sql.end();
  });
});
