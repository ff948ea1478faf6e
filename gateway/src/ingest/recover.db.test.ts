import { newId } from "shared/db/ids";
import { recordOptOuts } from "shared/db/opt-out";
import { beforeEach, describe, expect, it } from "vitest";
import { testDatabase } from "../../../test/support/database.ts";
import { openGateway, openShop, type Shop, vault } from "../../../test/support/gateway.ts";
import { newMessageId, refuse, startScriptedPlatform } from "../../../test/support/platform.ts";
import { anEvent, postEvent } from "../../../test/support/requests.ts";
import { shared } from "../../../test/support/shared.ts";
import { systemClock, type GatewayContext } from "../context.ts";
import { localFailure } from "../sending/outcome.ts";
import { defaultTimeLimits } from "../time-limits.ts";
import { createSettle } from "./deliver.ts";

const phones = Array.from({ length: 25 }, (_, i) => `+1555600${String(i).padStart(4, "0")}`);
const keyed = { headers: { "X-Service-Idempotency-Key": "left" } };
const never = 10 ** 8;

const database = shared(async () => testDatabase());
const platform = shared(async () => startScriptedPlatform());
/** A gateway that only takes up events whose clients come back, or that the test has it look for. */
const calm = shared(async () =>
  openGateway(database.url, platform.url, { inDoubtSeconds: 0 }, { sweepMs: never, duplicateWaitMs: 10_000 }),
);
let shop: Shop;

beforeEach(async () => {
  shop = await openShop(database.sql, { recipient: { strategy: "site_recipients" }, phones });
  platform.script(() => newMessageId());
  platform.sends.splice(0);
});

/** An event whose gateway stopped at this step, and whose lease is over. Of its messages, 20 are in the first wave and 5 wait. */
async function leaveBehind(step: "dispatch" | "settle", options: Parameters<typeof postEvent>[3] = {}): Promise<string> {
  const onStep = (at: string): void => {
    if (at === step) throw new Error("ends here");
  };
  await using doomed = await openGateway(database.url, platform.url, {}, { sweepMs: never }, onStep);
  expect((await postEvent(doomed, shop, anEvent, options)).status).toBe(500);
  const [event] = await database.sql<{ id: string }[]>`select id from event where site_id = ${shop.siteId}`;
  return event?.id ?? "";
}

const hearCallbacks = async () => database.sql`insert into platform_callback values (${shop.accountId}, now())`;
const rows = async () => database.sql<{ status: string; error_code: string | null; error_reason: string | null; attempt: number }[]>`
  select status::text, error_code, error_reason, attempt from notification where site_id = ${shop.siteId} order by position`;
