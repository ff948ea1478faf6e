import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { optOutKey } from "shared/core/person-key";
import { newId } from "shared/db/ids";
import { phonePlace } from "shared/db/opt-out";
import type { Pool } from "shared/db/statement";
import { rowCodecOf } from "shared/sealing/account-rows";
import { openVault } from "shared/sealing/open-vault";
import { VaultError, secretPlace } from "shared/secrets/vault";
import { expect, test, vi } from "vitest";
import { openAdminOn, password } from "../support/admin.ts";
import { startCuttableProxy, testDatabase } from "../support/database.ts";
import { masterKey, openShop, type Shop, spawnGateway, vault } from "../support/gateway.ts";
import { newMessageId, type ScriptedPlatform } from "../support/platform.ts";
import { finished, type RunningProcess, startProcess } from "../support/process.ts";
import { addOutboundSecret, addWebhook, startReceiver } from "../support/receiver.ts";
import { postEvent, postStatus } from "../support/requests.ts";
import { openPostingShop, type PostingShop, postShop } from "../support/shop-requests.ts";
import { shopBody } from "../support/shops/bodies.ts";
import { waitFor } from "../support/wait-for.ts";
import { type Installation, twoCells } from "./cells.ts";
import { countMoved, fillMoved } from "./moved-rows.ts";

vi.setConfig({ testTimeout: 240_000 });

type Stored = Pick<Installation, "database" | "key">;

const startMove = (from: Stored, to: Stored, account: string, ...more: string[]): RunningProcess =>
  moveBy(from, to, to.database.url, account, ...more);
const moveBy = (from: Stored, to: Stored, url: string, account: string, ...more: string[]): RunningProcess =>
  startProcess([process.execPath, "admin-server/dist/cli/move/move-account.js", account, "--to", url, ...more], {
    env: {
      DATABASE_URL: from.database.url,
      MASTER_KEY: from.key.toString("base64"),
      MASTER_KEY_TO: to.key.toString("base64"),
      CELL: from.key === masterKey ? "c1" : "c2",
    },
  });

/** Moves, with the process killed as it says each of `kills`, and begun again each time. */
async function move(
  from: Stored,
  to: Stored,
  account: string,
  kills: readonly string[] = [],
  { more = [], killed }: { more?: string[]; killed?: () => Promise<void> } = {},
): Promise<string> {
  for (const line of kills) {
    const running = startMove(from, to, account);
    await waitFor(`the move to say ${line}`, () => running.stdout().includes(line) || !running.isRunning(), 90_000);
    await running.kill("SIGKILL");
    await killed?.();
  }
  const { code, stdout, stderr } = await finished(startMove(from, to, account, ...more));
  expect([code, stderr, stdout]).toEqual([0, "", expect.any(String)]);
  return stdout;
}

/** What is awaited at the end alone: a failure before is told there, and not to the process. */
const heard = (work: Promise<void>): Promise<void> => {
  void Promise.allSettled([work]);
  return work;
};

