import { createHash } from "node:crypto";
import { explainRefused, isRefusedBecause, refusedWords } from "shared/core/refused";
import { newId } from "shared/db/ids";
import { addRefusedRequests, deleteRefusedRequests, listRefusedRequests, type RefusedRequestRow } from "shared/db/refused-request";
import { signBody } from "shared/secrets/signature";
import { expect, it, test, vi } from "vitest";
import { gatewayWorld } from "../../../test/support/gateway-world.ts";
import { openShop, type Shop } from "../../../test/support/gateway.ts";
import { anEvent, postEvent, type PostOptions } from "../../../test/support/requests.ts";
import { openPostingShop, postShop, shopHeaders } from "../../../test/support/shop-requests.ts";
import { errorResponse } from "../http/answer.ts";
import { RequestRefused } from "../refusal.ts";

const world = gatewayWorld({ notesMs: 20 });

const soon = { timeout: 20_000, interval: 50 };
const listed = async ({ siteId }: Shop) => await listRefusedRequests(world.sql, siteId, { before: null, limit: 2000 });
const untilListed = async (shop: Shop, count: number) => {
  await vi.waitFor(async () => expect(await listed(shop)).toHaveLength(count), soon);
  return await listed(shop);
};
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const wrong = `sha256=${"0".repeat(64)}`;

test("the words name the answer's status, for every refusal that is a sender's own", () => {
  for (const [name, { status }] of Object.entries(refusedWords)) {
    expect(isRefusedBecause(name)).toBe(true);
    expect([name, errorResponse(new RequestRefused(name as keyof typeof refusedWords)).status]).toEqual([name, status]);
  }
  for (const name of ["toString", "full", "internal", "invalid_site_key"]) expect(isRefusedBecause(name)).toBe(false);
});

test("of the headers of Standard Webhooks the one that is missing is named", () => {
  const all = { "webhook-id": "1", "webhook-timestamp": "1", "webhook-signature": "v1,abc… (47 characters)" };
  const textOf = (headers: Record<string, string>) => explainRefused("invalid_signature", "generic", headers, ["webhook_secret"]).text;
  for (const name of Object.keys(all)) expect(textOf({ ...all, [name]: " " })).toMatch(new RegExp(`header ${name} is missing`));
  expect(textOf(all)).toContain("does not match");
  expect(textOf({ "webhook-id": "1", "x-service-signature": wrong })).toContain("does not match");
  expect(textOf({})).toContain("has no signature");
});

it.each<[string, PostOptions & { body?: unknown }, Partial<RefusedRequestRow>]>([
  [
    "a wrong signature",
    { headers: { "X-Service-Signature": wrong } },
    { because: "invalid_signature", sha256: sha256(JSON.stringify(anEvent)) },
  ],
  ["a signature without its id", { headers: { "webhook-signature": "v1,x" } }, { because: "invalid_signature" }],
  ["a stale timestamp", { headers: { "X-Service-Timestamp": "1" } }, { because: "stale_timestamp" }],
  ["a wrong type", { headers: { "Content-Type": "text/plain" } }, { because: "unsupported_content_type" }],
  ["broken JSON", { body: '{"a":' }, { because: "malformed_json", start: '{"a":', bytes: 5, sha256: sha256('{"a":') }],
  ["bytes that are no text", { body: Uint8Array.of(0, 255, 10) }, { because: "malformed_json", start: "·\ufffd·", bytes: 3 }],
  ["a list", { body: "[]" }, { because: "not_an_object", start: "[]" }],
  ["a bad name", { event: "Bad!" }, { because: "invalid_event_name", event: "Bad!" }],
  ["a bad mode", { headers: { "X-Service-Mode": "tset" } }, { because: "invalid_mode" }],
])(
  "%s is listed with what helps, and with nothing that lets the request be made again",
  async (_, { body = anEvent, ...options }, expected) => {
    const shop = await openShop(world.sql);
    const posted = await postEvent(world.gateway, shop, body, options);
    const [row] = await untilListed(shop, 1);
    expect(row).toMatchObject({ site_id: shop.siteId, event: "order.created", skipped: 0, ...expected });
    expect(posted.status).toBe(refusedWords[row?.because ?? "invalid_mode"].status);
    const told = JSON.stringify(row);
    const bytes = body instanceof Uint8Array ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    for (const secret of [shop.key, shop.secret, signBody(shop.secret, bytes).slice(0, 30)]) expect(told).not.toContain(secret);
    expect(row?.headers["x-service-signature"]).toMatch(/^sha256=.{5}… \(71 characters\)$/u);
  },
);

