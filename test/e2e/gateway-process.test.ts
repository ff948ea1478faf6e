import { createServer, type AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emptyDatabase, type TestDatabase, testDatabase } from "../support/database.ts";
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

const startMain = (changes: Record<string, string | undefined> = {}): RunningProcess =>
  startProcess([process.execPath, "gateway/dist/main.js"], {
    env: {
      DATABASE_URL: database.url,
      MASTER_KEY: masterKey.toString("base64"),
      GATEWAY_PORT: "0",
      PLATFORM_API_URL: platform.url,
      ...changes,
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

describe("SIGTERM", () => {
  it("lets what is in flight finish, refuses the rest, and ends with 0", async () => {
    await using gateway = startMain();
    const url = await urlOf(gateway);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
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
  });

  it("ends an idle gateway, whatever connections are open", async () => {
    await using gateway = startMain();
    const url = await urlOf(gateway);
    const silent = await rawSocket(Number(new URL(url).port));
    const idle = await rawSocket(Number(new URL(url).port));
    idle.send("GET /api/public/health HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(await idle.answer()).toMatchObject({ status: 200 });
    expect(await gateway.kill("SIGTERM")).toEqual({ code: 0, signal: null });
    await Promise.all([silent.closed(), idle.closed()]);
  });
});

describe("what a person can put right is said in one line, and the start fails:", () => {
  const refusal = async (changes: Record<string, string | undefined>): Promise<string[]> => {
    await using gateway = startMain(changes);
    expect((await gateway.ended).code).not.toBe(0);
    return gateway.stderr().trim().split("\n");
  };

  it("wrong variables, each by its name", async () => {
    const lines = await refusal({ GATEWAY_PORT: "80a", MASTER_KEY: "short", DATABASE_URL: undefined });
    expect(new Set(lines.map((line) => line.split(" ")[0]))).toEqual(new Set(["DATABASE_URL", "GATEWAY_PORT", "MASTER_KEY"]));
    expect(lines).toHaveLength(3);
  });

  it("a database that cannot be reached, without its password", async () => {
    const lines = await refusal({ DATABASE_URL: "postgres://someone:hidden@127.0.0.1:1/nothing" });
    expect(lines).toEqual([expect.stringMatching(/^DATABASE_URL /)]);
    expect(lines.join()).not.toContain("hidden");
  });

  it("a database without tables", async () => {
    await using empty = await emptyDatabase();
    expect(await refusal({ DATABASE_URL: empty.url })).toEqual([expect.stringMatching(/^DATABASE_URL.*npm run migrate/)]);
  });

  it("a port that is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await waitFor("the port", () => other.listening);
    const { port } = other.address() as AddressInfo;
    expect(await refusal({ GATEWAY_PORT: String(port) })).toEqual([expect.stringContaining(`GATEWAY_PORT ${port} is taken`)]);
    other.close();
  });
});
