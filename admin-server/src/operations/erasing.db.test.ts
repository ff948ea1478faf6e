import { optOutKey } from "shared/core/person-key";
import { say } from "shared/core/wording";
import { erasureSteps, requestErasure } from "shared/db/erasure/request";
import { newId } from "shared/db/ids";
import { type Pool, inTransaction } from "shared/db/statement";
import { setEncryption } from "shared/sealing/account-rows";
import { placeIn } from "shared/secrets/vault";
import { createLogger } from "shared/server/logger";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type TestDatabase, testDatabase } from "../../../test/support/database.ts";
import { insertNotifications, openShop, type Shop, vault } from "../../../test/support/gateway.ts";
import { heldUp } from "../../../test/support/held-up.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import { workOnEncryptions } from "../jobs/encrypting.ts";
import { SandboxRefusal, type SandboxClient } from "../sandbox/client.ts";
import { workOnOperations } from "./work.ts";

const phone = "+491701234567";
let database: TestDatabase;
let sql: Pool;
let shop: Shop;
beforeAll(async () => {
  database = await testDatabase();
  ({ sql } = database);
});
afterAll(async () => database[Symbol.asyncDispose]());
beforeEach(async () => {
  shop = await openShop(sql);
  await sql`update platform_account set sandbox = true`;
});

const times = { sliceMs: 5_000, leaseMs: 60_000, settleMs: 0, againMs: 0 };
const operationTimes = { tickMs: 1, leaseMs: 60_000, turnMs: 60_000, restMs: 0 };
const log = createLogger("test", "silent");
const work = async (changes: { stopping?: AbortSignal; sandbox?: SandboxClient | null; settleMs?: number } = {}): Promise<void> => {
  const { stopping = new AbortController().signal, sandbox = null, settleMs = 0 } = changes;
  const clock = () => new Date();
  await workOnOperations({ sql, vault, log, stopping, sandbox, clock }, { ...operationTimes, erasing: { ...times, settleMs } });
};
const request = async (id = newId(), of = phone) =>
  requestErasure(sql, {
    id,
    account_id: shop.accountId,
    requested_by: "ann@example.com",
    phone: vault.seal(of, placeIn("erasure.phone", shop.accountId, id)),
    phone_hash: vault.fingerprint(optOutKey(shop.accountId, of)),
    hint: "•••67",
    steps: erasureSteps([shop.siteId]),
  });
const insertPayloads = async (count: number, payload: string, daysAgo = 0): Promise<void> => {
  await sql`
    with ids as (select encode(substring(uuid_send(uuid_at(now() - ${daysAgo} * interval '1 day' - n * interval '1 minute')) for 8) || int8send(n), 'hex')::uuid as id
      from generate_series(1, ${count}::bigint) n),
    events as (insert into event (id, site_id, source, name, test, dry_run, bindings_run, chat)
      select id, ${shop.siteId}, 's', 'n', false, false, 0, 'no_bindings' from ids)
    insert into event_payload (id, site_id, payload) select id, ${shop.siteId}, ${payload} from ids`;
};
const payloads = async (): Promise<number> =>
  (await sql<[{ n: number }]>`select count(*)::integer as n from event_payload where site_id = ${shop.siteId}`)[0].n;
const stateOf = async (id: string) =>
  (
    await sql`select pass, step, position, owner, counts, finished_at is not null as finished, phone is null as forgotten from erasure where id = ${id}`
  )[0];

it("goes through a long log page by page, and counts each row once", async () => {
  await insertPayloads(1_201, `{"to":"${phone}"}`);
  const { id } = await request();
  await work();
  expect(await payloads()).toBe(0);
  expect(await stateOf(id)).toMatchObject({ finished: true, forgotten: true, counts: { event_payload: 1_201 } });
});

