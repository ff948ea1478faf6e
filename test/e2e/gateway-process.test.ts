import { afterAll, beforeAll, expect, it } from "vitest";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { masterKey, openShop, type Shop } from "../support/gateway.ts";
import { newMessageId, type ScriptedPlatform, startScriptedPlatform } from "../support/platform.ts";
import { type RunningProcess, startProcess } from "../support/process.ts";
import { postEvent, rawSocket } from "../support/requests.ts";
import { waitFor } from "../support/wait-for.ts";

let database: TestDatabase;
let platform: ScriptedPlatform;
let shop: Shop;
beforeAll(async () => {
  database = await testDatabase();
  platform = await startScriptedPlatform();
  shop = await openShop(database.sql);
});
afterAll(async () => {
  await platform?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

const startMain = (): RunningProcess =>
  startProcess([process.execPath, "gateway/dist/main.js"], {
    env: {
      DATABASE_URL: database.url,
      MASTER_KEY: masterKey.toString("base64"),
      GATEWAY_PORT: "0",
      PLATFORM_API_URL: platform.url,
    },
  });

const urlOf = async (gateway: RunningProcess): Promise<string> =>
  waitFor("the gateway to listen", () => {
    const line = gateway
      .stdout()
      .split("\n")
      .find((text) => text.includes('"listening"'));
    return line === undefined ? undefined : (JSON.parse(line) as { url: string }).url;
  });

it("SIGTERM lets what is in flight finish, refuses the rest, and ends with 0, whatever connections are open", async () => {
  await using gateway = startMain();
  const url = await urlOf(gateway);
  const silent = await rawSocket(Number(new URL(url).port));
  const idle = await rawSocket(Number(new URL(url).port));
  idle.send("GET /api/public/health HTTP/1.1\r\nHost: x\r\n\r\n");
  expect(await idle.answer()).toMatchObject({ status: 200 });
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  platform.script(async () => {
    await released;
    return newMessageId();
  });
  const posted = postEvent({ url }, shop);
  await waitFor("the send", () => platform.sends.length > 0);
  const ended = gateway.kill("SIGTERM");
  await waitFor("the stop", () => gateway.stdout().includes('"stopping"'));
  await expect(fetch(`${url}/api/public/health`)).rejects.toThrow("fetch failed");
  release();
  expect((await posted).json).toMatchObject({ chat: "sent", recipients_sent: 1 });
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(gateway.stderr()).toBe("");
  await Promise.all([silent.closed(), idle.closed()]);
});
