import { newId } from "shared/db/ids";
import { expect, test } from "vitest";
import { idAt, insertNotification } from "../../support/admin-shops.ts";
import { looksRight, untilThereAre } from "../stack.ts";
import { describeInBrowser, untilFound } from "../support.ts";

const hourMs = 3_600_000;

describeInBrowser("problems", (opened) => {
  test("an incident is seen, leads by the keyboard to exactly its messages, is acknowledged, noted and closed", async () => {
    const { open, operator, owner, sql } = opened();
    const { account } = await owner.client.auth.me.query();
    const { site } = await owner.client.sites.create.mutate({ name: "Failing shop", url: "https://shop.example", sourceType: "generic" });
    const at = { accountId: account.id, siteId: site.id, eventId: newId() };
    for (const code of ["131026", "131026", "131026", "131049"])
      await insertNotification(sql, at, { status: "failed", error_code: code, id: idAt(Date.now() - hourMs) });
    await untilFound(opened(), site.id, 2);
    await using watched = await open({ token: operator.token });
    const { page, problems } = watched;
    await page.goto(`/problems?siteId=${site.id}`);
    const cards = page.getByRole("article");
    await untilThereAre(2, cards);
    await page
      .getByRole("navigation", { name: "Pages" })
      .getByRole("link", { name: /^Problems\s*\d+\s*open$/u })
      .waitFor();
    await looksRight(watched);
    const card = cards.filter({ hasText: "131026" });
    await card.getByText("Messages of Failing shop fail: Undeliverable · 131026").waitFor();
    await card.getByText("3 messages failed").waitFor();
    for (const [key, at] of [
      ["j", 0],
      ["ArrowDown", 1],
      ["k", 0],
    ] as const) {
      await page.keyboard.press(key);
      await cards.nth(at).locator(":focus").waitFor();
    }
    await card.getByRole("button", { name: "Resend 3 messages…" }).press("Enter");
    await page
      .getByRole("dialog")
      .getByText(/^3 failed messages match/u)
      .waitFor();
    await page.keyboard.press("Escape");
    await card.getByRole("button", { name: /^More for/u }).press("Enter");
    await page.getByRole("menuitem", { name: "Show 3" }).press("Enter");
    await page.waitForURL(/\/log\?.*errorCode/u);
    await untilThereAre(3, page.getByRole("table", { name: "Messages" }).locator("[data-index]"));
    await page.goBack();

    const choose = async (item: string) => {
      await card.getByRole("button", { name: /^More for/u }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    await choose("Add note…");
    await page.getByRole("dialog").getByRole("textbox", { name: "Note" }).fill("Asked the shop");
    await page.getByRole("dialog").getByRole("button", { name: "Save note" }).click();
    await card.getByText("Asked the shop").waitFor();
    await choose("Acknowledge");
    await untilThereAre(1, cards);
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByRole("menuitem", { name: "State" }).click();
    await page.getByRole("menuitemradio", { name: "Acknowledged" }).click();
    await card.getByText(/^Acknowledged by /u).waitFor();
    await looksRight(watched);
    await choose("Resolve");
    await page.getByText("Nothing matches these filters").waitFor();
    await page.goto(`/problems?siteId=${site.id}&state=resolved`);
    await card.getByText("Resolved").waitFor();
    expect(problems).toEqual([]);
  });
});
