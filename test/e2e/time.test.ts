import type { Gateway } from "gateway/start";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { openGateway, openShop, type Shop } from "../support/gateway.ts";
import { answer, newMessageId, refuse, type ScriptedPlatform, startScriptedPlatform } from "../support/platform.ts";
import { postStatus, anEvent, postEvent } from "../support/requests.ts";

/** The real limits divided by fifteen, except that the results of a hanging platform must be written by the end, on any disk. */
const timeLimits = { attemptMs: 650, handOverMs: 900, answerMs: 4000 };
const forty = Array.from({ length: 40 }, (_, i) => `+1555300${String(i).padStart(4, "0")}`);

let database: TestDatabase;
let platform: ScriptedPlatform;
let gateway: Gateway;
let shop: Shop;

beforeAll(async () => {
  database = await testDatabase();
  platform = await startScriptedPlatform();
  gateway = await openGateway(database.url, platform.url, {}, timeLimits);
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await platform?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  shop = await openShop(database.sql);
  platform.sends.splice(0);
  platform.script(() => newMessageId());
});

const log = async (siteId = shop.siteId) =>
  await database.sql`
    select status::text, error_code, local_failure, wa_message_id from notification where site_id = ${siteId} order by position`;

const never = async (): Promise<undefined> => new Promise(() => undefined);

describe("a platform that", () => {
  it("does not answer leaves the message in doubt: answered in time, not sent again, corrected by a callback", async () => {
    platform.script(never);
    expect((await postEvent(gateway, shop)).json).toMatchObject({ chat: "failed", recipients_failed: 1 });
    expect(await log()).toMatchObject([{ status: "failed", error_code: "in_doubt", local_failure: true }]);
    expect(platform.sends).toHaveLength(1);
    const [send] = platform.sends;
    if (send) await postStatus(gateway, shop, send.body, "delivered", "wamid.late");
    expect(await log()).toMatchObject([{ status: "delivered", error_code: null, local_failure: false, wa_message_id: "wamid.late" }]);
  });

  it("resets the connection after it got the message leaves it in doubt", async () => {
    platform.script((_, response) => void response.destroy());
    expect((await postEvent(gateway, shop)).json["chat"]).toBe("failed");
    expect(await log()).toMatchObject([{ error_code: "in_doubt" }]);
    expect(platform.sends).toHaveLength(1);
  });

  it("answers 502 with a page leaves it in doubt", async () => {
    platform.script((_, response) => void response.writeHead(502, { "Content-Type": "text/html" }).end("<html>Bad gateway</html>"));
    expect((await postEvent(gateway, shop)).json["chat"]).toBe("failed");
    expect(await log()).toMatchObject([{ error_code: "in_doubt" }]);
    expect(platform.sends).toHaveLength(1);
  });

  it.each([
    ["a transient refusal", 400, 130429],
    ["a 5xx in JSON", 500, 131000],
  ])("answers with %s is asked again within the request", async (_, status, code) => {
    let tries = 0;
    platform.script((__, response) => ((tries += 1) === 1 ? refuse(response, status, code) : newMessageId()));
    await using patient = await openGateway(database.url, platform.url);
    expect((await postEvent(patient, shop)).json["chat"]).toBe("sent");
    expect(tries).toBe(2);
    expect(await log()).toMatchObject([{ status: "sent", error_code: null }]);
  });

  it("refuses for good is asked once", async () => {
    platform.script((_, response) => refuse(response, 400, 132000));
    expect((await postEvent(gateway, shop)).json["chat"]).toBe("failed");
    expect(platform.sends).toHaveLength(1);
    expect(await log()).toMatchObject([{ error_code: "132000", local_failure: false }]);
  });

  it("says yes without a message id has not taken it", async () => {
    platform.script((_, response) => answer(response, 200, { messages: [] }));
    expect((await postEvent(gateway, shop)).json["chat"]).toBe("failed");
    expect(await log()).toMatchObject([{ error_code: "unexpected_answer" }]);
    expect(platform.sends).toHaveLength(1);
  });

  it("is not there is tried until time is up, and the log says so", async () => {
    await using lonely = await openGateway(database.url, "http://127.0.0.1:1", {}, timeLimits);
    expect((await postEvent(lonely, shop)).json["chat"]).toBe("failed");
    expect(await log()).toMatchObject([{ error_code: "deadline", local_failure: true }]);
  });

  it("tells of a delivery before it has answered the send is believed", async () => {
    platform.script(async ({ body }) => {
      const id = newMessageId();
      await postStatus(gateway, shop, body, "delivered", id);
      return id;
    });
    expect((await postEvent(gateway, shop)).json["chat"]).toBe("sent");
    expect(await log()).toMatchObject([{ status: "delivered", wa_message_id: expect.stringContaining("wamid") }]);
  });

  it("hangs on a first wave leaves no time for the second, which is logged as too late", async () => {
    const large = await openShop(database.sql, { recipient: { strategy: "site_recipients" }, phones: forty });
    platform.script(never);
    await using slow = await openGateway(database.url, platform.url, {}, { ...timeLimits, attemptMs: 5000 });
    expect((await postEvent(slow, large)).json).toMatchObject({ chat: "failed", recipients_failed: 40 });
    const rows = await log(large.siteId);
    expect(rows.map((row) => row["error_code"] as string)).toEqual([
      ...Array<string>(20).fill("in_doubt"),
      ...Array<string>(20).fill("deadline"),
    ]);
    expect(platform.sends).toHaveLength(20);
  });

  it("takes some and refuses others makes a partial answer", async () => {
    const large = await openShop(database.sql, { recipient: { strategy: "site_recipients" }, phones: forty });
    platform.script(({ body }, response) => (body.to.endsWith("5") ? refuse(response, 400, 131026) : newMessageId()));
    expect((await postEvent(gateway, large)).json).toMatchObject({ chat: "partial", recipients_sent: 36, recipients_failed: 4 });
  });
});

