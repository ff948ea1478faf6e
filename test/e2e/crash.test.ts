import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { openShop, type Shop, type GatewayProcess, spawnGateway, type SpawnOptions } from "../support/gateway.ts";
import { newMessageId, type ScriptedPlatform, startScriptedPlatform } from "../support/platform.ts";
import { postStatus, anEvent, type Posted, postEvent } from "../support/requests.ts";

describe("crash", () => {
  const timeLimits = { leaseMs: 4000, sweepMs: 250, handOverMs: 3000, answerMs: 3800 };
  const phones = Array.from({ length: 45 }, (_, i) => `+1555200${String(i).padStart(4, "0")}`);
  const crashes = ["claim", "dispatch", "settle"] as const;

  let database: TestDatabase;
  let platform: ScriptedPlatform;
  let survivor: GatewayProcess;
  let shop: Shop;
  let keys = 0;

  beforeAll(async () => {
    database = await testDatabase();
    platform = await startScriptedPlatform();
    survivor = await spawnGateway({ databaseUrl: database.url, platformApiUrl: platform.url, inDoubtSeconds: 1, timeLimits });
  });
  afterAll(async () => {
    await survivor?.[Symbol.asyncDispose]();
    await platform?.[Symbol.asyncDispose]();
    await database?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    shop = await openShop(database.sql, { recipient: { strategy: "site_recipients" }, phones });
    platform.sends.splice(0);
    platform.script(() => newMessageId());
  });

  /** Posts to a gateway that dies on the way, and answers the key with which the client will come back. */
  async function postToDoomed(crash: SpawnOptions["crash"], headers: Record<string, string> = {}): Promise<Record<string, string>> {
    await using doomed = await spawnGateway({ databaseUrl: database.url, platformApiUrl: platform.url, timeLimits, crash });
    await expect(postEvent(doomed, shop, anEvent, { headers })).rejects.toThrow("fetch failed");
    await doomed.ended;
    return headers;
  }

  const withKey = (): Record<string, string> => ({ "X-Service-Idempotency-Key": `key-${(keys += 1)}` });

  /** Repeats the request like the specification's clients: the same key, until the answer is no 5xx. */
  async function retryUntilAnswered(headers: Record<string, string>): Promise<Posted> {
    for (;;) {
      const posted = await postEvent(survivor, shop, anEvent, { headers });
      if (posted.status < 500) return posted;
      expect(posted).toMatchObject({ status: 503, json: { error: "Still in progress" } });
      expect(posted.headers.get("retry-after")).toMatch(/^\d+$/);
    }
  }

  const sentTo = (): string[] => platform.sends.map(({ body }) => body.to).toSorted();

  const statuses = async (): Promise<Record<string, number>> => {
    const rows = await database.sql<{ outcome: string; n: number }[]>`
    select coalesce(error_code, status::text) as outcome, count(*)::integer as n from notification where site_id = ${shop.siteId} group by 1`;
    return Object.fromEntries(rows.map(({ outcome, n }) => [outcome, n]));
  };

  describe.each(crashes)("a gateway killed before %s", (step) => {
    it("sends every message exactly once where callbacks work", async () => {
      await database.sql`insert into platform_callback values (${shop.accountId}, now())`;
      // The platform tells the survivor of every message that it took, as it would within a second.
      platform.script(async ({ body }) => {
        const id = newMessageId();
        await postStatus(survivor, shop, body, "sent", id);
        return id;
      });
      const headers = await postToDoomed({ step, nth: 1 }, withKey());
      const answered = await retryUntilAnswered(headers);
      expect(answered.json).toMatchObject({ chat: "sent", recipients_sent: 45, recipients_failed: 0 });
      expect(sentTo()).toEqual(phones);
      expect(await statuses()).toEqual({ sent: 45 });
      expect((await postEvent(survivor, shop, anEvent, { headers })).body).toBe(answered.body);
    });

    it("sends no message twice where no callbacks come", async () => {
      const headers = await postToDoomed({ step, nth: 1 }, withKey());
      const answered = await retryUntilAnswered(headers);
      expect(new Set(sentTo()).size).toBe(platform.sends.length);
      const lost = step === "claim" ? 0 : 20;
      expect(answered.json).toMatchObject({ recipients_sent: 45 - lost, recipients_failed: lost });
      expect(await statuses()).toEqual(lost === 0 ? { sent: 45 } : { sent: 25, interrupted: 20 });
    });
  });

  it("goes on with the wave at which the gateway died", async () => {
    const headers = await postToDoomed({ step: "settle", nth: 2 }, withKey());
    const answered = await retryUntilAnswered(headers);
    expect(answered.json).toMatchObject({ chat: "partial", recipients_sent: 25, recipients_failed: 20 });
    expect(sentTo()).toEqual(phones);
    expect(await statuses()).toEqual({ sent: 25, interrupted: 20 });
  });

  it("closes an event without a key, which its client cannot ask for again", async () => {
    await postToDoomed({ step: "settle", nth: 1 });
    await expect.poll(statuses, { timeout: 30_000 }).toEqual({ interrupted: 45 });
    expect(platform.sends).toHaveLength(20);
  });

  it("believes a callback that comes after a message was given up", async () => {
    const headers = await postToDoomed({ step: "settle", nth: 1 }, withKey());
    await retryUntilAnswered(headers);
    const first = platform.sends[0]?.body;
    if (!first) throw new Error("nothing was sent");
    await postStatus(survivor, shop, first, "delivered", newMessageId());
    expect(await statuses()).toEqual({ sent: 25, interrupted: 19, delivered: 1 });
  });
});

