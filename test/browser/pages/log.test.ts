import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { copyNotification, idAt, insertEvent, insertNotification } from "../../support/admin-shops.ts";
import { waitFor } from "../../support/wait-for.ts";
import { untilThereAre } from "../stack.ts";
import { addFilter, describeInBrowser, detail, type Opened, ownShop } from "../support.ts";

describeInBrowser("the log", (opened) => {
  test("filters stand in the address, outlast a reload, hold for the file, and are taken away one by one", async () => {
    const { site, order } = await ownShop(opened(), "Filtered");
    await order("+491701110001", "Ada");
    await order("+491701110002", "Bob");
    const { page } = await opened().visit("owner", "/log");
    await addFilter(page, "Site");
    await page.getByRole("combobox", { name: "Site" }).fill("Filtered");
    await page.getByRole("option", { name: "Filtered" }).click();
    await untilThereAre(2, rowsOf(page));
    await page.getByRole("searchbox", { name: "Search" }).fill("0049 170 1110001");
    await untilThereAre(1, rowsOf(page));
    await addFilter(page, "Period");
    await page.getByRole("button", { name: "Custom range" }).click();
    await page.getByLabel("First day").fill("2026-01-01");
    await page.waitForURL(/from=2026-01-01/u);
    await page.reload();
    await rowsOf(page).first().waitFor();
    await expect.poll(() => rowsOf(page).allInnerTexts()).toEqual([expect.stringContaining("+491701110001")]);
    expect(new URL(page.url()).searchParams.get("siteId")).toBe(site.id);
    expect(await page.getByRole("searchbox", { name: "Search" }).inputValue()).toBe("0049 170 1110001");

    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Download CSV" }).click();
    const lines = (await readFile(await (await download).path(), "utf8")).trim().split("\n");
    expect(lines.slice(1)).toEqual([expect.stringContaining("+491701110001")]);

    await page.getByRole("button", { name: /^Remove filter Period/u }).click();
    await page.getByRole("searchbox", { name: "Search" }).fill("");
    await untilThereAre(2, rowsOf(page));
    await page.getByRole("searchbox", { name: "Search" }).fill("bob");
    await expect.poll(() => rowsOf(page).allInnerTexts()).toEqual([expect.stringContaining("+491701110002")]);
    await addFilter(page, "Status", "Queued");
    await page.getByText("Nothing matches these filters").waitFor();
    await page.getByRole("link", { name: "Clear filters" }).click();
    await rowsOf(page).first().waitFor();
    expect(new URL(page.url()).search).toBe("");
  });

  test("a new message appears by itself, and moves nothing while somebody reads further down", async () => {
    const { site, order } = await ownShop(opened(), "Followed");
    await fillLog(opened(), site.id, 230);
    const { page } = await opened().visit("owner", undefined, { isLast: true });
    // The page's regular looks never come.
    await page.addInitScript(() => {
      const every = window.setInterval;
      window.setInterval = ((run: () => void, ms: number) => (ms < 10_000 ? every(run, ms) : 0)) as typeof setInterval;
    });
    await page.goto(`/log?siteId=${site.id}`);
    await rowsOf(page).first().waitFor();
    await order("+491702220001", "Ada");
    await rowsOf(page).first().filter({ hasText: "+491702220001" }).waitFor();
    await rowsOf(page).first().filter({ hasText: "read" }).waitFor();

    await page.mouse.move(700, 500);
    await page.mouse.wheel(0, 1200);
    // The next rows come while some are left below.
    await page.waitForFunction(() => document.documentElement.scrollHeight > 4000);
    await page.mouse.wheel(0, 1300);
    await page.waitForFunction(() => window.scrollY === 2500);
    const read = page.getByRole("row").filter({ hasText: "+4917099000070" });
    await read.waitFor();
    const before = await read.boundingBox();
    await order("+491702220002", "Bob");
    await order("+491702220003", "Cy");
    const pill = page.getByRole("button", { name: "Show 2 new" });
    await pill.waitFor();
    expect(await read.boundingBox()).toEqual(before);
    expect(await page.getByRole("row").count()).toBeLessThan(100);
    expect(await page.getByRole("table", { name: "Messages" }).getAttribute("aria-rowcount")).toBe("231");
    await pill.press("Enter");
    await rowsOf(page)
      .first()
      .filter({ hasText: "+491702220003", has: page.locator(":focus") })
      .waitFor();
    await pill.waitFor({ state: "detached" });

    await page.getByRole("switch", { name: "Follow" }).click();
    const last = page.getByRole("row").filter({ hasText: "+4917099000229" });
    await waitFor("the last row", async () => {
      await page.keyboard.press("End");
      return (await last.count()) === 1;
    });
    // Each row is a link on paper too.
    const paper = (await page.pdf()).toString("latin1");
    expect(new Set(paper.match(/open=[\da-f-]{36}/gu)).size).toBe(233);
    await page.emulateMedia({ media: "print" });
    expect(await page.locator("header, nav, search, button").filter({ visible: true }).count()).toBe(0);
  });

  detail("a lost connection is said, and news come when it is back", async () => {
    const { open, owner } = opened();
    const { site, order } = await ownShop(opened(), "Cut off");
    await order("+491703330001", "Ada");
    await using watched = await open({ token: owner.token });
    const { page } = watched;
    await page.route(/events\.tail/u, (route) => route.abort());
    await page.goto(`/log?siteId=${site.id}`);
    await page.getByText("Connection lost").waitFor();
    await page.unroute(/events\.tail/u);
    await page.getByText("Connection lost").waitFor({ state: "detached" });
    await order("+491703330002", "Bob");
    await rowsOf(page).filter({ hasText: "+491703330002" }).waitFor();
  });

  detail("by keyboard: j and the arrows move, Enter opens, j goes on, Escape leads back", async () => {
    const { site } = await ownShop(opened(), "Typed");
    await fillLog(opened(), site.id, 5);
    const { page } = await opened().visit("owner", `/log?siteId=${site.id}`);
    await rowsOf(page).first().waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    await page.keyboard.press("j");
    await expect.poll(focused).toContain("+4917099000000");
    await page.keyboard.press("j");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("k");
    await expect.poll(focused).toContain("+4917099000001");
    await page.keyboard.press("Enter");
    const drawer = page.getByRole("dialog");
    await drawer.getByText("+4917099000001").waitFor();
    await drawer.locator(":focus").waitFor();
    await page.keyboard.press("j");
    await drawer.getByText("+4917099000002").waitFor();
    const search = page.getByRole("combobox", { name: "Search or go to" });
    await page.keyboard.press("Control+k");
    await search.click();
    await page.keyboard.press("Escape");
    await search.waitFor({ state: "detached" });
    expect(new URL(page.url()).searchParams.get("open")).not.toBeNull();
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    expect(new URL(page.url()).searchParams.has("open")).toBe(false);
    await expect.poll(focused).toContain("+4917099000001");
  });
});

/** The rows of messages that are drawn, without the headings. */
const rowsOf = (page: Page) => page.getByRole("table", { name: "Messages" }).locator("[data-index]");

/** Messages of an hour ago, the newest to +4917099000000. */
async function fillLog({ sql, owner }: Opened, siteId: string, count: number): Promise<void> {
  const { account } = await owner.client.auth.me.query();
  const newest = Date.now() - 3_600_000;
  const eventId = await insertEvent(sql, siteId, { id: idAt(newest - count) });
  const copies = Array.from({ length: count }, (_, made) => ({
    id: idAt(newest - made),
    to_phone: `+4917099${String(made).padStart(6, "0")}`,
  }));
  const [first, ...others] = copies;
  const id = await insertNotification(sql, { accountId: account.id, siteId, eventId }, { ...first, status: "read" });
  await copyNotification(sql, id, others);
}
