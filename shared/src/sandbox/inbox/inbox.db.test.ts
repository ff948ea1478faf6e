import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { messageId } from "../../../../test/support/sandbox/answers.ts";
import { openSandbox, type OpenSandbox } from "../../../../test/support/sandbox/open-sandbox.ts";
import { addTemplate, orderMessage } from "../../../../test/support/sandbox/templates.ts";
import { waitFor } from "../../../../test/support/wait-for.ts";

const AN_HOUR = 3_600_000;
let sandbox: OpenSandbox;

beforeAll(async () => {
  sandbox = await openSandbox({ deliveredAfterMs: AN_HOUR, readAfterMs: AN_HOUR });
  await addTemplate(sandbox);
});
beforeEach(async () => {
  await control("DELETE", "/messages");
});
afterAll(async () => sandbox[Symbol.asyncDispose]());

const control = async (method: string, path: string) => sandbox.call(method, `/_sandbox${path}`, undefined, null);
const list = async (query = "") =>
  (await control("GET", `/messages${query}`)).json as { id: string; to: string; status: string; readAt?: string }[];
const send = async (to: string) => messageId(await sandbox.send(to, orderMessage));

describe("list", () => {
  test("newest first, one phone's with `to` in any form", async () => {
    const [a, b, c] = [await send("+491700000001"), await send("+491700000002"), await send("+491700000001")];
    expect((await list()).map(({ id }) => id)).toEqual([c, b, a]);
    for (const to of ["+491700000001", "%2B491700000001", "491700000001"]) {
      expect((await list(`?to=${to}`)).map(({ id }) => id)).toEqual([c, a]);
    }
    expect(await list("?to=+49170")).toEqual([]);
    expect((await list("?to=")).map(({ id }) => id)).toEqual((await list()).map(({ id }) => id));
    expect((await list("?limit=1")).map(({ id }) => id)).toEqual([c]);
    expect((await control("GET", "/messages?limit=x")).status).toBe(400);
  });

  test("one sender's with `phoneNumberId`", async () => {
    const other = await sandbox.openAccount();
    const body = {
      messaging_product: "whatsapp",
      to: "+491700000001",
      type: "template",
      template: { name: "hello_world", language: { code: "en_US" } },
    };
    await sandbox.call("POST", `/${other.phoneNumberId}/messages`, body, other.accessToken);
    const own = await send("+491700000001");
    expect((await list(`?phoneNumberId=${sandbox.account.phoneNumberId}`)).map(({ id }) => id)).toEqual([own]);
    expect(await list()).toHaveLength(2);
  });

  test("is there at once, and after a restart", async () => {
    const id = await send("+491700000001");
    const before = await list();
    await sandbox.restart();
    expect(await list()).toEqual(before);
    expect((await control("GET", `/messages/${encodeURIComponent(id)}`)).json).toEqual(before[0]);
  });

  test("what never reaches the phone is shown only when asked for", async () => {
    await send("+15550101026");
    expect(await list()).toEqual([]);
    expect(await list("?unreached=1")).toMatchObject([{ to: "+15550101026", errorCode: 131026 }]);
  });
});

test("emptying", async () => {
  await send("+491700000001");
  expect((await control("DELETE", "/messages")).json).toEqual({ deleted: 1 });
  expect(await list()).toEqual([]);
});

describe("read", () => {
  const read = async (id: string) => control("POST", `/messages/${encodeURIComponent(id)}/read`);
  const toldOf = (id: string) => sandbox.receiver.statuses(id).map(({ status }) => status);

  test("shows the message as read, and tells what was still to come", async () => {
    const id = await send("+491700000001");
    await waitFor("sent to be told", () => toldOf(id).length === 1);
    expect((await read(id)).json).toMatchObject({ id, status: "read", deliveredAt: expect.any(String), readAt: expect.any(String) });
    await waitFor("all statuses", () => toldOf(id).length === 3);
    expect(toldOf(id)).toEqual(["sent", "delivered", "read"]);
    const now = Date.now() / 1000;
    for (const { timestamp } of sandbox.receiver.statuses(id)) expect(Number(timestamp)).toBeLessThanOrEqual(now);
  });

  test("reading twice tells once", async () => {
    const id = await send("+491700000001");
    const [first, second] = [(await read(id)).json, (await read(id)).json];
    expect(second).toEqual(first);
    await waitFor("all statuses", () => toldOf(id).length >= 3);
    const later = await send("+491700000002");
    await read(later);
    await waitFor("the later one", () => toldOf(later).length === 3);
    expect(toldOf(id)).toHaveLength(3);
  });

  test("of the number that never reads by itself", async () => {
    const id = await send("+15550108011");
    await read(id);
    await waitFor("all statuses", () => toldOf(id).includes("read"));
  });

  test("not of what never arrived, nor of what is not there", async () => {
    expect((await read(await send("+15550101026"))).status).toBe(409);
    expect((await read("wamid.nope")).status).toBe(404);
  });
});
