import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addTemplate, messageId, openSandbox, type OpenSandbox, orderMessage, type StatusItem } from "../../../../test/support/sandbox.ts";
import { waitFor } from "../../../../test/support/wait-for.ts";

let sandbox: OpenSandbox;

beforeEach(async () => {
  sandbox = await openSandbox();
  await addTemplate(sandbox);
});
afterEach(async () => sandbox[Symbol.asyncDispose]());

const to = "+491701234567";

const toldOf = async (id: string, count: number): Promise<StatusItem[]> =>
  waitFor(`${count} statuses`, () => sandbox.receiver.statuses(id).length >= count && sandbox.receiver.statuses(id));

const pending = async (): Promise<number> => {
  const { json } = await sandbox.call("GET", `/_sandbox/accounts/${sandbox.account.wabaId}`, undefined, null);
  return (json as { pendingCallbacks: number }).pendingCallbacks;
};

test("sent, delivered and read are told, with the reference, the price and strings for times", async () => {
  const id = messageId(await sandbox.send(to, orderMessage, { biz_opaque_callback_data: "site:é/1" }));
  const told = await toldOf(id, 3);
  const common = {
    id,
    recipient_id: "491701234567",
    recipient_user_id: expect.stringMatching(/^[A-Z]{2}\.\w+$/),
    biz_opaque_callback_data: "site:é/1",
  };
  const pricing = { billable: true, pricing_model: "PMP", type: "regular", category: "utility" };
  const timestamp = expect.stringMatching(/^\d{10}$/);
  expect(told).toEqual([
    { ...common, status: "sent", timestamp, pricing },
    { ...common, status: "delivered", timestamp, pricing },
    { ...common, status: "read", timestamp },
  ]);
});

test("the envelope names account, number and person, and its bytes are signed as they are", async () => {
  await toldOf(messageId(await sandbox.send(to, orderMessage, { biz_opaque_callback_data: "é/" })), 3);
  const call = sandbox.receiver.received.find(({ raw }) => raw.includes('"statuses"'));
  expect(call?.raw).toContain('"biz_opaque_callback_data":"\\u00e9\\/"');
  const hex = createHmac("sha256", sandbox.account.appSecret)
    .update(call?.raw ?? "", "latin1")
    .digest("hex");
  expect(call?.signature).toBe(`sha256=${hex}`);
  expect(call?.body).toMatchObject({
    object: "whatsapp_business_account",
    // The same call may contain a template's approval.
    entry: expect.arrayContaining([
      expect.objectContaining({
        id: sandbox.account.wabaId,
        changes: [
          {
            field: "messages",
            value: expect.objectContaining({
              messaging_product: "whatsapp",
              metadata: {
                display_phone_number: sandbox.account.displayPhoneNumber.replaceAll(/\D/g, ""),
                phone_number_id: sandbox.account.phoneNumberId,
              },
              contacts: [{ profile: { name: "Sandbox" }, wa_id: "491701234567", user_id: expect.stringMatching(/^DE\.\w{32}$/) }],
            }),
          },
        ],
      }),
    ]),
  });
});

test("a conversation is named up to v23 and not after", async () => {
  const send = async (version: string) => {
    const body = { messaging_product: "whatsapp", to, type: "template", template: orderMessage };
    return toldOf(messageId(await sandbox.call("POST", `${version}/${sandbox.account.phoneNumberId}/messages`, body)), 3);
  };
  const [sent, delivered] = await send("/v23.0");
  const id = expect.stringMatching(/^[0-9a-f]{32}$/);
  expect(sent?.["conversation"]).toEqual({ id, origin: { type: "utility" }, expiration_timestamp: expect.stringMatching(/^\d{10}$/) });
  expect(delivered?.["conversation"]).toEqual({ id, origin: { type: "utility" } });
  expect((await send("/v24.0")).some((item) => "conversation" in item)).toBe(false);
});

test("what gathers while the callback is away comes in one call", async () => {
  sandbox.receiver.status = 503;
  const ids = await Promise.all(Array.from({ length: 20 }, async () => messageId(await sandbox.send(to, orderMessage))));
  await waitFor("every message to be over", async () => (await pending()) >= 60);
  const before = sandbox.receiver.received.length;
  sandbox.receiver.status = 200;
  await waitFor("all statuses", () => ids.every((id) => sandbox.receiver.statuses(id).length === 3));
  const calls = sandbox.receiver.received.slice(before);
  expect(calls.some(({ body }) => (body.entry[0]?.changes[0]?.value.statuses?.length ?? 0) > 1)).toBe(true);
  expect(await waitFor("nothing to be left", async () => (await pending()) === 0)).toBe(true);
});

test("only a 200 acknowledges", async () => {
  sandbox.receiver.status = 204;
  const id = messageId(await sandbox.send(to, orderMessage));
  await waitFor("a second attempt", () => sandbox.receiver.attempts >= 2);
  sandbox.receiver.status = 200;
  expect((await toldOf(id, 3)).map(({ status }) => status).toSorted()).toEqual(["delivered", "read", "sent"]);
});

test("what was not told is told after a restart", async () => {
  sandbox.receiver.status = 500;
  const id = messageId(await sandbox.send(to, orderMessage));
  await sandbox.restart();
  expect(sandbox.receiver.statuses(id)).toEqual([]);
  sandbox.receiver.status = 200;
  expect((await toldOf(id, 3)).length).toBe(3);
});

describe("subscription", () => {
  test("without one nothing is told, and nothing is made up for later", async () => {
    await sandbox.call("DELETE", `/v25.0/${sandbox.account.wabaId}/subscribed_apps`);
    const lost = messageId(await sandbox.send(to, orderMessage));
    await waitFor("the updates to be dropped", async () => (await pending()) === 0);
    await sandbox.call("POST", `/v25.0/${sandbox.account.wabaId}/subscribed_apps`);
    await toldOf(messageId(await sandbox.send(to, orderMessage)), 3);
    expect(sandbox.receiver.statuses(lost)).toEqual([]);
  });
});

test("a dead callback holds up no other account's", async () => {
  const other = await sandbox.openAccount();
  const change = { callbackUrl: "http://127.0.0.1:9/nobody" };
  await sandbox.call("PATCH", `/_sandbox/accounts/${other.wabaId}`, change, null);
  const template = { name: "hello_world", language: { code: "en_US" } };
  const body = { messaging_product: "whatsapp", to, type: "template", template };
  await sandbox.call("POST", `/${other.phoneNumberId}/messages`, body, other.accessToken);
  expect((await toldOf(messageId(await sandbox.send(to, orderMessage)), 3)).length).toBe(3);
});