describe("paused", () => {
  const timeLimits = { leaseMs: 6000, sweepMs: 250, handOverMs: 5500, answerMs: 5900 };
  const phones = Array.from({ length: 45 }, (_, i) => `+1555500${String(i).padStart(4, "0")}`);
  const keyed = { headers: { "X-Service-Idempotency-Key": "paused" } };

  let database: TestDatabase;
  let platform: ScriptedPlatform;
  let sleeper: GatewayProcess;
  let survivor: GatewayProcess;
  let shop: Shop;

  beforeAll(async () => {
    database = await testDatabase();
    platform = await startScriptedPlatform();
    const options = { databaseUrl: database.url, platformApiUrl: platform.url, inDoubtSeconds: 1, timeLimits };
    sleeper = await spawnGateway({ ...options, timeLimits: { ...timeLimits, sweepMs: 10 ** 8 } });
    survivor = await spawnGateway(options);
  });
  afterAll(async () => {
    await sleeper?.[Symbol.asyncDispose]();
    await survivor?.[Symbol.asyncDispose]();
    await platform?.[Symbol.asyncDispose]();
    await database?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    shop = await openShop(database.sql, { recipient: { strategy: "site_recipients" }, phones });
    platform.sends.splice(0);
  });

  const chat = async (): Promise<unknown> =>
    (await database.sql`select chat from event where site_id = ${shop.siteId} and chat is not null`)[0]?.["chat"];

  const statuses = async (): Promise<string[]> =>
    (
      await database.sql`select coalesce(error_code, status::text) as word from notification where site_id = ${shop.siteId} order by position`
    ).map((row) => String(row["word"]));

  /** A promise that the test keeps when it likes. */
  function gate(): { opened: Promise<void>; open: () => void } {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    return { opened, open };
  }

  it("a gateway that wakes up during a take-over sends nothing, spoils nothing and gives no answer of its own", async () => {
    const [first, second] = [gate(), gate()];
    // The first wave is the sleeper's, and is answered only once it sleeps; the second is the survivor's.
    platform.script(async () => {
      const nth = platform.sends.length;
      if (nth <= 40) await (nth <= 20 ? first : second).opened;
      return newMessageId();
    });
    const posted = postEvent(sleeper, shop, anEvent, keyed);
    await expect.poll(() => platform.sends.length, { timeout: 10_000 }).toBe(20);
    sleeper.kill("SIGSTOP");
    await expect.poll(() => platform.sends.length, { timeout: 20_000 }).toBe(40);
    first.open();
    sleeper.kill("SIGCONT");
    expect((await posted).status).toBe(503);
    // The sleeper's results of its first event come before those of a later one.
    expect((await postEvent(sleeper, await openShop(database.sql))).json["chat"]).toBe("sent");
    second.open();
    await expect.poll(chat, { timeout: 20_000 }).toMatch(/^(partial|sent)$/);
    const replay = await postEvent(survivor, shop, anEvent, keyed);
    expect((await postEvent(sleeper, shop, anEvent, keyed)).body).toBe(replay.body);
    expect((await statuses()).slice(20)).toEqual(Array<string>(25).fill("sent"));
    expect(
      platform.sends
        .map(({ body }) => body.to)
        .filter((to) => to.startsWith("+1555500"))
        .toSorted(),
    ).toEqual(phones);
  });

  it("a client that comes back is told in time that the event which its request woke is still being sent", async () => {
    const answers = gate();
    platform.script(async () => {
      await answers.opened;
      return newMessageId();
    });
    await using patient = await spawnGateway({
      databaseUrl: database.url,
      platformApiUrl: platform.url,
      timeLimits: { ...timeLimits, leaseMs: 60_000, sweepMs: 10 ** 8, duplicateWaitMs: 500 },
    });
    const doomed = postEvent(sleeper, shop, anEvent, { headers: { "X-Service-Idempotency-Key": "woken" } }).catch(() => null);
    await expect.poll(() => platform.sends.length, { timeout: 10_000 }).toBe(20);
    sleeper.kill("SIGSTOP");
    survivor.kill("SIGSTOP");
    const leftBehind = async () => database.sql`
      select from event e join gateway g on g.id = e.owner where e.site_id = ${shop.siteId} and e.chat is null and g.lease_until < now()`;
    await expect.poll(leftBehind, { timeout: 20_000 }).toHaveLength(1);
    const told = await postEvent(patient, shop, anEvent, { headers: { "X-Service-Idempotency-Key": "woken" } });
    expect(told).toMatchObject({ status: 503, json: { error: "Still in progress" } });
    await expect.poll(() => platform.sends.length, { timeout: 20_000 }).toBe(40);
    expect(await statuses()).toEqual([...Array<string>(40).fill("sending"), ...Array<string>(5).fill("queued")]);
    answers.open();
    survivor.kill("SIGCONT");
    sleeper.kill("SIGCONT");
    await doomed;
  });
});
