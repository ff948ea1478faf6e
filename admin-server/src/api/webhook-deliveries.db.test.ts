import { newId } from "shared/db/ids";
import { expect, test } from "vitest";
import { insertEvent, insertNotification } from "../../../test/support/admin-shops.ts";
import { openResources } from "../../../test/support/admin.ts";
import { shared } from "../../../test/support/shared.ts";

const resources = shared(async () => openResources());

const ada = "+491701234567";

/** An account with an endpoint that was told of two messages. */
async function openToldAccount() {
  const account = await resources.account();
  const { accountId, api } = account;
  const { site } = await api.sites.create({ name: "Shop", url: "https://shop.example", sourceType: "generic" });
  const { webhook } = await api.webhooks.create({ siteId: site.id, url: "https://shop.example/hooks", types: ["message.sent"] });
  const eventId = await insertEvent(resources.sql, site.id);
  const tell = async () => {
    const message = await insertNotification(
      resources.sql,
      { accountId, siteId: site.id, eventId },
      { to_phone: ada, wa_message_id: "wamid.1" },
    );
    const id = newId();
    await resources.sql`
      insert into webhook_delivery (id, webhook_id, type, site_id, event_id, notification_id, occurred_at)
      values (${id}, ${webhook.id}, 'message.sent', ${site.id}, ${eventId}, ${message}, '2026-11-23T10:15:30Z')`;
    return { id, message };
  };
  return { ...account, siteId: site.id, webhookId: webhook.id, eventId, told: [await tell(), await tell()] as const };
}

test("deliveries are listed by the message or the event that they tell of, to its account alone", async () => {
  const { api, told, eventId, siteId } = await openToldAccount();
  const [{ id, message: notificationId }] = told;
  expect((await api.webhookDeliveries.list({ notificationId })).items).toMatchObject([{ id, type: "message.sent" }]);
  expect((await api.webhookDeliveries.list({ notificationId, status: "failed" })).items).toEqual([]);
  const all = await api.webhookDeliveries.list();
  expect(all.items).toHaveLength(2);
  expect(await api.webhookDeliveries.list({ eventId })).toEqual(all);
  expect((await api.webhookDeliveries.list({ eventId: await insertEvent(resources.sql, siteId) })).items).toEqual([]);
  const { api: stranger } = await resources.account();
  for (const filter of [{ notificationId }, { eventId }]) expect((await stranger.webhookDeliveries.list(filter)).items).toEqual([]);
});

test("a delivery shows what it tells while that is kept", async () => {
  const { api, siteId, webhookId, eventId, told } = await openToldAccount();
  const [{ id, message }] = told;
  const bodyOf = async (of: string) => (await api.webhookDeliveries.get({ id: of })).delivery.body;
  const { binding_id, template } = (await resources.sql`select binding_id, template from notification where id = ${message}`)[0] ?? {};
  expect(JSON.parse((await bodyOf(id)) ?? "")).toEqual({
    type: "message.sent",
    event_id: eventId,
    site_id: siteId,
    binding_id,
    template,
    to_phone: ada,
    wa_message_id: "wamid.1",
    status: "sent",
    occurred_at: "2026-11-23T10:15:30.000Z",
  });
  await resources.sql`update notification set to_phone = '•••67' where id = ${message}`;
  expect(await bodyOf(id)).toBeNull();

  const { delivery } = await api.webhooks.test({ id: webhookId, type: "message.received" });
  expect(JSON.parse((await bodyOf(delivery.id)) ?? "")).toMatchObject({ type: "message.received", text: "Hello" });
  await resources.sql`update webhook_delivery set payload = null where id = ${delivery.id}`;
  expect(await bodyOf(delivery.id)).toBeNull();
});
