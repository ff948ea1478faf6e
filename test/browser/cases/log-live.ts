import { expect, test } from "vitest";
import { failedMessage, rowsOf, unreachable } from "./log.ts";
import type { Case } from "./opened.ts";
import { ownShop } from "./own-shop.ts";

export function logLiveTests(opened: Case): void {
  test("what comes leaves the message under the pointer where it is, until it is asked for", async () => {
    const { open, owner } = opened();
    const { site, order } = await ownShop(opened(), "Pointed at");
    await order("+491705550001", "Ada");
    await order("+491705550002", "Bob");
    await using watched = await open({ token: owner.token });
    const { page, problems } = watched;
    await page.goto(`/log?siteId=${site.id}`);
    const ada = rowsOf(page).filter({ hasText: "+491705550001" });
    await ada.filter({ hasText: "read" }).hover();
    const before = await ada.boundingBox();
    await order("+491705550003", "Cy");
    const pill = page.getByRole("button", { name: "1 new message — show" });
    await pill.waitFor();
    expect(await ada.boundingBox()).toEqual(before);
    await pill.click();
    await rowsOf(page).first().filter({ hasText: "+491705550003" }).waitFor();
    await pill.waitFor({ state: "detached" });
    await page.mouse.move(700, 5);
    await order("+491705550004", "Di");
    await rowsOf(page).first().filter({ hasText: "+491705550004" }).waitFor();
    expect(problems).toEqual([]);
  });

  test("while it is not live nothing comes, but what is sent again from here, and what becomes of it", async () => {
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
    await rowsOf(page).getByRole("link", { name: unreachable }).click();
    await page.waitForURL(new RegExp(failed, "u"));
    expect(await rowsOf(page).count()).toBe(1);
    const drawer = page.getByRole("dialog");
    await drawer.getByRole("button", { name: "Resend" }).click();
    await drawer.getByRole("link", { name: "the earlier message" }).waitFor();
    await page.getByRole("button", { name: "Close the message" }).click();
    await drawer.waitFor({ state: "detached" });
    await rowsOf(page).filter({ hasText: "sent again" }).waitFor();
    await rowsOf(page).filter({ hasText: "a resend" }).filter({ hasText: "failed" }).waitFor();
    const shown = await rowsOf(page).count();
    await order("+491706660002", "Cy");
    expect(await rowsOf(page).count()).toBe(shown);
    await page.getByRole("switch", { name: "Live" }).click();
    await rowsOf(page).first().filter({ hasText: "+491706660002" }).waitFor();
    expect(problems).toEqual([]);
  });
}
