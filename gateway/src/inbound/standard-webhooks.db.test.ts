import { describe, expect, it, vi } from "vitest";
import { data } from "../../../test/support/data.ts";
import { gatewayWorld } from "../../../test/support/gateway-world.ts";
import { openPostingShop, type PostingShop, postShop, sentBy } from "../../../test/support/shop-requests.ts";

const world = gatewayWorld({ dueMs: 20 });

const soon = { timeout: 10_000, interval: 10 };
const accepted = (event: string) => ({ ok: true, event_id: expect.any(String) as string, event, chat: "accepted" });
const eventsOf = ({ siteId }: PostingShop) => world.sql<{ id: string }[]>`select id from event where site_id = ${siteId} order by id`;
const sent = (shop: PostingShop) => sentBy(world.platform, shop);

describe("what a program posts by Standard Webhooks", () => {
  const body = (more: object) => JSON.stringify({ customer: { first_name: "Ada", phone_e164: "+15551230001" }, order: { id: 7 }, ...more });

  it.each(data<[{ type?: string; event?: string }, string][]>("gateway-inbound-standard-webhooks", "j is the event s, stored as it came"))(
    "%j is the event %s, stored as it came",
    async (named, event) => {
      const shop = await openPostingShop(world.sql, "generic");
      const text = body(named);
      const posted = await postShop(world.gateway, shop, text);
      expect([posted.status, posted.json]).toEqual([200, accepted(event)]);
      await vi.waitFor(() => expect(sent(shop)).toEqual([["+15551230001", "Ada", "7"]]), soon);
      const [row] = await world.sql`select payload from event_payload where id = ${String(posted.json["event_id"])}`;
      expect(row?.["payload"]).toBe(text);
    },
  );

  it("a phone as people type it is dropped, unless the site says otherwise", async () => {
    const shop = await openPostingShop(world.sql, "generic", { country: "US" });
    const text = JSON.stringify({ type: "order.created", customer: { phone: "(415) 555-0123" } });
    expect((await postShop(world.gateway, shop, text)).json["chat"]).toBe("skipped_no_phone");
    await world.sql`update site set normalize_phones = 'shop' where id = ${shop.siteId}`;
    expect((await postShop(world.gateway, shop, text)).json["chat"]).toBe("accepted");
  });

  it("a repeated id gets the original's answer, and never becomes another event", async () => {
    const shop = await openPostingShop(world.sql, "generic");
    const first = await postShop(world.gateway, shop, body({ type: "order.created" }), { id: "msg_1" });
    const again = await postShop(world.gateway, shop, body({ type: "order.created" }), { id: "msg_1" });
    expect([again.status, again.body]).toEqual([200, first.body]);
    const other = await postShop(world.gateway, shop, body({ type: "order.paid" }), { id: "msg_1" });
    expect([other.status, other.json]).toEqual([409, { error: "Id already used" }]);
    expect(await eventsOf(shop)).toHaveLength(1);
  });

  it.each(data<[{ id?: string; type?: string | number }, number, string][]>("gateway-inbound-standard-webhooks", "j is refused"))(
    "%j is refused",
    async (named, status, error) => {
      const shop = await openPostingShop(world.sql, "generic");
      const posted = await postShop(world.gateway, shop, body(named));
      expect([posted.status, posted.json]).toEqual([status, { error }]);
    },
  );

  it("a timestamp may be 300 s off", async () => {
    const shop = await openPostingShop(world.sql, "generic");
    const post = async (seconds: number) =>
      postShop(world.gateway, shop, body({ type: "order.created" }), { at: new Date(Date.now() + seconds * 1000) });
    expect((await post(-295)).status).toBe(200);
    for (const seconds of [-310, 310]) {
      const posted = await post(seconds);
      expect([posted.status, posted.json]).toEqual([401, { error: "Stale timestamp" }]);
    }
  });
});
