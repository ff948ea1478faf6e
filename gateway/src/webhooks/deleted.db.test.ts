import { expect, it, vi } from "vitest";
import { gatewayWorld } from "../../../test/support/gateway-world.ts";
import { openShop } from "../../../test/support/gateway.ts";
import { addWebhook } from "../../../test/support/receiver.ts";
import { anEvent, postEvent, postStatus } from "../../../test/support/requests.ts";

const world = gatewayWorld({ dueMs: 20 });
const soon = { timeout: 20_000, interval: 10 };

it("an endpoint that is being deleted costs nobody an answer and holds up no phone: neither events nor the queue nor callbacks wait", async () => {
  const { sql, gateway, platform } = world;
  const shop = await openShop(sql);
  const failing = await openShop(sql, { accountId: shop.accountId });
  await sql`update template set status = 'paused' where id = ${failing.templateId}`;
  for (const site of [shop, failing]) await addWebhook(sql, site, { url: "https://shop.example/hook" });
  const statuses = async () =>
    (await sql`select status from notification where site_id = ${shop.siteId} order by id`).map(({ status }) => String(status));
  await sql.begin(async (deletion) => {
    await deletion`delete from webhook where account_id = ${shop.accountId}`;
    expect((await postEvent(gateway, shop)).json).toMatchObject({ chat: "sent" });
    expect((await postEvent(gateway, failing)).json).toMatchObject({ chat: "failed" });
    // The second of these goes to the same phone, once the first is recorded.
    for (const expected of [
      ["sent", "sent"],
      ["sent", "sent", "sent"],
    ]) {
      await postEvent(gateway, shop, anEvent, { headers: { Prefer: "respond-async" } });
      await vi.waitFor(async () => expect(await statuses()).toEqual(expected), soon);
    }
    const [send] = platform.sends;
    expect(send && (await postStatus(gateway, shop, send.body, "delivered", "wamid.x")).status).toBe(200);
  });
  expect(await statuses()).toEqual(["delivered", "sent", "sent"]);
  expect(await sql`select from webhook_delivery where site_id in (${shop.siteId}, ${failing.siteId})`).toHaveLength(0);
});
