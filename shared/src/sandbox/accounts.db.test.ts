import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { controlToken, messageId, openCallbackReceiver, openSandbox, verifyToken } from "../../../test/support/sandbox.ts";
import { shared } from "../../../test/support/shared.ts";
import { waitFor } from "../../../test/support/wait-for.ts";

const sandbox = shared(async () => openSandbox());

const create = async (body: unknown) => sandbox.call("POST", "/_sandbox/accounts", body, null);
const hello = { name: "hello_world", language: { code: "en_US" } };

test("an account has ids like the platform's and everything of its own", async () => {
  const other = await sandbox.openAccount();
  expect(other).toEqual({
    wabaId: expect.stringMatching(/^[1-9]\d{14}$/),
    phoneNumberId: expect.stringMatching(/^[1-9]\d{14}$/),
    displayPhoneNumber: expect.stringMatching(/^\+1 555-7\d\d-\d{4}$/),
    accessToken: expect.stringMatching(/^EAA[A-Za-z0-9]{100,}$/),
    appId: expect.stringMatching(/^[1-9]\d{14}$/),
    appSecret: expect.stringMatching(/^[0-9a-f]{32}$/),
    callbackVerified: true,
  });
  const values = Object.values(other).filter((value) => typeof value === "string");
  expect(values.filter((value) => Object.values(sandbox.account).includes(value))).toEqual([]);
});

test("a callback that does not answer the handshake is said to be so, and kept", async () => {
  expect((await create({ callbackUrl: "http://127.0.0.1:9/", verifyToken: "t" })).json).toMatchObject({ callbackVerified: false });
  expect((await create({ callbackUrl: sandbox.receiver.url, verifyToken: "wrong" })).json).toMatchObject({ callbackVerified: false });
});

test("a callback to which no connection comes about keeps nobody waiting who makes an account", async () => {
  const mute = createServer().listen(0, "127.0.0.1");
  await once(mute, "listening");
  const { port } = mute.address() as AddressInfo;
  const body = JSON.stringify({ callbackUrl: `https://127.0.0.1:${port}/`, verifyToken: "t" });
  // The dashboard's server waits as long.
  const headers = { "content-type": "application/json", authorization: `Bearer ${controlToken}` };
  const answer = await fetch(`${sandbox.url}/_sandbox/accounts`, { method: "POST", headers, body, signal: AbortSignal.timeout(5_000) });
  expect(await answer.json()).toMatchObject({ callbackVerified: false });
  mute.close();
});

test.each([[{}], [{ callbackUrl: "nowhere", verifyToken: "t" }], [{ callbackUrl: "ftp://a.example/", verifyToken: "t" }], ["{"]])(
  "refused in words: %j",
  async (body) => {
    const answer = await create(body);
    expect([answer.status, answer.json]).toEqual([400, { error: expect.any(String) }]);
  },
);

test("it is shown without its secrets", async () => {
  const { wabaId, accessToken, appSecret } = sandbox.account;
  const answer = await sandbox.call("GET", `/_sandbox/accounts/${wabaId}`, undefined, null);
  expect(answer.json).toMatchObject({ wabaId, callbackUrl: sandbox.receiver.url, subscribed: true, limits: [], refuseCode: null });
  for (const secret of [accessToken, appSecret, verifyToken]) expect(answer.text).not.toContain(secret);
});

test("an account without subscription from the start is told nothing", async () => {
  const { json } = await create({ callbackUrl: sandbox.receiver.url, verifyToken, subscribed: false });
  const { wabaId } = json as { wabaId: string };
  expect((await sandbox.call("GET", `/_sandbox/accounts/${wabaId}`, undefined, null)).json).toMatchObject({ subscribed: false });
});

test("accounts, their changes and their tokens outlive a restart; a new callback is used from then on", async () => {
  await using receiver = await openCallbackReceiver();
  await sandbox.call("PATCH", `/_sandbox/accounts/${sandbox.account.wabaId}`, { callbackUrl: receiver.url, limits: ["pair"] }, null);
  await sandbox.restart();
  const answer = await sandbox.send("+491701234567", hello);
  await waitFor("the new callback", () => receiver.statuses(messageId(answer)).length === 3);
  expect((await sandbox.call("GET", `/_sandbox/accounts/${sandbox.account.wabaId}`, undefined, null)).json).toMatchObject({
    limits: ["pair"],
  });
});

test("an unknown account, an unknown wish", async () => {
  expect((await sandbox.call("PATCH", "/_sandbox/accounts/1", {}, null)).status).toBe(404);
  expect((await sandbox.call("PATCH", `/_sandbox/accounts/${sandbox.account.wabaId}`, { colour: "red" }, null)).status).toBe(400);
});

test("an owner who comes back is answered its account, with the new callback", async () => {
  const wanted = { callbackUrl: sandbox.receiver.url, verifyToken: "comes-back", owner: "comes-back" };
  const first = (await create(wanted)).json as { wabaId: string };
  const callbackUrl = "http://127.0.0.1:9/moved";
  expect((await create({ ...wanted, callbackUrl })).json).toEqual({ ...first, callbackVerified: false });
  expect((await sandbox.call("GET", `/_sandbox/accounts/${first.wabaId}`, undefined, null)).json).toMatchObject({ callbackUrl });
  expect((await create({ ...wanted, owner: null })).json).not.toMatchObject({ wabaId: first.wabaId });
});
