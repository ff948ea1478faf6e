import { randomBytes } from "node:crypto";
import { newId } from "shared/db/ids";
import { phonePlace } from "shared/db/opt-out";
import type { Pool } from "shared/db/statement";
import { readRowCodec } from "shared/sealing/account-rows";
import { openVault } from "shared/sealing/open-vault";
import { keyId, sealedColumns, type Vault, placeIn } from "shared/secrets/vault";
import { expect, test, vi } from "vitest";
import { openAdminOn } from "../support/admin.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { masterKey, openGateway, openShop, type Shop } from "../support/gateway.ts";
import { startScriptedPlatform } from "../support/platform.ts";
import { finished, startProcess } from "../support/process.ts";
import { postEvent } from "../support/requests.ts";
import { runHere } from "../support/run-here.ts";
import { waitFor } from "../support/wait-for.ts";

vi.setConfig({ testTimeout: 240_000 });

const next = randomBytes(32);
const both = { masterKey: next, masterKeyOld: masterKey };
const people = 3_000;

const keysOf = (database: TestDatabase) => ({
  DATABASE_URL: database.url,
  MASTER_KEY: next.toString("base64"),
  MASTER_KEY_OLD: masterKey.toString("base64"),
});
const rotation = (database: TestDatabase) =>
  startProcess([process.execPath, "admin-server/dist/cli/rotate-master-key.js"], { env: keysOf(database) });
const rotated = (database: TestDatabase, env: Record<string, string> = {}, ...args: string[]) =>
  runHere("admin-server/src/cli/rotate-master-key.ts", args, { ...keysOf(database), ...env });

/** Adds opt-outs of many people. */
async function optOutMany(sql: Pool, accountId: string, { fingerprint, seal }: Vault): Promise<void> {
  const rows = Array.from({ length: people }, (_, i) => {
    const phone = `+1555${String(i).padStart(7, "0")}`;
    const id = newId();
    const userId = seal(phone, { column: "opt_out.user_id", row: id, account: accountId });
    return { id, phone: seal(phone, phonePlace(accountId, id)), user_id: userId, hash: fingerprint(phone) };
  });
  await sql`
    insert into opt_out (id, account_id, phone_hash, phone, user_id, scope, source, active, since, told_at)
    select p.id, ${accountId}, p.hash, p.phone, p.user_id, 'all', 'callback', true, now(), now()
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as p(id uuid, phone text, user_id text, hash text)`;
}

/** Every column of the database that holds a record of the vault, with the ids of the keys. */
async function findRecords(sql: Pool): Promise<Map<string, Set<string>>> {
  const columns = await sql<{ schema: string; table: string; column: string }[]>`
    select c.table_schema as schema, c.table_name as table, c.column_name as column
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema in ('public', 'sandbox') and t.table_type = 'BASE TABLE' and c.data_type in ('text', 'ARRAY', 'json', 'jsonb')`;
  const found = new Map<string, Set<string>>();
  for (const { schema, table, column } of columns) {
    const rows = await sql<{ id: string }[]>`
      select distinct (regexp_matches(${sql(column)}::text, 'v[0-9][.]([0-9a-f]{8})[.][A-Za-z0-9_-]{16}[.]', 'g'))[1] as id
      from ${sql(schema)}.${sql(table)}`;
    if (rows.length > 0) found.set(`${table}.${column}`, new Set(rows.map(({ id }) => id)));
  }
  return found;
}

