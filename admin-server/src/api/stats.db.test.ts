import { newId } from "shared/db/ids";
import { describe, expect, it } from "vitest";
import { idAt, insertNotification } from "../../../test/support/admin-shops.ts";
import { openAdmin } from "../../../test/support/admin.ts";
import { shared } from "../../../test/support/shared.ts";

describe("stats.overview", () => {
  const admin = shared(async () => openAdmin());

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
});
