import { join } from "node:path";
import type { Page } from "playwright-core";
import { freePort } from "shared/postgres/cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root, startProcess } from "../support/process.ts";
import { waitFor } from "../support/wait-for.ts";
import { looksRight, openPage, type WatchedPage } from "./stack.ts";
import { browser } from "./support.ts";

describe.skipIf(browser === undefined)("in a browser: the shared parts", () => {
  let server: ReturnType<typeof startProcess>;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    const port = await freePort();
    const vite = [process.execPath, "node_modules/vite/bin/vite.js"] as const;
    server = startProcess([...vite, "--host", "127.0.0.1", "--port", String(port), "--strictPort"], { cwd: join(root, "admin-web") });
    await waitFor("the development server to listen", () => server.stdout().includes(`:${port}`) || !server.isRunning());
    watched = await openPage(browser, `http://127.0.0.1:${port}`);
    page = watched.page;
  });

  afterAll(async () => {
    await watched[Symbol.asyncDispose]();
    await server.kill();
  });

  test("are accessible and no wider than the window, in every state", async () => {
    await page.goto("/dev/parts");
    await page.getByRole("heading", { name: "Problem card" }).waitFor();
    await looksRight(watched);
    expect(watched.problems.splice(0)).toEqual([]);
  });

  test("a problem's menu goes by arrow keys, and Escape gives the focus back", async () => {
    const card = page.getByRole("article").first();
    const more = card.getByRole("button", { name: /^More for/u });
    const focused = (name: string) => page.getByRole("menuitem", { name }).and(page.locator(":focus")).waitFor();
    await more.press("Enter");
    await focused("Resend 35 messages…");
    await page.keyboard.press("ArrowDown");
    await focused("Show 35");
    await page.keyboard.press("ArrowDown");
    await focused("Acknowledge");
    await page.keyboard.press("Escape");
    await more.and(page.locator(":focus")).waitFor();
    expect(await page.getByRole("menu").count()).toBe(0);
    await more.press("Enter");
    await focused("Resend 35 messages…");
    await page.keyboard.press("End");
    await page.getByRole("menuitem").last().and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Snooze until" }).waitFor();
    await page.keyboard.press("Escape");
    await more.and(page.locator(":focus")).waitFor();
  });

  test("filters are chosen by keyboard and stand in the address, and the focus stays among them", async () => {
    const focused = (name: string) => page.getByRole("button", { name, exact: true }).and(page.locator(":focus")).waitFor();
    await page.getByRole("button", { name: "Filter", exact: true }).press("Enter");
    await page.getByRole("menuitem", { name: "Status" }).and(page.locator(":focus")).press("Enter");
    await page.getByRole("menuitemradio", { name: "Scheduled" }).and(page.locator(":focus")).press("ArrowDown");
    await page.keyboard.press("Enter");
    await focused("Status: Cancelled");
    expect(new URL(page.url()).search).toBe("?status=cancelled");
    await page.getByText("1 match", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Remove filter Status: Cancelled" }).press("Enter");
    await focused("Filter");
    expect(new URL(page.url()).search).toBe("");
  });
});