it("finds a person by each form of the number", async () => {
  await insertPayloads(1, '{"to":"+52 55 1234 5678"}');
  await insertPayloads(1, '{"to":"5215512345678"}', 1);
  const forms = ["+525512345678", "+5215512345678", "+525512345679"];
  const rows = await insertNotifications(
    sql,
    shop,
    forms.map(() => ({ status: "sent" as const })),
  );
  for (const [at, { id }] of rows.entries()) await sql`update notification set to_phone = ${forms[at] ?? ""} where id = ${id}`;
  await request(newId(), forms[1]);
  await work();
  expect(await payloads()).toBe(0);
  const left = await sql`select to_phone from notification where id = any(${rows.map(({ id }) => id)}::uuid[]) order by to_phone`;
  expect(left.map(({ to_phone }) => to_phone)).toEqual(["+525512345679", "•••78", "•••78"]);
});

it("gives the account its turn that has waited for longest, however many another has asked for", async () => {
  const ask = async (number: number) => {
    const [id, to] = [newId(), `+4917012345${number}`];
    return requestErasure(sql, {
      id,
      account_id: shop.accountId,
      requested_by: "ann@example.com",
      phone: vault.seal(to, placeIn("erasure.phone", shop.accountId, id)),
      phone_hash: to,
      hint: "",
      steps: erasureSteps([shop.siteId]),
    });
  };
  for (const number of [11, 12, 13, 14]) await ask(number);
  const many = shop.accountId;
  shop = await openShop(sql);
  const { id } = await ask(15);
  await work();
  const [row] = await sql`
    select count(*)::integer as after from erasure where account_id = ${many} and finished_at > (select finished_at from erasure where id = ${id})`;
  expect(row).toEqual({ after: 4 });
});

it("finds what is encrypted while it searches, by an account that is switched on just then", async () => {
  await insertPayloads(3, `{"to":"${phone}"}`, 10);
  const { id } = await request();
  const encrypting = async (): Promise<void> => {
    await inTransaction(sql, async (transaction) => setEncryption(transaction, vault, shop.accountId, true));
    await workOnEncryptions({ sql, vault, log, stopping: new AbortController().signal }, { tickMs: 1, leaseMs: 60_000, againMs: 60_000 });
  };
  let encrypted: Promise<void> | undefined;
  // The first page waits for this lock after it has read its rows.
  const [erased] = await heldUp(
    sql,
    async (transaction) => transaction`lock table event in access exclusive mode`,
    1,
    () => [work()],
    async () => {
      encrypted = encrypting();
      await waitFor("the encryption to be through, or to wait too", async () => {
        const [row] = await sql<[{ there: boolean }]>`
          select exists (select from event_payload where site_id = ${shop.siteId} and payload like 's1.%')
            or exists (select from pg_locks where locktype = 'advisory' and not granted) as there`;
        return row.there;
      });
    },
  );
  await Promise.all([erased, encrypted]);
  expect(await payloads()).toBe(0);
  expect(await stateOf(id)).toMatchObject({ finished: true, counts: { event_payload: 3 } });
});

it.each([false, true])(
  "finds a number without its country code in what was sent to the phone, encrypted or not (%s)",
  async (isEncrypted) => {
    await insertPayloads(4, "{}");
    const ids = await sql<{ id: string }[]>`select id from event_payload where site_id = ${shop.siteId} order by id`;
    const [typed, extended, ofOther, staff] = ids.map(({ id }) => id);
    for (const [id, text] of [
      [typed, '{"phone":"0170 / 123 45 67"}'],
      [extended, '{"phone":"(0170) 1234567 ext. 9"}'],
      [ofOther, '{"phone":"0170 1234567"}'],
      [staff, '{"phone":"0171 7654321"}'],
    ] as const) {
      await sql`update event_payload set payload = ${text} where id = ${id ?? ""}`;
    }
    const messages = await insertNotifications(
      sql,
      shop,
      [typed, extended, staff].map(() => ({ status: "sent" as const, waMessageId: null })),
    );
    for (const [index, eventId] of [typed, extended, staff].entries())
      await sql`update notification set event_id = ${eventId ?? ""}, to_phone = ${phone} where id = ${messages[index]?.id ?? ""}`;
    if (isEncrypted) {
      await inTransaction(sql, async (transaction) => setEncryption(transaction, vault, shop.accountId, true));
      await workOnEncryptions({ sql, vault, log, stopping: new AbortController().signal }, { tickMs: 1, leaseMs: 60_000, againMs: 60_000 });
    }
    const sealed = await sql`select from event_payload where site_id = ${shop.siteId} and left(payload, 3) = 's1.'`;
    expect(sealed).toHaveLength(isEncrypted ? 4 : 0);
    await request();
    await work();
    const left = await sql<{ id: string }[]>`select id from event_payload where site_id = ${shop.siteId} order by id`;
    expect(left.map(({ id }) => id)).toEqual([ofOther, staff]);
  },
);