/** What an account's customers do: each event is posted until it is answered, wherever its account is by then. */
function startLoad([one, other]: readonly [Installation, Installation], platform: ScriptedPlatform, shops: readonly Shop[]) {
  const stopping = new AbortController();
  const accepted: string[] = [];
  const unexpected: string[] = [];
  const doors = new Set<number>();
  let serial = 0;
  const post = async (shop: Shop, kind: string): Promise<void> => {
    const order = `${kind}-${(serial += 1)}`;
    const payload = { customer: { first_name: order, phone_e164: `+1555${String(serial).padStart(7, "0")}` }, order: { id: order } };
    const headers = { "X-Service-Idempotency-Key": order, ...(kind === "queued" && { Prefer: "respond-async" }) };
    for (let at = 0; ; at += 1) {
      const { gateway } = at % 2 === 0 ? one : other;
      const answer = await postEvent(gateway, shop, payload, { headers, event: kind === "scheduled" ? "cart.updated" : "order.created" });
      doors.add(answer.status);
      if (answer.status < 300) return void accepted.push(order);
      const isLater = answer.status === 503 && /^\d+$/.test(answer.headers.get("retry-after") ?? "");
      if (!isLater && answer.status !== 401) return void unexpected.push(`${order} ${answer.status} ${answer.body}`);
      await sleep(20);
    }
  };
  const loop = async (shop: Shop, kind: string): Promise<void> => {
    while (!stopping.signal.aborted) await post(shop, kind);
  };
  // The platform reports each message until somebody takes the report.
  const reports: Promise<void>[] = [];
  const report = async (shop: Shop, body: Parameters<typeof postStatus>[2], id: string): Promise<void> => {
    for (let at = 0; ; at += 1) {
      const { status } = await postStatus((at % 2 === 0 ? one : other).gateway, shop, body, "delivered", id);
      if (status === 200) return;
      await sleep(25);
    }
  };
  platform.script(({ body }) => {
    const id = newMessageId();
    const shop = shops[0];
    if (shop !== undefined) reports.push(heard(sleep(30).then(() => report(shop, body, id))));
    return id;
  });
  const [live, timed] = shops;
  const loops =
    live === undefined || timed === undefined ? [] : [loop(live, "sync"), loop(live, "queued"), loop(timed, "scheduled")].map(heard);
  return {
    accepted,
    unexpected,
    doors,
    reports,
    stop: async (): Promise<void> => {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

const orderOf = (send: ScriptedPlatform["sends"][number]): string =>
  JSON.stringify(send.body.template.components).match(/"text":"([a-z]+-\d+)"/)?.[1] ?? "?";
const waiting = async (sql: Pool): Promise<number> => Number((await sql<{ n: string }[]>`select count(*) as n from waiting_message`)[0]?.n);

test("an account moves under load, killed at every step and begun again, and back: nothing is lost or sent twice", async ({ annotate }) => {
  await using world = await twoCells();
  const { cells, platform } = world;
  const [one, other] = cells;
  await using receiver = await startReceiver();
  const shop = await openShop(one.database.sql, { encrypted: true });
  const timed = await openShop(one.database.sql, {
    accountId: shop.accountId,
    event: "cart.updated",
    schedule: { delaySeconds: 3 } as never,
  });
  await addOutboundSecret(one.database.sql, shop);
  await addWebhook(one.database.sql, shop, { url: receiver.url, types: ["message.delivered"] });
  const load = startLoad(cells, platform, [shop, { ...timed, appSecret: shop.appSecret }]);
  await waitFor("some events", () => load.accepted.length > 20);
  const steps = ["1/6", "2/6", "3/6", "4/6", "5/6", "6/6"];
  const there = await move(one, other, shop.accountId, steps);
  expect(there).toMatch("had moved before");
  expect(there).toContain(shop.siteId);
  await waitFor("events there", async () => Number((await other.database.sql<{ n: string }[]>`select count(*) as n from event`)[0]?.n) > 5);
  expect((await postEvent(one.gateway, shop)).status).toBe(401);
  expect(await one.database.sql`select from site`).toHaveLength(0);
  const again = await finished(startMove(one, other, shop.accountId));
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("nothing was changed")]);
  await move(other, one, shop.accountId, steps);
  const before = load.accepted.length;
  await waitFor("events here again", () => load.accepted.length > before + 10);
  await load.stop();
  await waitFor("everything that waits", async () => (await waiting(one.database.sql)) === 0, 60_000);
  await Promise.all(load.reports);
  const sent = platform.sends.map(orderOf);
  expect(load.unexpected).toEqual([]);
  expect(sent.toSorted()).toEqual(load.accepted.toSorted());
  expect([...load.doors].toSorted((a, b) => a - b)).toEqual([200, 202, 401, 503]);
  const states = await one.database.sql`select status, count(*)::integer as n from notification group by status`;
  expect(states).toEqual([{ status: "delivered", n: load.accepted.length }]);
  await annotate(
    `14 moves, 12 of them killed: ${load.accepted.length} events, each sent once, ${load.reports.length} callbacks, none lost`,
  );
  await waitFor(
    "the endpoint to hear of each",
    () =>
      new Set(receiver.received.map(({ json }) => json["wa_message_id"])).size >=
      sent.filter((order) => !order.startsWith("scheduled")).length,
  );
});

test("a hold whose process died ends by itself; what programs of earlier versions obey", async () => {
  await using world = await twoCells();
  const [one, other] = world.cells;
  const { sql } = one.database;
  const shop = await openShop(sql);
  const running = startMove(one, other, shop.accountId);
  await waitFor("the hold", () => running.stdout().includes("2/6") || !running.isRunning());
  await running.kill("SIGKILL");
  const [account] = await sql<{ data_key: string; encrypt_payloads: boolean; account_id: string }[]>`
    select id as account_id, data_key, encrypt_payloads from account where id = ${shop.accountId}`;
  // Gateways of 7cf79916 open this column as it is, and treat a site of which something does not open as closed for now.
  expect(() => vault.open(account?.data_key ?? "", { column: "account.data_key", row: shop.accountId, account: shop.accountId })).toThrow(
    VaultError,
  );
  expect(account && rowCodecOf(vault, account).seals).toBe(false);
  expect(await postEvent(one.gateway, shop)).toMatchObject({ status: 503, json: { error: "Account is moving" } });
  const entry = sql`insert into audit_entry (id, account_id, actor, action) values (${newId()}, ${shop.accountId}, 'ann', 'sites.update')`;
  await expect(entry.execute()).rejects.toMatchObject({ code: "MV503" });
  await sql`update gateway set lease_until = now() where since = 'ffffffff-ffff-ffff-ffff-ffffffffffff'`;
  await waitFor("the account to go on", async () => (await postEvent(one.gateway, shop)).status === 200, 30_000);
  expect(await sql`select from account_move`).toHaveLength(0);
});

const goesOn = async ({ database, gateway }: Installation, shop: Shop): Promise<void> => {
  expect(await database.sql`select from account_move`).toHaveLength(0);
  await waitFor("the account to go on", async () => (await postEvent(gateway, shop)).status === 200);
};
/** How each installation answers a shop's repeat. */
const doorsOf = (cells: readonly Installation[], shop: PostingShop, body: string) => async () =>
  Promise.all(cells.map(async ({ gateway }) => (await postShop(gateway, shop, body, { id: "once" })).status));

test("what ends a move early leaves the account where it was, and a shop's repeat is known after it", async () => {
  // Both installations have one key.
  await using world = await twoCells(masterKey);
  const { cells } = world;
  const [one, other] = cells;
  const shop = await openPostingShop(one.database.sql, "shopify", { country: "US", event: "order.created" });
  const body = shopBody("shopify-orders-create");
  const first = await postShop(one.gateway, shop, body, { id: "once" });
  expect(first.status).toBe(200);
  const inbound = doorsOf(cells, shop, body);
  await other.database.owner.begin(async (locked) => {
    await locked`lock table site_topic`;
    const running = startMove(one, other, shop.accountId);
    await waitFor("the copy", () => running.stdout().includes("3/6") || !running.isRunning());
    const second = await finished(startMove(one, other, shop.accountId));
    expect([second.code, second.stderr]).toEqual([78, expect.stringContaining("being moved by another process")]);
    expect((await inbound())[0]).toBe(503);
    // npm passes on what the terminal has sent already.
    await Promise.all([running.kill("SIGINT"), running.kill("SIGINT")]);
    expect(await finished(running)).toMatchObject({ code: 78, stderr: expect.stringContaining("goes on here as before") });
    await goesOn(one, shop);
  });
  await other.database.owner.unsafe(`
    create function refuse() returns trigger language plpgsql as 'begin raise exception ''refused''; end';
    create trigger refuse before delete on account_move for each row execute function refuse()`);
  const failed = await finished(startMove(one, other, shop.accountId));
  expect([failed.code, failed.stdout]).toEqual([1, expect.stringMatching(/5\/6[^]*could not be released there/)]);
  await goesOn(one, shop);
  await other.database.owner`drop trigger refuse on account_move`;
  await move(one, other, shop.accountId);
  expect(await inbound()).toEqual([401, 200]);
  expect((await postShop(other.gateway, shop, body, { id: "once" })).body).toBe(first.body);
  expect(await other.database.sql`select from event where name = 'order.created' and source = 'shopify'`).toHaveLength(1);
});

test("a database of there that falls silent leaves the account where it was, and a gateway that died leaves nothing sent twice", async () => {
  await using world = await twoCells(masterKey);
  const { cells, platform } = world;
  const [one, other] = cells;
  const shop = await openPostingShop(one.database.sql, "shopify", { country: "US", event: "order.created" });
  const inbound = doorsOf(cells, shop, shopBody("shopify-orders-create"));
  expect(await inbound()).toEqual([200, 404]);
  await using way = await startCuttableProxy(other.database.url);
  const running = moveBy(one, other, way.url, shop.accountId);
  await waitFor("the copy", () => running.stdout().includes("3/6") || !running.isRunning());
  way.hush();
  expect(await finished(running)).toMatchObject({
    code: 78,
    stderr: expect.stringContaining("does not answer: the account goes on here"),
  });
  await goesOn(one, shop);
  await using dying = await spawnGateway({
    databaseUrl: one.database.url,
    platformApiUrl: platform.url,
    crash: { step: "settle", nth: 1 },
  });
  const headers = { "X-Service-Idempotency-Key": "in doubt" };
  await expect(postEvent(dying, shop, undefined, { headers })).rejects.toBeInstanceOf(Error);
  await dying.ended;
  const sent = platform.sends.length;
  await move(one, other, shop.accountId);
  const last = platform.sends.at(-1);
  expect((await postStatus(other.gateway, shop, last?.body as never, "delivered", "wamid.in-doubt")).status).toBe(200);
  await waitFor("the event's end", async () => (await postEvent(other.gateway, shop, undefined, { headers })).status === 200, 60_000);
  expect(platform.sends).toHaveLength(sent);
  await move(other, one, shop.accountId);
  expect(await inbound()).toEqual([200, 401]);
});

test.each([true, false])("rows of every table, in every state, move and come back; one key for both: %s", async (isOneKey) => {
  await using database = await testDatabase();
  await using otherDatabase = await testDatabase();
  const one = { database, key: masterKey };
  const other = { database: otherDatabase, key: isOneKey ? masterKey : randomBytes(32) };
  const shop = await openShop(database.sql);
  await fillMoved(database, shop);
  const before = await countMoved(database, shop.accountId);
  expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([]);
  // Bindings hold the templates, which are copied again.
  const killed = async (): Promise<void> => void (await database.sql`update template set quality_at = now()`);
  await move(one, other, shop.accountId, ["4/6"], { killed });
  const after = { ...before, ...(!isOneKey && { made_once: 0, platform_user: 0, shop_history: 0 }) };
  expect(await countMoved(otherDatabase, shop.accountId)).toEqual(after);
  await move(other, one, shop.accountId);
  expect(await countMoved(database, shop.accountId)).toEqual(after);
});

test("people, tokens, keys and the audit move; somebody who is known there is the same person only where that is said", async () => {
  await using world = await twoCells();
  const [one, other] = world.cells;
  await using here = await openAdminOn(one.database.url, { masterKey: one.key, cell: "c1" });
  await using there = await openAdminOn(other.database.url, { masterKey: other.key, cell: "c2" });
  const { client } = await here.signUp("ann@example.com");
  const { account } = await client.auth.me.query();
  const { site, apiKey, webhookSecret } = await client.sites.create.mutate({
    name: "Shop",
    url: "https://shop.example",
    sourceType: "generic",
  });
  const phone = "+15551230009";
  const keysOf = ({ database: { sql }, key }: Installation) => openVault(sql, { masterKey: key });
  const [ours, theirs] = [await keysOf(one), await keysOf(other)];
  const optOut = { id: newId(), hash: ours.fingerprint(optOutKey(account.id, phone)) };
  await one.database.sql`
    insert into opt_out (id, account_id, phone_hash, phone, scope, source, active, since, told_at)
    values (${optOut.id}, ${account.id}, ${optOut.hash}, ${ours.seal(phone, phonePlace(account.id, optOut.id))}, 'all', 'operator', true, now(), now())`;
  // A test site's webhook secret is sealed at a place of its own.
  const trial = await client.sites.create.mutate({ name: "Trial", url: "https://trial.example", sourceType: "generic" });
  const [kept] = await one.database.sql<
    { id: string }[]
  >`select id from site_secret where site_id = ${trial.site.id} and kind = 'webhook_secret'`;
  const place = secretPlace(account.id, kept?.id ?? "", "webhook_secret", "test");
  await one.database.sql`
    with trial as (update site set mode = 'test' where id = ${trial.site.id})
    update site_secret set site_mode = 'test', secret = case id when ${kept?.id ?? ""} then ${ours.seal("of the trial", place)} else secret end
    where site_id = ${trial.site.id}`;
  const { token } = await client.tokens.create.mutate({ name: "Deploy", role: "owner" });
  await there.signUp("ann@example.com");
  const refused = await finished(startMove(one, other, "ann@example.com"));
  expect([refused.code, refused.stderr]).toEqual([78, expect.stringContaining("--link ann@example.com")]);
  await client.sites.update.mutate({ id: site.id, name: "Shop 2" });
  const entries = await client.audit.list.query({});
  const printed = await move(one, other, "ann@example.com", [], { more: ["--link", "ann@example.com", "--cell", "c2"] });
  expect(printed).toMatch(
    new RegExp(`\\n${apiKey.slice(11, 33)} c2\\n[^]*\\n${/[^/]+$/.exec(site.inboundUrl ?? "")?.[0]} c2\\n[^]*\\n${account.id} c2\\n`),
  );
  await expect(client.sites.list.query({})).rejects.toMatchObject({ data: { code: "UNAUTHORIZED" } });
  const moved = there.client(token);
  const own = async (api: typeof moved) => (await api.sites.list.query({})).items.filter(({ id }) => id === site.id);
  expect(await own(moved)).toMatchObject([
    { id: site.id, name: "Shop 2", inboundUrl: site.inboundUrl?.replace(/^.*(?=\/api)/, "https://gateway.example") },
  ]);
  const [secret] = await other.database.sql<{ secret: string }[]>`select secret from site_secret where id = ${kept?.id ?? ""}`;
  expect(theirs.open(secret?.secret ?? "", place)).toBe("of the trial");
  expect((await moved.optOuts.list.query({})).items).toMatchObject([{ phone }]);
  expect(await other.database.sql`select phone_hash from opt_out`).toEqual([
    { phone_hash: theirs.fingerprint(optOutKey(account.id, phone)) },
  ]);
  // Nobody has connected the test site to a sandbox of there.
  expect((await postEvent(other.gateway, { key: trial.apiKey, secret: "of the trial" })).status).toBe(503);
  const sender = { key: apiKey, secret: webhookSecret };
  expect([(await postEvent(other.gateway, sender)).status, (await postEvent(one.gateway, sender)).status]).toEqual([200, 401]);
  const [user] = await other.database.sql<{ id: string }[]>`select id from app_user`;
  expect(await other.database.sql`select user_id from membership where account_id = ${account.id}`).toEqual([{ user_id: user?.id }]);
  const read = (sql: Pool) =>
    sql<
      { action: string; hash: string }[]
    >`select action, encode(hash, 'hex') as hash from audit_entry where account_id = ${account.id} order by seq`;
  const audit = [...(await read(other.database.sql))];
  expect(audit.map(({ action }) => action).toReversed()).toEqual(entries.items.map(({ action }) => action));
  await moved.sites.update.mutate({ id: site.id, name: "Shop 3" });
  await one.database.owner`grant delete, update on audit_entry, audit_value, audit_head to public`;
  await move(other, one, account.id, ["4/6"], {
    killed: async () => {
      const login = { email: "ann@example.com", password };
      const calls = [moved, here.client(token)].map((client) => async () => client.sites.list.query({}));
      for (const call of [...calls, async () => here.client().auth.login.mutate(login)])
        await expect(call()).rejects.toMatchObject({ data: { code: "SERVICE_UNAVAILABLE" } });
      // What programs of earlier versions write there goes.
      await one.database
        .sql`insert into audit_entry (id, account_id, actor, action) values (${newId()}, ${account.id}, 'ann', 'auth.login')`;
      await one.database.sql`update app_user set name = 'Changed there'`;
    },
  });
  const back = [...(await read(one.database.sql))];
  expect([back.slice(0, -1), back.at(-1)?.action]).toEqual([audit, "sites.update"]);
  expect(await own(here.client(token))).toMatchObject([{ name: "Shop 3" }]);
  const verified = await finished(
    startProcess([process.execPath, "admin-server/dist/cli/verify-audit.js"], { env: { DATABASE_URL: one.database.url } }),
  );
  expect([verified.code, verified.stderr]).toEqual([0, ""]);
});