async function fillEveryColumn(database: TestDatabase): Promise<{ shop: Shop; phone: string }> {
  const { sql } = database;
  const shop = await openShop(sql, { encrypted: true });
  const vault = await openVault(sql, { masterKey });
  const phone = "+4917000000001";
  await optOutMany(sql, shop.accountId, vault);
  const id = newId();
  const hiddenUser = vault.seal("ES.1", { column: "opt_out.user_id", row: id, account: shop.accountId });
  await sql`
    insert into opt_out (id, account_id, phone_hash, user_id, scope, source, active, since, told_at)
    values (${id}, ${shop.accountId}, 'user', ${hiddenUser}, 'all', 'callback', true, now(), now())`;
  await sql`
    insert into erasure (id, account_id, requested_by, phone_hash, phone, hint, below, steps)
    values (${id}, ${shop.accountId}, 'ann', 'hash', ${vault.seal(phone, { column: "erasure.phone", row: id, account: shop.accountId })}, '', ${id}, '[]')`;
  const request = newId();
  await sql`
    insert into erasure_request (id, account_id, site_id, person, person_hash, hint, below, due_at)
    values (${request}, ${shop.accountId}, ${shop.siteId}, ${vault.seal('{"phone":null}', placeIn("erasure_request.person", shop.accountId, request))}, 'hash', '', ${request}, 'tomorrow')`;
  await sql`
    insert into assistant (account_id, provider, base_url, model, api_key, timeout_seconds, output_tokens, daily_tokens)
    values (${shop.accountId}, 'openai', 'https://models.example/v1', 'm', ${vault.seal("key", placeIn("assistant.api_key", shop.accountId))}, 60, 2000, 100000)`;
  const connection = (secret: "access_token" | "app_secret") => vault.seal("x", placeIn(`test_connection.${secret}`, shop.accountId));
  await sql`insert into test_connection values (${shop.accountId}, '1', '2', ${connection("access_token")}, ${connection("app_secret")})`;
  const userId = newId();
  await sql`insert into app_user (id, email, name, password_hash) values (${userId}, ${`${userId}@test.example`}, 'Ann', 'x')`;
  const secret = vault.seal("secret", { column: "totp.secret", row: userId, account: "" });
  await sql`insert into totp (user_id, secret, last_step, pending, pending_until) values (${userId}, ${secret}, 1, ${secret}, now())`;
  const channel = newId();
  const sealedFor = (what: "target" | "secret") =>
    vault.seal("x", { column: `alert_channel.${what}`, row: channel, account: shop.accountId });
  await sql`
    insert into alert_channel (id, account_id, kind, target, target_hash, hint, secret, secret_hint)
    values (${channel}, ${shop.accountId}, 'webhook', ${sealedFor("target")}, 'digest', '', ${sealedFor("secret")}, '')`;
  const mail = newId();
  const content = vault.seal("{}", { column: "outbox.content", row: mail, account: shop.accountId });
  const leaves = {
    id: mail,
    account_id: shop.accountId,
    kind: "invite",
    content,
    due_at: new Date("2100-01-01"),
    expires_at: new Date("2100-01-01"),
  };
  await sql`insert into outbox ${sql(leaves)}`;
  return { shop, phone };
}

test("everything is sealed anew while programs run and write; killed at any point and run twice at once, it ends well", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const { shop } = await fillEveryColumn(database);
  await using platform = await startScriptedPlatform();
  await using gateway = await openGateway(database.url, platform.url, both);
  // The erasure stays under way, however long this takes.
  await using admin = await openAdminOn(database.url, both, { erasingTimes: { settleMs: 3_600_000 } });
  const { client } = await admin.signUp();
  const fingerprint = (await openVault(sql, both)).fingerprint("+1555");
  const made = await client.sites.create.mutate({ name: "Past alerts", url: "https://shop.example", sourceType: "generic" });
  // Until the rotation begins, new values are sealed under the old key, which is the only one of programs that were not restarted yet.
  expect((await findRecords(sql)).get("site_secret.secret")).toEqual(new Set([keyId(masterKey)]));

  const stored = String((await postEvent(gateway, shop)).json["event_id"]);
  const rowBefore = (await sql`select payload from event_payload where id = ${stored}`)[0]?.["payload"] as string;
  await using killed = rotation(database);
  await waitFor("the rotation to be under way", () => killed.stdout().includes("opt_out.phone: 400") || !killed.isRunning(), 120_000);
  await killed.kill("SIGKILL");
  const left = async () =>
    (await sql`select count(*)::integer as n from opt_out where phone not like ${`v2.${keyId(next)}.%`}`)[0]?.["n"] as number;
  const half = await left();
  expect(half).toBeGreaterThan(0);
  expect(half).toBeLessThan(people);
  // In the middle of the rotation both keys are in use, and everything works.
  expect((await postEvent(gateway, shop)).json["chat"]).toBe("sent");
  await client.sites.rotateWebhookSecret.mutate({ id: made.site.id });

  await using one = rotation(database);
  await using other = rotation(database);
  const ends = Promise.all([finished(one), finished(other)]);
  const during: string[] = [];
  while (one.isRunning() || other.isRunning()) {
    const { webhookSecret } = await client.sites.rotateWebhookSecret.mutate({ id: made.site.id });
    during.push(webhookSecret);
    expect((await postEvent(gateway, shop)).json["chat"]).toBe("sent");
  }
  for (const { code, stdout, stderr } of await ends) {
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("Nothing is left under the old key");
  }
  expect(during.length).toBeGreaterThan(0);

  const records = await findRecords(sql);
  expect([...new Set([...records.values()].flatMap((ids) => [...ids]))]).toEqual([keyId(next)]);
  // Only the listed sealed columns hold records, and the key row.
  expect([...records.keys()].toSorted()).toEqual(["vault_key.record", ...Object.keys(sealedColumns)].toSorted());

  const vault = await openVault(sql, { masterKey: next });
  expect(vault.fingerprint("+1555")).toBe(fingerprint);
  const [someone] = await sql`select id, phone from opt_out where account_id = ${shop.accountId} order by id limit 1`;
  expect(vault.open(someone?.["phone"], phonePlace(shop.accountId, someone?.["id"]))).toBe("+15550000000");
  // Encrypted rows stay unchanged: only their key was sealed anew.
  expect((await sql`select payload from event_payload where id = ${stored}`)[0]?.["payload"]).toBe(rowBefore);
  expect((await readRowCodec(sql, vault, shop.accountId)).open(rowBefore, "event_payload.payload", stored)).toContain("Ada");
  await using after = await openGateway(database.url, platform.url, { masterKey: next });
  expect((await postEvent(after, shop)).json["chat"]).toBe("sent");
  const sender = { key: made.apiKey, secret: during.at(-1) ?? "" };
  expect((await postEvent(after, sender)).json["chat"]).toBe("no_bindings");
});

