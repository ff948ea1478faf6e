import { request } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import { controlToken, verifyToken, openCallbackReceiver, openSandbox, type SandboxCredentials } from "../../../test/support/sandbox.ts";
import { shared } from "../../../test/support/shared.ts";
import { connect } from "../db/connect.ts";
import type { Pool } from "../db/statement.ts";

const sandbox = shared(async () => openSandbox());
let sql: Pool;

beforeAll(async () => {
  sql = connect(sandbox.databaseUrl, { max: 1 });
});
afterAll(async () => {
  await sql.end();
});

const bearer = { authorization: `Bearer ${controlToken}` };
const json = { "content-type": "application/json" };

async function ask(method: string, path: string, headers: Record<string, string>, body?: string) {
  const answer = await request(sandbox.url + path, { method: method as "GET", headers, body: body ?? null });
  return { status: answer.statusCode, text: await answer.body.text() };
}

describe("without the control token", () => {
  test.each(data<[string, string][]>("sandbox-control", "s s is 401"))("%s %s is 401", async (method, path) => {
    for (const headers of [
      json,
      { ...json, authorization: "Bearer wrong" },
      { ...json, authorization: `Bearer ${sandbox.account.accessToken}` },
    ]) {
      const { status, text } = await ask(method, path, headers);
      expect([status, JSON.parse(text)]).toEqual([401, { error: expect.stringContaining("SANDBOX_CONTROL_TOKEN") }]);
    }
  });

  test("readiness is told", async () => {
    expect(await ask("GET", "/_sandbox/ready", {})).toEqual({ status: 200, text: '{"status":"ok"}' });
  });

  test("the demo's inbox opens to this machine while its account is the only one, and to no proxy", async () => {
    await using fresh = await openSandbox();
    const list = async (headers: Record<string, string> = {}) => (await request(`${fresh.url}/_sandbox/messages`, { headers })).statusCode;
    expect(await list()).toBe(401);
    await fresh.call("PATCH", `/_sandbox/accounts/${fresh.account.wabaId}`, { demo: true }, controlToken);
    expect(await list()).toBe(200);
    expect((await request(`${fresh.url}/_sandbox/messages`, { method: "DELETE" })).statusCode).toBe(200);
    expect(await list({ "x-forwarded-for": "203.0.113.9" })).toBe(401);
    expect((await request(`${fresh.url}/_sandbox/accounts/${fresh.account.wabaId}`)).statusCode).toBe(401);
    await fresh.restart();
    expect(await list()).toBe(200);
    await fresh.openAccount();
    expect(await list()).toBe(401);
  });
});

test("a form that a browser sends by itself makes no account, and nothing is fetched", async () => {
  await using receiver = await openCallbackReceiver();
  const body = JSON.stringify({ callbackUrl: receiver.url, verifyToken: "t" });
  expect(await ask("POST", "/_sandbox/accounts", { "content-type": "text/plain" }, body)).toMatchObject({ status: 401 });
  expect(await ask("POST", "/_sandbox/accounts", { "content-type": "text/plain", ...bearer }, body)).toMatchObject({ status: 415 });
  expect(receiver.handshakes).toBe(0);
});

test.each(["attacker.example", "attacker.example:4002", "127.0.0.1.attacker.example"])("the Host %s is misdirected", async (host) => {
  for (const path of ["/_sandbox/messages", "/_sandbox/ready", `/${sandbox.account.phoneNumberId}`])
    expect(await ask("GET", path, { ...bearer, host })).toMatchObject({ status: 421 });
});

test.each(["localhost:4002", "127.0.0.1", "[::1]:4002"])("the Host %s is this machine", async (host) => {
  expect(await ask("GET", "/_sandbox/messages", { ...bearer, host })).toMatchObject({ status: 200 });
});

test("nothing stored opens anything: tokens are hashed, secrets and people encrypted", async () => {
  const { wabaId, phoneNumberId, accessToken, appSecret } = sandbox.account;
  await sandbox.call("POST", "/_sandbox/preferences", { phoneNumberId, from: "+491701234567", value: "stop" }, controlToken);
  const [row] = await sql`select row_to_json(account)::text as stored from sandbox.account where waba_id = ${wabaId}`;
  for (const secret of [accessToken, appSecret, "callback-token", "491701234567"]) expect(row?.["stored"]).not.toContain(secret);
});

test("an account's owner is named by its server once, and finds nobody else's", async () => {
  const open = async (owner: string) =>
    (
      await sandbox.call(
        "POST",
        "/_sandbox/accounts",
        { callbackUrl: sandbox.receiver.url, verifyToken: "callback-token", owner },
        controlToken,
      )
    ).json as SandboxCredentials;
  const [mine, again, theirs] = await Promise.all([open("mine"), open("mine"), open("theirs")]);
  expect(again).toEqual(mine);
  const hello = {
    messaging_product: "whatsapp",
    to: "+491701234001",
    type: "template",
    template: { name: "hello_world", language: { code: "en_US" } },
  };
  expect((await sandbox.call("POST", `/${theirs.phoneNumberId}/messages`, hello, theirs.accessToken)).status).toBe(200);
  const list = async (query: string) => (await sandbox.call("GET", `/_sandbox/messages?${query}`, undefined, controlToken)).json;
  expect(await list("owner=theirs")).toHaveLength(1);
  expect(await list(`owner=mine&phoneNumberId=${theirs.phoneNumberId}`)).toEqual([]);
  expect(await list("owner=nobody")).toEqual([]);
  const before = new Date(Date.now() + 60_000).toISOString();
  expect((await sandbox.call("POST", "/_sandbox/forget", { owner: "mine", before }, controlToken)).json).toEqual({ deleted: 0 });
  expect(await list("owner=theirs")).toHaveLength(1);
});

test("secrets and people are encrypted in the database; another key costs callbacks their signature, what is known of people, and nothing else", async () => {
  await using old = await openSandbox();
  const { wabaId, appSecret, phoneNumberId } = old.account;
  await old.call("POST", "/_sandbox/preferences", { phoneNumberId, from: "+491701234567", value: "stop" }, null);
  const stored = connect(old.databaseUrl, { max: 1 });
  const [row] = await stored`select row_to_json(account)::text as stored from sandbox.account where waba_id = ${wabaId}`;
  for (const secret of [appSecret, verifyToken, "491701234567"]) expect(row?.["stored"]).not.toContain(secret);
  const person = async (wishes: object) =>
    (await old.call("POST", "/_sandbox/people", { phoneNumberId, phone: "+491701234567", ...wishes }, null)).json;
  const known = await person({ username: "ada.l" });
  await old.restart();
  expect(await person({})).toEqual(known);
  old.useKey(Buffer.alloc(32, 9));
  await old.restart();
  expect((await old.call("GET", `/${phoneNumberId}`)).status).toBe(200);
  expect(await person({})).toMatchObject({ username: null, userId: expect.stringMatching(/^DE\./) });
  await stored.end();
});