it("an account whose sends hang holds up no other, and is refused before anything is stored once it holds its share", async () => {
  const hanging = await openShop(database.sql, { recipient: { strategy: "site_recipients" }, phones: forty });
  await using busy = await openGateway(
    database.url,
    platform.url,
    {},
    { attemptMs: 60_000, handOverMs: 60_000, answerMs: 70_000, leaseMs: 80_000 },
  );
  const isHanging = (to: string): boolean => to.startsWith("+1555300");
  platform.script(({ body }, response) => (isHanging(body.to) ? void response.destroy() : newMessageId()));
  await postEvent(busy, hanging);
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  platform.script(async ({ body }) => {
    if (isHanging(body.to)) await released;
    return newMessageId();
  });

  let refused = 0;
  const posts = Array.from({ length: 40 }, async () => {
    const posted = await postEvent(busy, hanging);
    if (posted.status === 503) refused += 1;
    return posted;
  });
  // A quarter of 2,000 places are 25 events of 20 messages at once.
  await expect.poll(() => refused).toBe(40 - 25);
  expect((await postEvent(busy, shop)).json["chat"]).toBe("sent");
  release();
  const posted = await Promise.all(posts);
  expect(posted.filter(({ status }) => status === 200)).toHaveLength(25);
  expect(posted.find(({ status }) => status === 503)?.headers.get("retry-after")).toMatch(/^\d+$/);
  const [stored] = await database.sql<{ n: number }[]>`select count(*)::integer as n from event where site_id = ${hanging.siteId}`;
  expect(stored?.n).toBe(1 + 25);
});

it("what a callback says does not change the answer that duplicates get", async () => {
  const headers = { "X-Service-Idempotency-Key": "stable" };
  const original = await postEvent(gateway, shop, anEvent, { headers });
  const [send] = platform.sends;
  if (send) await postStatus(gateway, shop, send.body, "failed", newMessageId());
  expect((await postEvent(gateway, shop, anEvent, { headers })).body).toBe(original.body);
});