it("an id that was used for something else, and a shop's wrong signature, are listed too", async () => {
  const shop = await openShop(world.sql);
  const post = async (body: string) =>
    await postEvent(world.gateway, shop, body, {
      headers: shopHeaders({ sourceType: "generic", signingSecret: shop.secret }, body, { id }),
    });
  const id = `msg_${newId()}`;
  expect((await post(JSON.stringify(anEvent))).status).toBe(200);
  const second = JSON.stringify({ ...anEvent, order: { id: "another" } });
  expect((await post(second)).status).toBe(409);
  expect(await untilListed(shop, 1)).toMatchObject([{ because: "id_already_used", event: "order.created", sha256: sha256(second) }]);

  const posting = await openPostingShop(world.sql, "shopify");
  const delivery = await postShop(world.gateway, posting, '{"id":1}', { topic: "orders/create", secret: "another" });
  expect(delivery.status).toBe(401);
  expect(await untilListed(posting, 1)).toMatchObject([
    { because: "invalid_signature", event: "orders/create", headers: { "x-shopify-topic": "orders/create" }, start: '{"id":1}' },
  ]);
});

it("a body over the cap has neither start nor digest; a stranger's request is listed nowhere", async () => {
  const shop = await openShop(world.sql);
  const large = JSON.stringify({ text: "x".repeat(1_100_000) });
  expect((await postEvent(world.gateway, { ...shop, key: `${shop.key}x` }, anEvent)).status).toBe(401);
  // The body has no declared length, so that the key is looked at first.
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from(large));
      controller.close();
    },
  });
  const headers = { "content-type": "application/json", "x-service-site-key": shop.key };
  const answer = await fetch(`${world.gateway.url}/api/public/ingest/a/b`, {
    method: "POST",
    headers,
    body,
    duplex: "half",
  } as RequestInit);
  expect(answer.status).toBe(413);
  expect(await untilListed(shop, 1)).toMatchObject([{ because: "body_too_large", event: "b", bytes: null, sha256: null, start: null }]);
});

it("a flood is listed by ten at a time and by its number, and of each site the last thousand stay", async () => {
  const shop = await openShop(world.sql);
  const row = (id: string): RefusedRequestRow => ({
    site_id: shop.siteId,
    id,
    because: "invalid_mode",
    event: "e",
    headers: {},
    bytes: 1,
    sha256: "0",
    start: "x",
    skipped: 0,
  });
  const ids = Array.from({ length: 1_020 }, () => newId());
  await addRefusedRequests(world.sql, ids.map(row));
  expect((await listed(shop)).map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 1_000));
  await deleteRefusedRequests(world.sql, shop.siteId, null);

  const flood = async () =>
    await Promise.all(
      Array.from({ length: 30 }, () => postEvent(world.gateway, shop, anEvent, { headers: { "X-Service-Signature": wrong } })),
    );
  await flood();
  await vi.waitFor(async () => expect((await listed(shop)).length).toBeGreaterThanOrEqual(10), soon);
  await flood();
  await vi.waitFor(async () => {
    await postEvent(world.gateway, shop, anEvent, { headers: { "X-Service-Signature": wrong } });
    const rows = await listed(shop);
    expect(rows.length + rows.reduce((sum, { skipped }) => sum + skipped, 0)).toBeGreaterThanOrEqual(60);
    expect(rows.some(({ skipped }) => skipped > 0)).toBe(true);
  }, soon);
});

it("of a flood each kind is counted for itself: rubbish without a signature hides no wrong one", async () => {
  const shop = await openShop(world.sql);
  const post = (headers: Record<string, string | null>, event = "order.created") =>
    postEvent(world.gateway, shop, anEvent, { headers, event });
  await Promise.all([
    ...Array.from({ length: 25 }, () => post({ "X-Service-Signature": null })),
    ...Array.from({ length: 14 }, () => post({ "X-Service-Signature": wrong })),
    ...Array.from({ length: 3 }, () => post({}, "Bad!")),
  ]);
  const counted = async () => {
    const rows = await listed(shop);
    const count = (fits: (row: RefusedRequestRow) => boolean) => rows.filter(fits).reduce((sum, { skipped }) => sum + 1 + skipped, 0);
    return [
      count(({ because, headers }) => because === "invalid_signature" && headers["x-service-signature"] === undefined),
      count(({ because, headers }) => because === "invalid_signature" && headers["x-service-signature"] !== undefined),
      count(({ because }) => because === "invalid_event_name"),
    ];
  };
  await vi.waitFor(async () => expect(await counted()).toEqual([25, 14, 3]), soon);
});

it("an account that encrypts keeps nothing that may name a customer", async () => {
  const shop = await openShop(world.sql, { encrypted: true });
  const headers = { "X-Service-Signature": wrong, "X-Service-Idempotency-Key": "+491701234567" };
  await postEvent(world.gateway, shop, anEvent, { headers });
  const [row] = await untilListed(shop, 1);
  expect(row).toMatchObject({ start: null, sha256: sha256(JSON.stringify(anEvent)), headers: { "content-type": "application/json" } });
  expect(JSON.stringify(row)).not.toContain("+491701234567");
});
