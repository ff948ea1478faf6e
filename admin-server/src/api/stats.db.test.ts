import { newId } from "shared/db/ids";
import { noteTopic } from "shared/db/site-topic";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { idAt, insertEvent, insertNotification } from "../../../test/support/admin-shops.ts";
import { openAdmin, type OpenAdmin } from "../../../test/support/admin.ts";
import { refusal } from "../../../test/support/admin.ts";

const none = { scheduled: 0, cancelled: 0, queued: 0, sending: 0, sent: 0, failed: 0, delivered: 0, read: 0 };

describe("stats.overview", () => {
  let admin: OpenAdmin;
  beforeAll(async () => {
    admin = await openAdmin();
  });
  afterAll(async () => admin[Symbol.asyncDispose]());

  async function shop() {
    const owner = await admin.signUp();
    const accountId = (await owner.client.auth.me.query()).account.id;
    const addSite = async (name: string) =>
      (await owner.client.sites.create.mutate({ name, url: "https://shop.example", sourceType: "generic" })).site.id;
    const siteId = await addSite("A");
    const log = async (time: string, status: string, at = siteId) =>
      insertNotification(admin.sql, { accountId, siteId: at, eventId: newId() }, { id: idAt(time), status });
    const { stats, settings, sites } = owner.client;
    return { stats, settings, sites, siteId, addSite, log };
  }

  it("counts by template, site and error code too", async () => {
    const { stats, siteId, addSite, log } = await shop();
    const other = await addSite("B");
    await log("2026-03-01T10:00:00Z", "sent");
    await log("2026-03-01T11:00:00Z", "failed", other);
    await log("2026-03-02T11:00:00Z", "failed", other);
    const { templates, sites, errors } = await stats.overview.query({ from: "2026-03-01T00:00:00Z", to: "2026-03-04T00:00:00Z" });
    expect(templates).toEqual([{ template: "order_created", ...none, sent: 1, failed: 2 }]);
    expect(sites.toSorted((a, b) => b.sent - a.sent)).toEqual([
      { siteId, ...none, sent: 1 },
      { siteId: other, ...none, failed: 2 },
    ]);
    const explanation = { text: expect.stringContaining("not on WhatsApp"), action: expect.stringMatching(/^Resend once/u) };
    expect(errors).toEqual([{ code: "131026", title: "Undeliverable", explanation, count: 2 }]);
  });

  it("parts days at the account's midnight, also where the clocks change", async () => {
    const { stats, settings, log } = await shop();
    await settings.update.mutate({ timezone: "Europe/Berlin" });
    await log("2026-03-28T22:59:59.999Z", "sent");
    await log("2026-03-28T23:00:00.000Z", "sent");
    await log("2026-03-29T21:59:59.999Z", "sent");
    await log("2026-03-29T22:00:00.000Z", "sent");
    const { days, totals } = await stats.overview.query({ from: "2026-03-27T23:00:00Z", to: "2026-03-30T22:00:00Z" });
    expect(days.map(({ date, sent }) => [date, sent])).toEqual([
      ["2026-03-28", 1],
      ["2026-03-29", 2],
      ["2026-03-30", 1],
    ]);
    expect(totals.sent).toBe(4);
  });

  it("counts no part of a day that lies outside the span", async () => {
    const { stats, log } = await shop();
    for (const hour of ["05", "10", "15", "20"]) await log(`2026-05-05T${hour}:00:00.000Z`, "sent");
    const { days } = await stats.overview.query({ from: "2026-05-05T10:00:00+00:00", to: "2026-05-05T22:00:00+02:00" });
    expect(days).toEqual([{ date: "2026-05-05", ...none, sent: 2 }]);
    expect((await stats.overview.query({ from: "2026-05-05", to: "2026-05-05" })).totals.sent).toBe(4);
  });

  it("counts one site's alone when it is named, and deleted sites' still", async () => {
    const { stats, sites, siteId, addSite, log } = await shop();
    const other = await addSite("B");
    await log("2026-06-01T10:00:00Z", "sent");
    await log("2026-06-01T10:00:00Z", "sent", other);
    await sites.delete.mutate({ id: other });
    const span = { from: "2026-06-01T00:00:00Z", to: "2026-06-02T00:00:00Z" };
    expect((await stats.overview.query(span)).totals.sent).toBe(2);
    expect((await stats.overview.query({ ...span, siteId })).totals.sent).toBe(1);
    expect((await stats.overview.query({ ...span, siteId: other })).totals.sent).toBe(1);
    expect((await refusal(stats.overview.query({ ...span, siteId: newId() }))).code).toBe("NOT_FOUND");
  });

  it.each([
    { from: "9999-12-01", to: "9999-12-31" },
    { from: "0000-01-01", to: "0000-02-01" },
  ])("refuses what no calendar of the database reaches: %o", async (input) => {
    const { stats } = await shop();
    expect(await refusal(stats.overview.query(input))).toMatchObject({ code: "BAD_REQUEST", message: "A time is out of range" });
  });

  it.each([
    [{ from: "2026-01-01T00:00:00Z", to: "2025-01-01T00:00:00Z" }, "to"],
    [{ from: "2026-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z" }, "to"],
    [{ from: "2020-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z" }, "to"],
    [{ from: "yesterday", to: "2026-01-01T00:00:00Z" }, "from"],
    [{ to: "2026-01-01T00:00:00Z" }, "from"],
    [{ from: "2026-01-01T00:00:00Z" }, "to"],
    [{ days: 0 }, "days"],
    [{ days: 401 }, "days"],
    [{ days: 7, to: "2026-01-01T00:00:00Z" }, "days"],
  ])("refuses %o", async (input, member) => {
    const { stats } = await shop();
    expect(await refusal(stats.overview.query(input))).toMatchObject({ code: "BAD_REQUEST", issues: [{ path: [member] }] });
  });
});

