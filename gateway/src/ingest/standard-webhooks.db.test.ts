import { signBody } from "shared/secrets/signature";
import { Webhook } from "standardwebhooks";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { testDatabase } from "../../../test/support/database.ts";
import { openGateway, openShop, type Shop } from "../../../test/support/gateway.ts";
import { startScriptedPlatform } from "../../../test/support/platform.ts";
import { anEvent, postEvent, type Posted, type PostOptions } from "../../../test/support/requests.ts";
import { shared } from "../../../test/support/shared.ts";

const database = shared(async () => testDatabase());
const platform = shared(async () => startScriptedPlatform());
const gateway = shared(async () => openGateway(database.url, platform.url));
let shop: Shop;
let made = 0;

beforeAll(async () => {
  shop = await openShop(database.sql);
});
beforeEach(() => void platform.sends.splice(0));

const newId = (): string => `msg_${(made += 1)}`;

interface Signed {
  id: string;
  /** The signed text. */
  body: string;
  at?: Date;
  secret?: string;
}

const headersOf = ({ id, body, at = new Date(), secret = shop.secret }: Signed): Record<string, string | null> => ({
  "X-Service-Signature": null,
  "X-Service-Timestamp": null,
  "webhook-id": id,
  "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
  "webhook-signature": new Webhook(secret, { format: "raw" }).sign(id, at, body),
});

const text = JSON.stringify(anEvent);

/** Posts a request that the library has signed; `changes` come on top of its headers. */
const post = async (signed: Partial<Signed> = {}, options: PostOptions = {}, sent = signed.body ?? text): Promise<Posted> => {
  const headers = { ...headersOf({ id: newId(), body: text, ...signed }), ...options.headers };
  return postEvent(gateway, shop, sent, { ...options, headers });
};
const secondsAgo = (seconds: number): Date => new Date(Date.now() - seconds * 1000);
const answer = ({ status, json }: Posted) => [status, json["error"] ?? json["chat"]];

describe("an event signed as Standard Webhooks say", () => {
  it("is taken as any other", async () => {
    expect(answer(await post())).toEqual([200, "sent"]);
    expect(platform.sends).toHaveLength(1);
  });

  it("may hold several signatures, of other versions too", async () => {
    const id = newId();
    const { "webhook-signature": right } = headersOf({ id, body: text });
    expect(answer(await post({ id }, { headers: { "webhook-signature": `v1,AAAA v1a,BBBB ${right ?? ""}` } }))).toEqual([200, "sent"]);
  });

  it.each([
    ["another body", {}, {}, text.replace("Ada", "Eve")],
    ["another id", {}, { "webhook-id": "msg_other" }, text],
    ["another time", {}, { "webhook-timestamp": String(Math.floor(Date.now() / 1000) - 1) }, text],
    ["no time", {}, { "webhook-timestamp": null }, text, "Missing webhook-timestamp"],
    ["no id", {}, { "webhook-id": null }, text, "Missing webhook-id"],
    ["another secret", { secret: "whs_other" }, {}, text],
    ["no known version", {}, { "webhook-signature": "v2,AAAA" }, text],
    ["a wrong old signature beside it", {}, { "X-Service-Signature": `sha256=${"0".repeat(64)}` }, text],
  ])("is refused with %s", async (_, signed, headers: Record<string, string | null>, sent, why = "Invalid signature") => {
    expect(answer(await post(signed, { headers }, sent))).toEqual([401, why]);
    expect(platform.sends).toEqual([]);
  });

  it("needs every signature that stands there to be right", async () => {
    const old = { "X-Service-Signature": signBody(shop.secret, Buffer.from(text)) };
    expect(answer(await post({}, { headers: { ...old, "webhook-signature": "v1,AAAA" } }))).toEqual([401, "Invalid signature"]);
    expect(answer(await post({}, { headers: old }))).toEqual([200, "sent"]);
  });

  it("is refused 5 minutes off, whatever an unsigned timestamp says", async () => {
    const now = String(Math.floor(Date.now() / 1000));
    expect(answer(await post({ at: secondsAgo(302) }, { headers: { "X-Service-Timestamp": now } }))).toEqual([401, "Stale timestamp"]);
    expect(answer(await post({ at: secondsAgo(-310) }))).toEqual([401, "Stale timestamp"]);
    expect(answer(await post({ at: secondsAgo(290) }))).toEqual([200, "sent"]);
  });

  it("satisfies a site that requires a timestamp", async () => {
    await database.sql`update site set require_timestamp = true where id = ${shop.siteId}`;
    expect(answer(await post())).toEqual([200, "sent"]);
    await database.sql`update site set require_timestamp = false where id = ${shop.siteId}`;
  });
});

