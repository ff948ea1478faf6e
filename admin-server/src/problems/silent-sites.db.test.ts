import { noteTopic } from "shared/db/site-topic";
import { describe, expect, it } from "vitest";
import { idAt, insertEvent } from "../../../test/support/admin-shops.ts";
import { type AdminClient, openAdmin } from "../../../test/support/admin.ts";
import { shared } from "../../../test/support/shared.ts";

describe("a site gone silent", () => {
  const admin = shared(async () => openAdmin());
  const silentSites = async (client: AdminClient) => (await client.problems.list.query({ kind: "site_silent" })).items;

  it("names the enabled sites that are quiet for longer than they ever were in the week before", async () => {
    const { client } = await admin.signUp();
    const addSite = async (name: string, hoursAgo: readonly number[]) => {
      const { site } = await client.sites.create.mutate({ name, url: "https://shop.example", sourceType: "generic" });
      for (const hours of hoursAgo) await insertEvent(admin.sql, site.id, { id: idAt(Date.now() - hours * 3_600_000) });
      return site.id;
    };
    const hourly = Array.from({ length: 60 }, (_, hour) => hour);
    const silent = await addSite(
      "Silent",
      hourly.map((hour) => hour + 20.5),
    );
    await addSite("Busy", hourly);
    await addSite("Never", []);
    await addSite("Pauses as long as this", [20, 21, 22, 40, 60, 80]);
    await addSite("Pauses as long before its last event", [20, 50, 51, 60, 70, 80, 90, 100]);
    await addSite("New", [20, 21, 22, 23, 24]);
    await addSite(
      "Gone",
      hourly.map((hour) => hour + 24 * 31),
    );
    const off = await addSite(
      "Switched off",
      hourly.map((hour) => hour + 20.5),
    );
    await client.sites.update.mutate({ id: off, enabled: false });
    const items = await silentSites(client);
    expect(items.map(({ siteId, detail }) => [siteId, detail])).toMatchObject([[silent, { name: "Silent", sourceType: "generic" }]]);
    expect(Date.now() - Date.parse(items[0]?.lastAt ?? "")).toBeGreaterThan(20 * 3_600_000);
  });

  it.each([
    [20.5, 1],
    [0.5, 0],
  ])("names a shop whose last request came %d hours ago, though its orders are fetched: %d", async (hoursAgo, named) => {
    const { client } = await admin.signUp();
    const { site } = await client.sites.create.mutate({ name: "Laden", url: "https://shop.example", sourceType: "woocommerce" });
    for (let hour = 0; hour < 80; hour += 1) await insertEvent(admin.sql, site.id, { id: idAt(Date.now() - hour * 3_600_000) });
    await connectShop(site.id, 81);
    await noteTopic(admin.sql, site.id, "order.created", new Date(Date.now() - hoursAgo * 3_600_000));
    expect(await silentSites(client)).toHaveLength(named);
  });

  const connectShop = (siteId: string, hoursAgo: number) =>
    admin.sql`update site set connected_at = now() - make_interval(hours => ${hoursAgo}) where id = ${siteId}`;

  it("names shops that were connected and post nothing any more; one that posts what means nothing here is none of them", async () => {
    const { client } = await admin.signUp();
    const addShop = async (name: string, sourceType: "woocommerce" | "shopify" | "generic", connectedHoursAgo: number) => {
      const { site } = await client.sites.create.mutate({ name, url: "https://shop.example", sourceType });
      await connectShop(site.id, connectedHoursAgo);
      return site.id;
    };
    const note = async (siteId: string, topic: string, hoursAgo: number) =>
      noteTopic(admin.sql, siteId, topic, new Date(Date.now() - hoursAgo * 3_600_000));
    await addShop("Only tried", "woocommerce", 24 * 8);
    await addShop("Tried lately", "woocommerce", 24 * 6);
    await addShop("Seldom", "generic", 24 * 8);
    await addShop("Long gone", "shopify", 24 * 31);
    await note(await addShop("Ignored", "woocommerce", 24 * 20), "product.updated", 24 * 6);
    const oneDay = await addShop("One busy day", "shopify", 24 * 4);
    await note(oneDay, "orders/create", 24 * 3.5);
    for (let hour = 0; hour < 8; hour += 1)
      await insertEvent(admin.sql, oneDay, { id: idAt(Date.now() - (84 + hour) * 3_600_000 - 60_000) });
    const byProgram = await addShop("By a program too", "woocommerce", 24 * 20);
    await insertEvent(admin.sql, byProgram, { id: idAt(Date.now() - 3_600_000) });
    // A busy server answers before its look has ended.
    const names = async () => (await silentSites(client)).map(({ title }) => title).toSorted();
    await expect.poll(names).toEqual([expect.stringContaining("One busy day"), expect.stringContaining("Only tried")]);
  });
});
