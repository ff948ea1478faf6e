import { placeIn, secretPlace } from "shared/secrets/vault";
import { beforeAll, describe, expect, it } from "vitest";
import { data } from "../../../test/support/data.ts";
import { testDatabase } from "../../../test/support/database.ts";
import { openGateway, openShop, type Shop, vault } from "../../../test/support/gateway.ts";
import { refuse, startScriptedPlatform } from "../../../test/support/platform.ts";
import { anEvent, postEvent } from "../../../test/support/requests.ts";
import { shared } from "../../../test/support/shared.ts";

const database = shared(async () => testDatabase());
const platform = shared(async () => startScriptedPlatform());
const gateway = shared(async () => openGateway(database.url, platform.url));
let shop: Shop;

beforeAll(async () => {
  shop = await openShop(database.sql);
});

describe("an event", () => {
  it("becomes a message and an answer", async () => {
    const posted = await postEvent(gateway, shop);
    expect(posted.json).toEqual({
      ok: true,
      event: "order.created",
      event_id: expect.any(String),
      order_id: expect.any(String),
      chat: "sent",
      bindings_run: 1,
      recipients_sent: 1,
      recipients_failed: 0,
    });
    expect(posted.status).toBe(200);
    const [send] = platform.sends.splice(0);
    expect(send?.body).toMatchObject(data<object>("gateway-ingest-ingest", "becomes a message and an"));
    const rows =
      await database.sql`select status, wa_message_id, error_code, sent_at from notification where event_id = ${String(posted.json["event_id"])}`;
    expect(rows).toMatchObject([
      { status: "sent", wa_message_id: expect.stringContaining("wamid"), error_code: null, sent_at: expect.any(Date) },
    ]);
    const events =
      await database.sql`select payload, chat from event join event_payload using (site_id, id) where id = ${String(posted.json["event_id"])}`;
    expect(events).toMatchObject([{ payload: JSON.stringify(anEvent), chat: "sent" }]);
  });

  it("keeps one order row for all events of an order", async () => {
    const first = await postEvent(gateway, shop);
    const second = await postEvent(gateway, shop, { ...anEvent, order: { id: "10042", status: "paid" } });
    expect(second.json["order_id"]).toBe(first.json["order_id"]);
    const byNumber = await postEvent(gateway, shop, { ...anEvent, order: { number: "10042" } });
    expect(byNumber.json["order_id"]).not.toBe(first.json["order_id"]);
    expect((await postEvent(gateway, shop, { customer: anEvent.customer })).json["order_id"]).toBeNull();
  });

  it("says why nothing is sent", async () => {
    const bare = await openShop(database.sql, { platform: null });
    expect((await postEvent(gateway, shop, anEvent, { event: "order.unknown" })).json).toMatchObject({
      chat: "no_bindings",
      bindings_run: 0,
    });
    expect((await postEvent(gateway, bare)).json).toMatchObject(data<object>("gateway-ingest-ingest", "says why nothing is sent"));
    const nobody = await postEvent(gateway, shop, { customer: { phone_e164: "0151" } });
    expect(nobody.json).toMatchObject({ chat: "skipped_no_phone", bindings_run: 1 });
    const rows =
      await database.sql`select unreached from event where site_id in (${shop.siteId}, ${bare.siteId}) and unreached is not null`;
    expect(rows).toEqual([{ unreached: "no_country customer.phone_e164" }]);
  });

  it("reports a refusal of the platform without failing the request", async () => {
    platform.script((_, response) => refuse(response, 400, 131026, "Message undeliverable."));
    const posted = await postEvent(gateway, shop);
    platform.script(() => "wamid.again");
    expect(posted.json).toMatchObject({ chat: "failed", recipients_sent: 0, recipients_failed: 1 });
    const rows =
      await database.sql`select status, local_failure, error_code, error_reason from notification where event_id = ${String(posted.json["event_id"])}`;
    expect(rows).toMatchObject([
      { status: "failed", local_failure: false, error_code: "131026", error_reason: expect.stringContaining("Message undeliverable.") },
    ]);
  });

  it("previews in a dry run, sends nothing and changes no order", async () => {
    const before = await database.sql`select count(*)::integer as n from customer_order`;
    platform.sends.splice(0);
    const posted = await postEvent(gateway, shop, { ...anEvent, order: { id: "dry" } }, { headers: { "X-Service-Mode": "TEST" } });
    expect(posted.json).toEqual({
      ok: true,
      event: "order.created",
      event_id: expect.any(String),
      chat: "sent",
      bindings_run: 1,
      dry_run: true,
      previews: [
        {
          binding_id: shop.bindingId,
          template: expect.any(String),
          language: "en_US",
          recipients: ["+15551230001"],
          slots: { header: [], body: ["Ada", "dry"], buttonUrl: [] },
          resolved: true,
        },
      ],
    });
    expect(platform.sends).toEqual([]);
    expect(await database.sql`select count(*)::integer as n from customer_order`).toEqual(before);
  });
});

