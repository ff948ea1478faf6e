import { newId } from "shared/db/ids";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { idAt, insertNotification } from "../../../test/support/admin-shops.ts";
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
