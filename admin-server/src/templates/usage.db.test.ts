import { expect, test } from "vitest";
import { addSite, idAt, insertEvent, insertNotification, openBoundShop } from "../../../test/support/admin-shops.ts";
import { openResources } from "../../../test/support/admin.ts";
import { shared } from "../../../test/support/shared.ts";

const resources = shared(async () => openResources());

const dayMs = 86_400_000;

test("a template tells where it is used, and what became of its messages of the last 30 days", async () => {
  const { api, as, accountId, siteId, templateId, base } = await openBoundShop(resources);
  const other = await addSite(api);
  for (const event of ["order.shipped", "order.sent"]) await api.bindings.create({ ...base, event });
  await api.bindings.create({ ...base, siteId: other, enabled: false });
  const eventId = await insertEvent(resources.sql, siteId);
  const message = (
    status: string,
    { days = 1, readAfter = 0, template = "order_shipped", of = templateId, event = "order.shipped" } = {},
  ) => {
    const at = new Date(Date.now() - days * dayMs);
    return insertNotification(
      resources.sql,
      { accountId, siteId, eventId },
      {
        id: idAt(at.getTime()),
        template_id: of,
        template,
        event,
        status,
        ...(status !== "queued" && { sent_at: at }),
        ...(status === "read" && { read_at: new Date(at.getTime() + readAfter * 1000) }),
      },
    );
  };
  for (const readAfter of [10, 60, 600]) await message("read", { readAfter });
  await message("delivered", { event: "order.sent" });
  await message("sent");
  await message("failed");
  await resources.sql`update notification set sent_at = null where id = ${await message("failed")}`;
  await message("queued");
  await resources.sql`update notification set test = true where id = ${await message("read", { readAfter: 1 })}`;
  await message("read", { days: 31, readAfter: 1 });
  await message("read", { of: idAt(1), readAfter: 1 });
  const [use] = (await as("viewer").templates.usage({ ids: [templateId] })).items;
  expect(use).toEqual({
    templateId,
    sites: [
      { siteId, bindings: 2, enabled: 2 },
      { siteId: other, bindings: 1, enabled: 0 },
    ],
    accepted: 6,
    tried: 7,
    delivered: 4,
    read: 3,
    more: false,
    medianReadSeconds: 60,
  });
});

test("of what is not used there are no figures, of another account's template nothing", async () => {
  const [mine, theirs] = [await openBoundShop(resources), await openBoundShop(resources)];
  const { items } = await mine.api.templates.usage({ ids: [mine.templateId, theirs.templateId] });
  const none = { sites: [], accepted: 0, tried: 0, delivered: 0, read: 0, more: false, medianReadSeconds: null };
  expect(items).toEqual([{ templateId: mine.templateId, ...none }]);
  await expect(mine.api.templates.usage({ ids: [] })).rejects.toThrow("ids");
});
