import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser, detail, ownShop } from "../support.ts";

/** A phone of the sandbox that reads nothing by itself. */
const unread = "+15550108011";

const chatOf = (page: Page, phone: string) => page.getByRole("list", { name: "Chats" }).getByRole("link").filter({ hasText: phone });

describeInBrowser("the sandbox phone", (opened) => {
  test("a message arrives while one looks, shows its ticks, and is read by hand; a refusal takes that back and says why", async () => {
    const { open, owner } = opened();
    const { order } = await ownShop(opened(), "Phone by hand");
    await using watched = await open({ token: owner.token });
    const { page, problems } = watched;
    await page.goto("/phone");
    await page.getByRole("heading", { name: "Sandbox phone" }).waitFor();
    await order(unread, "Grace");
    await chatOf(page, unread).click();
    await page.waitForURL(/to=/u);
    const chat = page.getByRole("log", { name: unread });
    await chat.getByText("Hello Grace").waitFor();
    await chat.getByText("Delivered", { exact: true }).waitFor();
    await page.route("**/trpc/sandbox.markRead*", (route) => route.fulfill({ status: 500, body: "[]" }));
    await chat.getByRole("button", { name: "Mark as read" }).click();
    await page.getByText("Could not mark the message as read").waitFor();
    await chat.getByText("Delivered", { exact: true }).waitFor();
    await expect.poll(() => problems.splice(0)).toEqual([expect.stringContaining("500")]);
    await page.unroute("**/trpc/sandbox.markRead*");
    await chat.getByRole("button", { name: "Mark as read" }).click();
    await chat.getByText("Read", { exact: true }).waitFor();
    await chat.getByRole("button").waitFor({ state: "detached" });
    const stored = async () => (await owner.client.notifications.list.query({ phone: unread, limit: 1 })).items[0]?.status;
    await expect.poll(stored).toBe("read");
    expect(problems).toEqual([]);
  });

  detail("where the window is narrow one sees the chats or one of them", async () => {
    const { page } = await opened().visit("owner", "/phone", { width: 360 });
    await chatOf(page, "+14155550123").click();
    await page.getByRole("log").getByText("Hello Ada").first().waitFor();
    await page.getByRole("list", { name: "Chats" }).waitFor({ state: "hidden" });
    await page.getByRole("link", { name: "All chats" }).click();
    await chatOf(page, "+14155550123").waitFor();
    await page.getByRole("log").waitFor({ state: "hidden" });
  });
});