describe("an idempotency key", () => {
  const keyed = { headers: { "X-Service-Idempotency-Key": "key-1" } };

  it("keeps live and dry runs, events and sites apart", async () => {
    const other = await openShop(database.sql);
    const answers = await Promise.all([
      postEvent(gateway, shop, anEvent, { headers: { ...keyed.headers, "X-Service-Mode": "test" } }),
      postEvent(gateway, shop, anEvent, { ...keyed, event: "order.shipped" }),
      postEvent(gateway, other, anEvent, keyed),
    ]);
    expect(answers.map(({ headers }) => headers.get("x-service-idempotent-replay"))).toEqual([null, null, null]);
  });

  it.each(data<[null | number, number][]>("gateway-ingest-ingest", "counts as long as its site says, and no longer than the log"))(
    "counts as long as its site says, and no longer than the log is kept: %s hours",
    async (hours, seconds) => {
      const mine = await openShop(database.sql);
      await database.sql`update site set idempotency_hours = ${hours} where id = ${mine.siteId}`;
      if (hours === 168)
        await database.sql`update account set log_days = 1 where id = (select account_id from site where id = ${mine.siteId})`;
      const original = await postEvent(gateway, mine, anEvent, { headers: { "X-Service-Idempotency-Key": "key-long" } });
      const [row] = await database.sql<{ right: boolean }[]>`
      select expires_at between now() + make_interval(secs => ${seconds - 60}) and now() + make_interval(secs => ${seconds}) as right
      from idempotency where site_id = ${mine.siteId}`;
      expect(row?.right).toBe(true);
      expect((await postEvent(gateway, mine, anEvent, { headers: { "X-Service-Idempotency-Key": "key-long" } })).body).toBe(original.body);
    },
  );

  it("ends five minutes after the original's arrival", async () => {
    const key = { headers: { "X-Service-Idempotency-Key": "key-old" } };
    const original = await postEvent(gateway, shop, anEvent, key);
    await database.sql`update idempotency set expires_at = now() where key = 'key-old'`;
    const later = await postEvent(gateway, shop, anEvent, key);
    expect(later.json["event_id"]).not.toBe(original.json["event_id"]);
    expect((await postEvent(gateway, shop, anEvent, key)).body).toBe(later.body);
  });
});