/** How often each status, or error, comes with each attempt. */
const outcomes = async (): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { status, error_code, attempt } of await rows()) {
    const name = `${error_code ?? status} ${attempt}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};
/** The requests that the platform got for this test's shop: a gateway that looks for lapsed events may also find those of other tests. */
const sends = () => platform.sends.map(({ body }) => body).filter(({ template }) => template.name.endsWith(shop.siteId.slice(-6)));
const sentTo = (): string[] =>
  sends()
    .map(({ to }) => to)
    .toSorted();

it.each([false, true])(
  "what the platform said counts, when the gateway records it together with its own doubt as the event's next owner (in another order: %s)",
  async (isReversed) => {
    const id = await leaveBehind("settle");
    const [former] = await database.sql<{ owner: string }[]>`select owner from event where id = ${id}`;
    const taken = newId();
    await database.sql`update event set owner = ${taken} where id = ${id}`;
    const [message] = await database.sql<{ id: string }[]>`select id from notification where event_id = ${id} order by position limit 1`;
    const lost = localFailure(shop.siteId, { id: message?.id ?? "", event_id: id, attempt: 1 }, "interrupted", "Lost");
    const accepted = {
      ...lost,
      status: "sent" as const,
      local: false,
      wa_message_id: "wamid.accepted",
      error_code: null,
      error_reason: null,
    };
    const progress = { site_id: shop.siteId, id, recipients_sent: 1, recipients_failed: 0 };
    const config = { timeLimits: defaultTimeLimits };
    const settle = createSettle({ events: database.sql, clock: systemClock, config, log: console } as unknown as GatewayContext);
    const ways = [
      { results: [lost], event: { ...progress, owner: taken, chat: null } },
      { results: [accepted], event: { ...progress, owner: former?.owner ?? "", chat: "sent" } },
    ];
    const given = isReversed ? ways.toReversed() : ways;
    const inTime = performance.now() + 10_000;
    const owned = await Promise.all(given.map((one) => settle.record({ ...one, next: [], hasWebhooks: false }, inTime)));
    expect(owned).toEqual(isReversed ? [false, true] : [true, false]);
    expect(await database.sql`select status, wa_message_id, error_code from notification where id = ${message?.id ?? ""}`).toEqual([
      { status: "sent", wa_message_id: "wamid.accepted", error_code: null },
    ]);
    expect(await database.sql`select chat from event where id = ${id}`).toEqual([{ chat: null }]);
  },
);

describe("a message of a throttled binding that was left behind", () => {
  const phone = phones[0] ?? "";
  beforeEach(async () => {
    shop = await openShop(database.sql, {
      recipient: { strategy: "site_recipients" },
      phones: [phone],
      schedule: { throttle: { max: 1, seconds: 3600 } },
    });
    await hearCallbacks();
  });

  it("does not leave when its phone has had as many", async () => {
    await postEvent(calm, shop);
    await database.sql`delete from event where site_id = ${shop.siteId}`;
    await leaveBehind("dispatch", keyed);
    await postEvent(calm, shop, anEvent, keyed);
    expect(await outcomes()).toEqual({ "sent 1": 1, "throttled 2": 1 });
    expect(sentTo()).toEqual([phone]);
  });

  it("is not held back by its own first attempt, which was counted and perhaps never arrived", async () => {
    await leaveBehind("settle", keyed);
    await postEvent(calm, shop, anEvent, keyed);
    expect(await outcomes()).toEqual({ "sent 2": 1 });
    await postEvent(calm, shop);
    expect(await outcomes()).toEqual({ "sent 2": 1, "throttled 1": 1 });
  });
});

describe("an event with a key that was left behind", () => {
  it("is finished for its client: what waited is sent, what was under way is given up where no callbacks come", async () => {
    const id = await leaveBehind("settle", keyed);
    const answered = await postEvent(calm, shop, anEvent, keyed);
    expect(answered).toMatchObject({ status: 200, json: { event_id: id, chat: "partial", recipients_sent: 5, recipients_failed: 20 } });
    expect(sentTo()).toEqual(phones);
    expect(await outcomes()).toEqual({ "sent 1": 5, "interrupted 1": 20 });
    expect((await rows())[0]?.error_reason).toMatch(
      /^The gateway stopped while this message was being sent, .* Resend it if it did not arrive\.$/,
    );
    expect(answered.headers.get("x-service-idempotent-replay")).toBe("true");
    expect((await postEvent(calm, shop, anEvent, keyed)).body).toBe(answered.body);
  });

  it("is finished but for a message whose stored content is damaged", async () => {
    await leaveBehind("settle", keyed);
    await database.sql`update notification set components = '{broken' where site_id = ${shop.siteId} and position = 24`;
    expect((await postEvent(calm, shop, anEvent, keyed)).json).toMatchObject({ recipients_sent: 4, recipients_failed: 21 });
    expect((await rows()).at(-1)?.error_reason).toMatch(/cannot be read/u);
  });

  it("is sent again, once, where callbacks would have told", async () => {
    await hearCallbacks();
    await leaveBehind("dispatch", keyed);
    expect((await postEvent(calm, shop, anEvent, keyed)).json).toMatchObject({ chat: "sent", recipients_sent: 25 });
    expect(sentTo()).toEqual(phones);
    expect(await outcomes()).toEqual({ "sent 2": 20, "sent 1": 5 });
    const attempts = sends().map((send) => send.biz_opaque_callback_data);
    expect(new Set(attempts).size).toBe(25);
  });

  it("waits after a refusal as long as its binding lets it, as if its own gateway had sent it", async () => {
    const schedule = { expiresSeconds: 60, cancelOn: { events: ["order.paid"], by: "customer.first_name" } };
    await database.sql`update binding set schedule = ${JSON.stringify(schedule)}::text::json where id = ${shop.bindingId}`;
    await leaveBehind("settle", keyed);
    platform.script((_, response) => refuse(response, 400, 131064));
    expect((await postEvent(calm, shop, anEvent, keyed)).json).toMatchObject({ chat: "failed" });
    expect(
      await database.sql`
        select distinct cancel_key is not null as cancels, extract(epoch from expires_at - uuid_time(event_id))::integer as seconds
        from waiting_message where site_id = ${shop.siteId}`,
    ).toEqual([{ cancels: true, seconds: 60 }]);
  });

  it("is not sent a third time", async () => {
    await hearCallbacks();
    await leaveBehind("dispatch", keyed);
    await database.sql`update notification set attempt = 2 where site_id = ${shop.siteId} and status = 'sending'`;
    expect((await postEvent(calm, shop, anEvent, keyed)).json).toMatchObject({ chat: "partial", recipients_sent: 5 });
    expect(await outcomes()).toEqual({ "interrupted 2": 20, "sent 1": 5 });
  });

  it("waits for the platform's word on what was under way, and sends the rest meanwhile", async () => {
    await hearCallbacks();
    await leaveBehind("dispatch", keyed);
    await using patient = await openGateway(database.url, platform.url, {}, { sweepMs: never, duplicateWaitMs: 400 });
    const told = await postEvent(patient, shop, anEvent, keyed);
    expect(told).toMatchObject({ status: 503, json: { error: "Still in progress" } });
    await expect.poll(outcomes).toEqual({ "sending 1": 20, "sent 1": 5 });
    // Releases the event, so that the next gateway that looks takes it.
    const soon = async () => database.sql`
      select from event_due where site_id = ${shop.siteId} and due_at < now() + interval '2 seconds'`;
    await expect.poll(soon).toHaveLength(1);
    expect(sentTo()).toEqual(phones.slice(20));
  });

  it("goes on in waves", async () => {
    const many = Array.from({ length: 30 }, (_, i) => `+1555700${String(i).padStart(4, "0")}`);
    shop = await openShop(database.sql, { recipient: { strategy: "site_recipients" }, phones: [...phones, ...many] });
    await hearCallbacks();
    await leaveBehind("dispatch", keyed);
    expect((await postEvent(calm, shop, anEvent, keyed)).json).toMatchObject({ chat: "sent", recipients_sent: 55 });
    expect(await outcomes()).toEqual({ "sent 2": 20, "sent 1": 35 });
  });

  it("sends nothing to somebody who has opted out since", async () => {
    await leaveBehind("settle", keyed);
    const word = { phone: phones[22] ?? "", scope: "all", source: "operator", code: null, active: true, at: new Date() } as const;
    await recordOptOuts(database.sql, vault, shop.accountId, [word]);
    expect((await postEvent(calm, shop, anEvent, keyed)).json).toMatchObject({ recipients_sent: 4, recipients_failed: 21 });
    expect((await rows())[22]).toMatchObject({ status: "failed", error_code: "recipient_opted_out" });
    expect(sentTo()).not.toContain(phones[22]);
  });

  it("whose account is no longer connected says so", async () => {
    await leaveBehind("settle", keyed);
    await database.sql`delete from platform_account where account_id = ${shop.accountId}`;
    expect((await postEvent(calm, shop, anEvent, keyed)).json).toMatchObject({ chat: "failed", recipients_failed: 25 });
    expect((await rows()).slice(20).map(({ error_code, error_reason }) => [error_code, error_reason])).toEqual(
      Array(5).fill(["interrupted", "WhatsApp is no longer connected. Connect it under Settings › WhatsApp. Then resend."]),
    );
  });

  it("whose site is gone by now sends nothing more", async () => {
    await leaveBehind("settle", keyed);
    await database.sql`update site set deleted_at = now() where id = ${shop.siteId}`;
    await using _sweeping = await openGateway(database.url, platform.url, { inDoubtSeconds: 0 }, { sweepMs: 20 });
    await expect.poll(outcomes, { timeout: 20_000 }).toEqual({ "interrupted 1": 25 });
    expect((await rows()).slice(20).map(({ error_reason }) => error_reason)).toEqual(
      Array<string>(5).fill("The site was deleted before this message could be sent."),
    );
    expect(sends()).toHaveLength(20);
  });
});

it("an event without a key is closed, also one that waits for word, and nothing of it is sent", async () => {
  const id = await leaveBehind("settle");
  await using _sweeping = await openGateway(database.url, platform.url, { inDoubtSeconds: 600 }, { sweepMs: 20 });
  await expect.poll(outcomes, { timeout: 20_000 }).toEqual({ "interrupted 1": 25 });
  const finished = async () => database.sql`
    select chat, recipients_sent, recipients_failed from event e where id = ${id} and not exists (select from event_due d where d.id = e.id)`;
  await expect.poll(finished).toEqual([{ chat: "failed", recipients_sent: 0, recipients_failed: 25 }]);
  expect(sends()).toHaveLength(20);
});

it("more events than are taken at once are all finished", async () => {
  shop = await openShop(database.sql);
  const onStep = (at: string): void => {
    if (at === "dispatch") throw new Error("ends here");
  };
  {
    await using doomed = await openGateway(database.url, platform.url, {}, { sweepMs: never }, onStep);
    await Promise.all(Array.from({ length: 45 }, async () => postEvent(doomed, shop)));
  }
  // One look must do: a second one would come too late for this test.
  await using _sweeping = await openGateway(database.url, platform.url, {}, { sweepMs: 300 });
  await expect.poll(outcomes, { timeout: 20_000 }).toEqual({ "interrupted 1": 45 });
});