test("a wrong key, an old one after the rotation and the same one twice are refused, each with what to do", async () => {
  await using database = await testDatabase();
  await openShop(database.sql);
  const start = async (keys: { masterKey: Buffer; masterKeyOld?: Buffer }) => openGateway(database.url, "http://127.0.0.1:9", keys);
  await (await start({ masterKey }))[Symbol.asyncDispose]();
  await expect(start({ masterKey: next })).rejects.toThrow(/^MASTER_KEY is not the one .* set the former as MASTER_KEY_OLD/);
  await expect(start({ masterKey, masterKeyOld: masterKey })).rejects.toThrow(/^MASTER_KEY_OLD is the same key/);
  expect(await rotated(database)).toMatchObject({ code: 0 });
  await expect(start({ masterKey })).rejects.toThrow(/^MASTER_KEY is not the one/);
  expect(await rotated(database, { MASTER_KEY_OLD: "" })).toMatchObject({
    code: 78,
    stderr: expect.stringMatching(/^MASTER_KEY_OLD must be set/),
  });
});

test("when the key is lost, the documented steps bring a working service", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await fillEveryColumn(database);
  await using platform = await startScriptedPlatform();
  const before = await openAdminOn(database.url, { masterKey });
  const { client: former, token } = await before.signUp();
  const made = await former.sites.create.mutate({ name: "Shop", url: "https://shop.example", sourceType: "generic" });
  const credentials = { wabaId: "1001", phoneNumberId: "2001", accessToken: "TOKEN", appSecret: "app-secret" };
  const { verifyToken } = (await former.settings.update.mutate({ platform: credentials, encryptPayloads: true })).platform;
  await using earlier = await openGateway(database.url, platform.url);
  const { json } = await postEvent(earlier, { key: made.apiKey, secret: made.webhookSecret });
  await before[Symbol.asyncDispose]();
  expect(await rotated(database, {}, "--lost")).toMatchObject({
    code: 78,
    stderr: expect.stringContaining("nothing is lost, and nothing was changed"),
  });
  const { code, stdout } = await rotated(database, { MASTER_KEY_OLD: "" }, "--lost");
  expect(code).toBe(0);
  expect(stdout).toContain("rotate the webhook secret of every site");

  await using gateway = await openGateway(database.url, platform.url, { masterKey: next });
  const site = { key: made.apiKey, secret: made.webhookSecret };
  expect(await postEvent(gateway, site)).toMatchObject({ status: 503, json: { error: "Site secret unreadable" } });
  await using admin = await openAdminOn(database.url, { masterKey: next });
  const client = admin.client(token);
  const unreadable = async () => (await client.problems.list.query({ kind: "secret_unreadable", state: "open" })).items;
  // The server looks by itself too, and a list waits for no look.
  await waitFor("both problems", async () => (await unreadable()).length === 2);
  const { webhookSecret } = await client.sites.rotateWebhookSecret.mutate({ id: made.site.id });
  const { platform: fresh } = await client.settings.update.mutate({ platform: credentials });
  expect(fresh.verifyToken).toMatch(/^.{20,}$/);
  expect(fresh.verifyToken).not.toBe(verifyToken);
  await waitFor("their end", async () => (await unreadable()).length === 0);
  expect((await postEvent(gateway, { key: made.apiKey, secret: webhookSecret })).json["chat"]).toBe("no_bindings");
  const payloadOf = async (id: unknown) => (await client.events.get.query({ id: String(id) })).event.payload;
  expect(await payloadOf(json["event_id"])).toBe('"cannot be read"');
  const fresher = await postEvent(gateway, { key: made.apiKey, secret: webhookSecret });
  expect(await payloadOf(fresher.json["event_id"])).toContain("Ada");
  const counts = sql`select count(*)::integer as people, count(phone)::integer as phones from opt_out`;
  expect(await counts).toEqual([{ people: people + 1, phones: 0 }]);
  expect([await sql`select from erasure`, await sql`select from totp`]).toEqual([[], []]);
});