describe("a change of configuration", () => {
  it("takes effect at once, although the gateway has the site in its cache", async () => {
    const mine = await openShop(database.sql);
    expect((await postEvent(gateway, mine)).json["chat"]).toBe("sent");
    await database.sql`update binding set enabled = false where id = ${mine.bindingId}`;
    expect((await postEvent(gateway, mine)).json["chat"]).toBe("no_bindings");
    await database.sql`update binding set enabled = true where id = ${mine.bindingId}`;
    await database.sql`update template set status = 'paused' where id = ${mine.templateId}`;
    expect((await postEvent(gateway, mine)).json["chat"]).toBe("failed");
    await database.sql`update site set enabled = false where id = ${mine.siteId}`;
    expect(await postEvent(gateway, mine)).toMatchObject({ status: 403, json: { error: "Site is disabled" } });
    expect(await postEvent(gateway, mine, "not json")).toMatchObject({ status: 403 });
    await database.sql`update site set enabled = true, deleted_at = now() where id = ${mine.siteId}`;
    expect(await postEvent(gateway, mine)).toMatchObject({ status: 401, json: { error: "Invalid site key" } });
  });

  it("a binding that moves to another site leaves the first at once", async () => {
    const [from, to] = [await openShop(database.sql), await openShop(database.sql)];
    expect((await postEvent(gateway, from)).json["bindings_run"]).toBe(1);
    await database.sql`update binding set site_id = ${to.siteId} where id = ${from.bindingId}`;
    expect((await postEvent(gateway, from)).json["chat"]).toBe("no_bindings");
    expect((await postEvent(gateway, to)).json["bindings_run"]).toBe(2);
  });

  it("costs a request no second place in its site's limit", async () => {
    const mine = await openShop(database.sql);
    await database.sql`update site set rate_limit_per_second = 1 where id = ${mine.siteId}`;
    expect((await postEvent(gateway, mine)).status).toBe(200);
    await database.sql`delete from site_rate where site_id = ${mine.siteId}`;
    await database.sql`update site set name = 'Renamed' where id = ${mine.siteId}`;
    expect((await postEvent(gateway, mine)).status).toBe(200);
  });

  it("a new secret works and the old one ends, at once", async () => {
    const mine = await openShop(database.sql);
    expect((await postEvent(gateway, mine)).status).toBe(200);
    await database.sql`update site_secret set secret = ${vault.seal("another secret", secretPlace(mine.accountId, mine.secretId))} where site_id = ${mine.siteId} and secret is not null`;
    expect(await postEvent(gateway, mine)).toMatchObject({ status: 401, json: { error: "Invalid signature" } });
    expect((await postEvent(gateway, { key: mine.key, secret: "another secret" })).status).toBe(200);
    await database.sql`update site_secret set secret = ${vault.seal("a third one", secretPlace(mine.accountId, mine.secretId))} where site_id = ${mine.siteId} and secret is not null`;
    expect((await postEvent(gateway, { key: mine.key, secret: "a third one" })).status).toBe(200);
  });
});

describe("a stored secret that cannot be read", () => {
  it.each([
    [
      "webhook secret",
      async ({ siteId }: Shop) =>
        database.sql`update site_secret set secret = 'v1.broken' where site_id = ${siteId} and secret is not null`,
    ],
    [
      "webhook secret of another site",
      async ({ siteId }: Shop) => {
        const other = await openShop(database.sql);
        await database.sql`
          update site_secret set secret = (select secret from site_secret where id = ${other.secretId})
          where site_id = ${siteId} and secret is not null`;
      },
    ],
    [
      "access token",
      async ({ accountId }: Shop) => database.sql`update platform_account set access_token = 'v1.broken' where account_id = ${accountId}`,
    ],
  ])("(%s) stops its own site and no other, until it is entered again", async (_, damage) => {
    const [broken, sound] = [await openShop(database.sql), await openShop(database.sql)];
    await damage(broken);
    // Both are loaded by one statement.
    const [refused, taken] = await Promise.all([postEvent(gateway, broken), postEvent(gateway, sound)]);
    expect([taken.status, taken.json["chat"]]).toEqual([200, "sent"]);
    expect([refused.status, refused.json, refused.headers.get("retry-after")]).toEqual([503, { error: "Site secret unreadable" }, "60"]);
    const secret = vault.seal(broken.secret, secretPlace(broken.accountId, broken.secretId));
    await database.sql`update site_secret set secret = ${secret} where site_id = ${broken.siteId} and secret is not null`;
    const accessToken = vault.seal("TOKEN", placeIn("platform_account.access_token", broken.accountId));
    await database.sql`update platform_account set access_token = ${accessToken} where account_id = ${broken.accountId}`;
    expect((await postEvent(gateway, broken)).json["chat"]).toBe("sent");
  });
});