describe("stats.unreached", () => {
  let admin: OpenAdmin;
  beforeAll(async () => {
    admin = await openAdmin();
  });
  afterAll(async () => admin[Symbol.asyncDispose]());

  it("counts live events with a message that had no recipient by site and reason, and lists exactly those", async () => {
    const { client } = await admin.signUp();
    const addSite = async (name: string) =>
      (await client.sites.create.mutate({ name, url: "https://shop.example", sourceType: "generic" })).site.id;
    const [shop, other] = [await addSite("Shop"), await addSite("Other")];
    const daysAgo = (days: number) => Date.now() - days * 86_400_000;
    const log = (site: string, unreached: string | null, days = 1) =>
      insertEvent(admin.sql, site, { id: idAt(daysAgo(days)), unreached, chat: "skipped_no_phone" });
    await log(shop, "no_country customer.phone");
    const last = await log(shop, "no_country customer.phone", 0.5);
    await log(shop, "no_phone_at_path customer.phone");
    await log(shop, "no_phone_at_path customer.phone", 8);
    await log(shop, "some_later_code customer.phone");
    await log(shop, null);
    await log(other, "no_active_recipient");

    const { items } = await client.stats.unreached.query();
    expect(items.map(({ siteName, key, count, more }) => [siteName, key, count, more])).toEqual(
      expect.arrayContaining([
        ["Shop", "no_country customer.phone", 2, false],
        ["Shop", "no_phone_at_path customer.phone", 1, false],
        ["Other", "no_active_recipient", 1, false],
      ]),
    );
    expect(items).toHaveLength(3);
    expect(items[0]).toMatchObject({
      siteId: shop,
      reason: "no recipient: the phone at customer.phone has no country code (+49…)",
      reasonCode: { code: "phone_unreadable", path: "customer.phone", problem: "no_country" },
    });
    const from = new Date(daysAgo(7)).toISOString();
    for (const { siteId, key, count } of items)
      expect((await client.events.list.query({ siteId, unreached: key, from })).items).toHaveLength(count);
    expect((await client.events.list.query({ siteId: shop, unreached: "no_country customer.phone" })).items[0]?.id).toBe(last);
    expect((await client.events.list.query({ unreached: "any" })).items).toHaveLength(6);
    expect((await client.stats.unreached.query({ siteId: other })).items.map(({ siteName }) => siteName)).toEqual(["Other"]);
    const early = await client.stats.unreached.query({ from: new Date(daysAgo(9)).toISOString(), to: new Date(daysAgo(7)).toISOString() });
    expect(early.items.map(({ count }) => count)).toEqual([1]);
    expect((await (await admin.signUp()).client.stats.unreached.query()).items).toEqual([]);
    expect(await refusal(client.events.list.query({ unreached: "no_country" }))).toMatchObject({
      code: "BAD_REQUEST",
      issues: [{ path: ["unreached"], message: 'Must be "any", or a key from stats.unreached' }],
    });
  });
});

describe("stats.silentSites", () => {
  let admin: OpenAdmin;
  beforeAll(async () => {
    admin = await openAdmin();
  });
  afterAll(async () => admin[Symbol.asyncDispose]());

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
    const { items } = await client.stats.silentSites.query();
    expect(items).toEqual([
      { siteId: silent, name: "Silent", sourceType: "generic", lastEventAt: expect.any(String), longestPauseHours: 1 },
    ]);
    expect(Date.now() - Date.parse(items[0]?.lastEventAt ?? "")).toBeGreaterThan(20 * 3_600_000);
    expect((await (await admin.signUp()).client.stats.silentSites.query()).items).toEqual([]);
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
    const { items } = await client.stats.silentSites.query();
    expect(items.map(({ sourceType, longestPauseHours }) => [sourceType, longestPauseHours])).toEqual(
      named === 1 ? [["woocommerce", 1]] : [],
    );
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
    const { items } = await client.stats.silentSites.query();
    expect(items.map(({ name, longestPauseHours }) => [name, longestPauseHours])).toEqual([
      ["One busy day", null],
      ["Only tried", null],
    ]);
  });
});