describe("what is cut short", () => {
  it("goes on where it stood, when its server stops", async () => {
    await insertPayloads(1_100, `{"to":"${phone}"}`);
    const { id } = await request();
    let looks = 0;
    // The signal tells it to stop when two pages are done.
    const stopping = {
      get aborted() {
        return (looks += 1) > 4;
      },
    } as AbortSignal;
    await work({ stopping });
    expect(await payloads()).toBe(100);
    expect(await stateOf(id)).toMatchObject({ pass: 0, step: 0, owner: null, finished: false, counts: { event_payload: 1_000 } });
    await work();
    expect(await stateOf(id)).toMatchObject({ finished: true, counts: { event_payload: 1_100 } });
  });

  it("is left to its owner for the lease, and then taken over", async () => {
    await insertPayloads(3, `{"to":"${phone}"}`);
    const { id } = await request();
    await sql`update erasure set owner = gen_random_uuid(), lease_until = now() + interval '1 hour' where id = ${id}`;
    await work();
    expect(await payloads()).toBe(3);
    await sql`update erasure set lease_until = now() where id = ${id}`;
    await sql`update operation set due_at = now() where id = ${id}`;
    await Promise.all([work(), work(), work()]);
    expect(await stateOf(id)).toMatchObject({ finished: true, counts: { event_payload: 3 } });
  });

  it("is tried again when a part of it fails: nothing is certified before all is done", async () => {
    await insertPayloads(1, `{"to":"${phone}"}`);
    const { id } = await request();
    const asked: (string | undefined)[] = [];
    const forget = async ({ to, after }: { to?: string | undefined; after: string }) => {
      asked.push(to);
      if (asked.length < 3) throw new SandboxRefusal(say("away"));
      return Number(after) === 0 ? { deleted: 3, next: "123456" } : { deleted: Number(after) === 123_456 ? 1 : 0, next: null };
    };
    const sandbox = { forget } as unknown as SandboxClient;
    const once = new AbortController();
    await sql`update erasure set due_at = 'infinity' where id <> ${id}`;
    await work({ sandbox, stopping: once.signal });
    expect(asked.length).toBeGreaterThanOrEqual(3);
    expect(new Set(asked)).toEqual(new Set([phone]));
    expect(await stateOf(id)).toMatchObject({ finished: true, counts: { event_payload: 1, "sandbox.message": 8 } });
  });
});

it("looks once more when everything that was under way can be there, and not at what comes later", async () => {
  const { id } = await request();
  await work({ settleMs: 3_600_000 });
  expect(await stateOf(id)).toMatchObject({ pass: 1, finished: false });
  // The first is committed late, with an id from before the request; the second is an event of much later.
  await insertPayloads(1, `{"to":"${phone}"}`);
  await sql`insert into event_payload (id, site_id, payload) values (uuid_at(now() + interval '1 hour'), ${shop.siteId}, ${phone})`;
  await work();
  expect(await stateOf(id)).toMatchObject({ pass: 1, finished: false });
  await sql`update erasure set due_at = now() where id = ${id}`;
  await sql`update operation set due_at = now() where id = ${id}`;
  await work();
  expect(await stateOf(id)).toMatchObject({ finished: true, counts: { event_payload: 1 } });
  expect(await payloads()).toBe(1);
});