describe("a captured request", () => {
  it("can be repeated for its answer, and not sent again, whatever key is put beside it", async () => {
    const signed = { id: newId(), body: text };
    const first = await post(signed);
    const again = await post(signed, { headers: { "X-Service-Idempotency-Key": "fresh" } });
    expect([again.status, again.body, again.headers.get("x-service-idempotent-replay")]).toEqual([200, first.body, "true"]);
    expect(platform.sends).toHaveLength(1);
  });

  it("cannot become another event, another mode or another body, not even at the same moment", async () => {
    const signed = { id: newId(), body: text };
    const posted = await Promise.all(
      ["order.created", "order.paid", "order.shipped", "cart.updated"].map(async (event) => post(signed, { event })),
    );
    expect(posted.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const one of posted.filter(({ status }) => status !== 200)) expect(answer(one)).toEqual([409, "Id already used"]);
    const dry = { id: newId(), body: text };
    expect((await post(dry, { headers: { "X-Service-Mode": "test" } })).status).toBe(200);
    platform.sends.splice(0);
    expect(answer(await post(dry))).toEqual([409, "Id already used"]);
    expect((await post(dry, { headers: { "X-Service-Mode": "test" } })).headers.get("x-service-idempotent-replay")).toBe("true");
    expect(answer(await post({ ...dry, body: text.replace("Ada", "Bea") }, { headers: { "X-Service-Mode": "test" } }))).toEqual([
      409,
      "Id already used",
    ]);
    expect(platform.sends).toEqual([]);
  });

  it("counts for as long as its timestamp does, and a retry with a new timestamp is the same event", async () => {
    const signed = { id: newId(), body: text, at: secondsAgo(-200) };
    await post(signed);
    const [row] =
      await database.sql`select extract(epoch from expires_at - now())::integer as left from idempotency where key = ${signed.id}`;
    expect(row?.["left"]).toBeGreaterThan(480);
    expect(row?.["left"]).toBeLessThanOrEqual(500);
    expect((await post({ id: signed.id, body: text })).headers.get("x-service-idempotent-replay")).toBe("true");
    await database.sql`update idempotency set expires_at = now() where key = ${signed.id}`;
    expect((await post({ id: signed.id, body: text })).headers.get("x-service-idempotent-replay")).toBeNull();
  });
});

describe("an id and a key", () => {
  it("do not meet", async () => {
    const id = newId();
    await postEvent(gateway, shop, anEvent, { event: "order.paid", headers: { "X-Service-Idempotency-Key": id } });
    expect((await post({ id })).status).toBe(200);
  });

  it("an id that is no key is refused", async () => {
    expect(answer(await post({ id: "x".repeat(256) }))).toEqual([400, "Invalid idempotency key"]);
  });
});

describe("a site that requires a signed timestamp", () => {
  it("refuses the old signature alone", async () => {
    await database.sql`update site set require_signed_timestamp = true where id = ${shop.siteId}`;
    expect(answer(await postEvent(gateway, shop))).toEqual([401, "Signed timestamp required"]);
    expect(answer(await postEvent(gateway, shop, anEvent, { headers: { "X-Service-Signature": "sha256=x" } }))).toEqual([
      401,
      "Invalid signature",
    ]);
    expect(answer(await post())).toEqual([200, "sent"]);
    await database.sql`update site set require_signed_timestamp = false where id = ${shop.siteId}`;
  });
});
