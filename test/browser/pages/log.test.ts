import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { idAt, insertEvent, insertNotification } from "../../support/admin-shops.ts";
import { waitFor } from "../../support/wait-for.ts";
import { untilThereAre, accessibilityProblems } from "../stack.ts";
import { addFilter, describeInBrowser, detail, type Opened, ownShop } from "../support.ts";

/** The sandbox's magic number for an unreachable phone. */
const unreachable = "+15550101026";
const optedOut = "+15550101050";

describeInBrowser("the log", (opened) => {
  test("filters stand in the address, outlast a reload, hold for the file, and are taken away one by one", async () => {
    const { open, owner } = opened();
    const { site, order } = await ownShop(opened(), "Filtered");
    await order("+491701110001", "Ada");
    await order("+491701110002", "Bob");
    await using watched = await open({ token: owner.token });
    const { page, problems } = watched;
    await page.goto("/log");
    await addFilter(page, "Site");
    await page.getByRole("combobox", { name: "Site" }).fill("Filtered");
    await page.getByRole("option", { name: "Filtered" }).click();
    await untilThereAre(2, rowsOf(page));
    await page.getByRole("searchbox", { name: "Search" }).fill("0049 170 1110001");
    await untilThereAre(1, rowsOf(page));
    await addFilter(page, "Period");
    await page.getByRole("combobox", { name: "Period" }).selectOption("Custom range");
    await page.getByLabel("First day").fill("2026-01-01");
    await page.waitForURL(/from=2026-01-01/u);
    await page.reload();
    await rowsOf(page).first().waitFor();
    await expect.poll(() => rowsOf(page).allInnerTexts()).toEqual([expect.stringContaining("+491701110001")]);
    expect(new URL(page.url()).searchParams.get("siteId")).toBe(site.id);
    expect(await page.getByRole("searchbox", { name: "Search" }).inputValue()).toBe("0049 170 1110001");

    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download CSV" }).click();
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
    expect(problems).toEqual([]);
  });

  test("a new message appears by itself, and moves nothing while somebody reads further down", async () => {
    const { open, owner } = opened();
    const { site, order } = await ownShop(opened(), "Followed");
    await fillLog(opened(), site.id, 230);
    await using watched = await open({ token: owner.token, isLast: true });
    const { page, problems } = watched;
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
    await page.mouse.wheel(0, 2500);
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
    await pill.click();
    await rowsOf(page).first().filter({ hasText: "+491702220003" }).waitFor();
    await pill.waitFor({ state: "detached" });

    await page.getByRole("switch", { name: "Live" }).click();
    const last = page.getByRole("row").filter({ hasText: "+4917099000229" });
    await waitFor("the last row", async () => {
      await page.keyboard.press("End");
      return (await last.count()) === 1;
    });
    expect(problems).toEqual([]);
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

  test("by keyboard: j and the arrows move, Enter opens, j goes on, Escape leads back", async () => {
    const { open, owner } = opened();
    const { site } = await ownShop(opened(), "Typed");
    await fillLog(opened(), site.id, 5);
    await using watched = await open({ token: owner.token });
    const { page, problems } = watched;
    await page.goto(`/log?siteId=${site.id}`);
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
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    expect(new URL(page.url()).searchParams.has("open")).toBe(false);
    await expect.poll(focused).toContain("+4917099000001");
    expect(problems).toEqual([]);
  });

  detail("a failed message is explained, by its address alone, and sent again once however often that is pressed", async () => {
    const { open, owner } = opened();
    const { site, order } = await ownShop(opened(), "Unlucky");
    await order(unreachable, "Ada");
    const failed = await failedMessage(opened(), site.id);
    await using watched = await open({ token: owner.token });
    const { page, problems } = watched;
    await page.goto(`/log?status=queued&open=${failed}`);
    const drawer = page.getByRole("dialog");
    await drawer.getByText("The recipient is not on WhatsApp").first().waitFor();
    await drawer.getByText("Resend once the recipient says that WhatsApp works on this number").waitFor();
    await drawer.getByText("131026", { exact: true }).waitFor();
    await drawer.getByText("Hello Ada, thank you for your order").waitFor();
    await drawer.getByText("WhatsApp did not deliver 1 message").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await drawer.getByRole("button", { name: "Show payload" }).click();
    await drawer.getByRole("group", { name: "Payload" }).getByText('"10042"').waitFor();

    await drawer.getByRole("button", { name: "Resend" }).dblclick();
    const resends = drawer.getByRole("list", { name: "Resends" });
    await untilThereAre(2, resends.getByRole("listitem"));
    await resends.getByRole("link").click();
    await page.waitForURL(new RegExp(failed, "u"));
    await drawer.getByRole("link", { name: "open the new message" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await drawer.getByRole("button", { name: "Resend" }).count()).toBe(0);
    expect((await owner.client.notifications.list.query({ siteId: site.id })).items.length).toBe(1);
    expect(problems).toEqual([]);
  });

  detail("what would fail in the same way has no button, and says so", async () => {
    const { open, owner } = opened();
    const { site, order } = await ownShop(opened(), "Unwanted");
    await order(optedOut, "Ada");
    await using watched = await open({ token: owner.token });
    const { page, problems } = watched;
    await page.goto(`/log?open=${await failedMessage(opened(), site.id)}`);
    await page.getByText("Resending would fail the same way").waitFor();
    expect(await page.getByRole("button", { name: "Resend message" }).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  detail("while it is not live nothing comes, but what is sent again from here, and what becomes of it", async () => {
    const { open, owner } = opened();
    const { site, order } = await ownShop(opened(), "Held still");
    await order(unreachable, "Ada");
    const failed = await failedMessage(opened(), site.id);
    await using watched = await open({ token: owner.token });
    const { page, problems } = watched;
    await page.goto(`/log?siteId=${site.id}`);
    await rowsOf(page).first().waitFor();
    await page.getByRole("switch", { name: "Live" }).click();
    await order("+491706660001", "Bob");
    await rowsOf(page)
      .getByRole("link", { name: new RegExp(unreachable.slice(1), "u") })
      .click();
    await page.waitForURL(new RegExp(failed, "u"));
    expect(await rowsOf(page).count()).toBe(1);
    const drawer = page.getByRole("dialog");
    await drawer.getByRole("button", { name: "Resend" }).click();
    await untilThereAre(2, drawer.getByRole("list", { name: "Resends" }).getByRole("listitem"));
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await drawer.waitFor({ state: "detached" });
    await rowsOf(page).filter({ hasText: "(Resend)" }).filter({ hasText: "failed" }).waitFor();
    await untilThereAre(2, rowsOf(page));
    const shown = await rowsOf(page).count();
    await order("+491706660002", "Cy");
    expect(await rowsOf(page).count()).toBe(shown);
    await page.getByRole("switch", { name: "Live" }).click();
    await rowsOf(page).first().filter({ hasText: "+491706660002" }).waitFor();
    expect(problems).toEqual([]);
  });
});

/** The rows of messages that are drawn, without the headings. */
const rowsOf = (page: Page) => page.getByRole("table", { name: "Messages" }).locator("[data-index]");

const failures = async ({ owner }: Opened, siteId: string) =>
  (await owner.client.notifications.list.query({ siteId, status: "failed" })).items;

async function failedMessage(stack: Opened, siteId: string): Promise<string> {
  return await waitFor("one failure", async () => {
    const [failed, ...more] = await failures(stack, siteId);
    return more.length === 0 && failed?.id;
  });
}

/** Messages of an hour ago, the newest to +4917099000000. */
async function fillLog({ sql, owner }: Opened, siteId: string, count: number): Promise<void> {
  const { account } = await owner.client.auth.me.query();
  const newest = Date.now() - 3_600_000;
  const eventId = await insertEvent(sql, siteId, { id: idAt(newest - count) });
  for (let made = 0; made < count; made += 1) {
    const to_phone = `+4917099${String(made).padStart(6, "0")}`;
    await insertNotification(sql, { accountId: account.id, siteId, eventId }, { id: idAt(newest - made), status: "read", to_phone });
  }
}
