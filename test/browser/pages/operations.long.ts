import { expect, test } from "vitest";
import { copyNotification, idAt } from "../../support/admin-shops.ts";
import { waitFor } from "../../support/wait-for.ts";
import { accessibilityProblems, sidewaysScroll, untilThereAre } from "../stack.ts";
import { countClicks, describeInBrowser, type Opened, ownShop } from "../support.ts";

describeInBrowser("operations", (opened) => {
  test("a resend is followed on every page, stopped half way, and leads to exactly its messages", async () => {
    const { open, owner, operator, viewer, sql } = opened();
    const siteId = await failMany(opened(), 40);
    const { messagesPerSecond } = await owner.client.settings.get.query();
    await owner.client.settings.update.mutate({ messagesPerSecond: 1 });
    try {
      await using watched = await open({ token: operator.token });
      const { page, problems } = watched;
      await page.goto(`/log?siteId=${siteId}&status=failed`);
      await page.getByRole("heading", { name: "Messages" }).waitFor();
      const clicks = countClicks(page);
      await page.getByRole("button", { name: "Resend failed" }).click();
      await page.getByRole("list", { name: "Why they failed" }).getByRole("checkbox").check();
      await page.getByRole("button", { name: "Resend 40 messages" }).click();
      const progress = page.getByRole("article", { name: "Resend of failed messages" });
      await progress.getByRole("progressbar").waitFor();
      await page.getByRole("link", { name: "Scheduled" }).press("Enter");
      await progress.getByText(/^(?:[2-9]|1\d) of 40/u).waitFor({ timeout: 30_000 });
      expect(await accessibilityProblems(page)).toEqual([]);
      await progress.getByRole("button", { name: "Stop" }).click();
      await progress.getByText(/^Stopped, /u).waitFor({ timeout: 30_000 });
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("ARTICLE");
      expect(await clicks()).toBe(4);
      const left = await sql`select from notification where site_id = ${siteId} and resend_of is not null and status <> 'cancelled'`;
      expect(left.length).toBeLessThan(40);
      const waiting =
        await sql`select from notification where site_id = ${siteId} and resend_of is null and status = 'failed' and resent_as is null`;
      expect(waiting.length).toBe(40 - left.length);
      await progress.getByText(new RegExp(`^Stopped, ${left.length} of 40 messages resent`, "u")).waitFor();
      expect((await progress.boundingBox())?.height).toBeLessThan(40);
      await progress.getByRole("link", { name: `Show ${left.length} messages` }).click();
      await untilThereAre(left.length, page.getByRole("table", { name: "Messages" }).getByRole("row").filter({ hasText: "(Resend)" }));
      await page.getByRole("button", { name: /^Remove filter Operation/u }).waitFor();
      await progress.waitFor({ state: "detached" });
      expect(problems).toEqual([]);
    } finally {
      await owner.client.settings.update.mutate({ messagesPerSecond });
    }
    await using watched = await open({ token: viewer.token });
    const { page, problems } = watched;
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`/operations?siteId=${siteId}`);
    const row = page.getByRole("row").filter({ hasText: "Resend of failed messages" });
    await row.getByText("Stopped").waitFor();
    await row.getByText(operator.email).waitFor();
    expect(await sidewaysScroll(page)).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await row.getByRole("link", { name: "Resend of failed messages" }).click();
    await page.waitForURL(/\/log\?operationId=/u);
    expect(problems).toEqual([]);
  });
});

/** A site with so many messages that have failed, each to another phone. */
async function failMany(world: Opened, count: number): Promise<string> {
  const { sql } = world;
  const { site, order } = await ownShop(world, "Half way");
  await order("+491706660000", "Ada");
  const find = async () => (await sql<{ id: string }[]>`select id from notification where site_id = ${site.id} and sent_at is not null`)[0];
  const { id } = await waitFor("the first message", async () => (await find()) ?? false);
  const copies = Array.from({ length: count }, (_, n) => ({
    id: idAt(Date.now() - 60_000 - n),
    to_phone: `+4917066600${String(n + 1).padStart(2, "0")}`,
    status: "failed",
    error_code: "131026",
    failed_at: new Date(),
  }));
  await copyNotification(sql, id, copies);
  return site.id;
}
