import { beforeEach, describe, expect, it } from "vitest";
import { testDatabase } from "../support/database.ts";
import { openShop, type Shop, spawnGateway } from "../support/gateway.ts";
import { newMessageId, startScriptedPlatform } from "../support/platform.ts";
import { anEvent, postEvent } from "../support/requests.ts";
import { shared } from "../support/shared.ts";
import { gate } from "../support/wait-for.ts";

describe("paused", () => {
  const timeLimits = { leaseMs: 6000, sweepMs: 250, handOverMs: 5500, answerMs: 5900 };
  const phones = Array.from({ length: 45 }, (_, i) => `+1555500${String(i).padStart(4, "0")}`);
  const keyed = { headers: { "X-Service-Idempotency-Key": "paused" } };

  const database = shared(testDatabase);
  const platform = shared(startScriptedPlatform);
  const spawn = (limits: object) =>
    spawnGateway({ databaseUrl: database.url, platformApiUrl: platform.url, inDoubtSeconds: 1, timeLimits: { ...timeLimits, ...limits } });
  const sleeper = shared(() => spawn({ sweepMs: 10 ** 8 }));
  const survivor = shared(() => spawn({}));
  let shop: Shop;
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

  it("a gateway that wakes up during a take-over sends nothing, spoils nothing and gives no answer of its own", async () => {
    const [first, second] = [gate(), gate()];
    // The first wave is the sleeper's, and is answered only once it sleeps; the second is the survivor's.
    platform.script(async () => {
      const nth = platform.sends.length;
      if (nth <= 40) await (nth <= 20 ? first : second).opened;
      return newMessageId();
    });
    const posted = postEvent(sleeper, shop, anEvent, keyed);
    await expect.poll(() => platform.sends.length).toBe(20);
    sleeper.kill("SIGSTOP");
    await expect.poll(() => platform.sends.length).toBe(40);
    first.open();
    sleeper.kill("SIGCONT");
    expect((await posted).status).toBe(503);
    // The sleeper's results of its first event come before those of a later one.
    expect((await postEvent(sleeper, await openShop(database.sql))).json["chat"]).toBe("sent");
    second.open();
    await expect.poll(chat).toMatch(/^(partial|sent)$/);
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
    await expect.poll(() => platform.sends.length).toBe(20);
    sleeper.kill("SIGSTOP");
    survivor.kill("SIGSTOP");
    const leftBehind = async () => database.sql`
      select from event e join gateway g on g.id = e.owner where e.site_id = ${shop.siteId} and e.chat is null and g.lease_until < now()`;
    await expect.poll(leftBehind).toHaveLength(1);
    const told = await postEvent(patient, shop, anEvent, { headers: { "X-Service-Idempotency-Key": "woken" } });
    expect(told).toMatchObject({ status: 503, json: { error: "Still in progress" } });
    await expect.poll(() => platform.sends.length).toBe(40);
    expect(await statuses()).toEqual([...Array<string>(40).fill("sending"), ...Array<string>(5).fill("queued")]);
    answers.open();
    survivor.kill("SIGCONT");
    sleeper.kill("SIGCONT");
    await doomed;
  });
});
