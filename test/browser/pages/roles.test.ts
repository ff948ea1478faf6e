import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { refusal } from "../../support/admin.ts";
import { data } from "../../support/data.ts";
import { lead, passwordOf } from "../stack.ts";
import { countClicks, describeInBrowser, detail } from "../support.ts";

/** The pages that everybody may open. */
const work = data<string[]>("test-browser-pages-roles", "work");

/** What the buttons are called that change something. */
const changing = /^(?:Add|Create|New|Save|Edit|Delete|Remove|Send|Resend|Replay|Rotate|Cancel|Sync|Submit|Choose|Move|Pause|Mark|Test)\b/u;

describeInBrowser("what a role may", (opened) => {
  test("a viewer sees no page and no button that is not theirs, and nothing is asked of the server in vain", async () => {
    const { page } = await opened().visit("viewer");
    const asked = callsOf(page);
    await page.goto("/");
    expect(await pagesOffered(page)).toEqual([...work, "Settings"]);
    for (const path of ["people", "tokens", "audit", "assistant", "privacy"]) {
      await lead(page, `/settings/${path}`);
      await page.getByRole("heading", { name: "No access" }).waitFor();
      expect(await page.getByRole("main").getByRole("button").count()).toBe(0);
    }
    await lead(page, "/settings/platform");
    await page.getByText("Only operators and owners see the verify token.").waitFor();
    expect(await page.getByRole("main").getByRole("button").allInnerTexts()).toHaveLength(1);
    await lead(page, "/settings/general");
    await page.getByText("where it is").waitFor();
    expect(await page.getByRole("main").getByRole("button").count()).toBe(0);
    expect(asked().filter((name) => /^(?:users|tokens|audit|assistant)/u.test(name))).toEqual([]);
  });

  detail("read-only developer: a link to come in by, what it shows, and a token that reads alone", async () => {
    const { open, owner, admin } = opened();
    await using inviting = await open({ token: owner.token });
    await inviting.page.goto("/");
    const settings = inviting.page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Settings" });
    await settings.waitFor();
    const clicks = countClicks(inviting.page);
    await settings.click();
    await inviting.page.getByRole("link", { name: "People" }).click();
    await inviting.page.getByRole("button", { name: "Invite person" }).click();
    // The dialog gives its first field the focus once it has loaded.
    await inviting.page.getByRole("dialog").locator("input:focus").waitFor();
    await inviting.page.keyboard.type("dev@example.com");
    // One click opens the list, a second one chooses.
    await inviting.page.getByLabel("Role", { exact: true }).selectOption("viewer");
    await inviting.page.getByRole("button", { name: "Create invite link" }).click();
    const link = new URL(await inviting.page.getByRole("textbox", { name: "Link" }).inputValue());
    expect((await clicks()) + 2).toBe(6);

    await using joining = await open();
    const { page, problems } = joining;
    await page.goto(link.pathname + link.hash);
    await page.getByLabel("Your name").fill("Dev");
    await passwordOf(page).fill("nine lives of a dev");
    await page.getByRole("button", { name: "Accept and sign in" }).click();
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    const developersClicks = countClicks(page);
    await page.getByRole("link", { name: "Messages", exact: true }).click();
    const row = page.getByRole("table", { name: "Messages" }).getByRole("row").nth(1);
    await row.getByText(/^•••\d\d$/u).click();
    await page
      .getByRole("dialog")
      .getByText(/•••\d\d/u)
      .first()
      .waitFor();
    await page.keyboard.press("Escape");
    for (const list of ["Events", "Bindings", "Scheduled"]) {
      await page.getByRole("link", { name: list, exact: true }).click();
      await page.getByRole("heading", { name: list }).waitFor();
      expect(await page.getByRole("main").getByRole("checkbox").count()).toBe(0);
    }
    expect(await developersClicks()).toBe(5);
    expect(await page.content()).not.toContain("4155550123");

    const { token } = await owner.client.tokens.create.mutate({ name: "dev's script", role: "viewer", scopes: ["read"] });
    const { bindings, notifications } = admin.client(token);
    const [binding] = (await bindings.list.query()).items;
    expect((await notifications.list.query()).items[0]?.toPhone).toMatch(/^•••/u);
    const changes = [
      bindings.changeMany.mutate({ action: "disable", ids: [binding?.id ?? ""] }),
      notifications.sendNowMany.mutate({ siteId: binding?.siteId }),
      notifications.cancelMany.mutate({ siteId: binding?.siteId }),
    ];
    expect(await Promise.all(changes.map(async (change) => (await refusal(change)).code))).toEqual(changes.map(() => "FORBIDDEN"));
    expect([...problems, ...inviting.problems]).toEqual([]);
  });

  detail("a viewer finds nothing to change on any page of the shop's", async () => {
    const { owner, visit } = opened();
    const { bindings, events, webhooks } = owner.client;
    const [binding] = (await bindings.list.query()).items;
    const [event] = (await events.list.query()).items;
    const siteId = binding?.siteId ?? "";
    await webhooks.create.mutate({ siteId, url: "https://shop.example/hook", types: ["message.sent"] });
    const { page } = await visit("viewer");
    const things = [`/sites/${siteId}`, `/bindings/${binding?.id}`, `/templates/${binding?.templateId}`, `/events?open=${event?.id}`];
    for (const path of [
      "/sites",
      "/bindings",
      "/templates",
      "/templates/gallery",
      "/log",
      "/webhooks",
      "/phone",
      "/settings/alerts",
      ...things,
    ]) {
      await lead(page, path);
      await page.getByRole("main").getByRole("heading").first().waitFor();
      await expect.poll(() => page.locator('[role="status"][aria-busy="true"], .mantine-Skeleton-root').count()).toBe(0);
      expect([path, await page.getByRole("button", { name: changing }).allInnerTexts()]).toEqual([path, []]);
      expect([path, await page.getByRole("main").getByRole("checkbox").count()]).toEqual([path, 0]);
    }
    expect(await page.content()).not.toContain("4155550123");
  });
});

/** The procedures that a page calls from now on. */
function callsOf(page: Page): () => string[] {
  const names: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/trpc/")) names.push(...pathname.slice("/trpc/".length).split(","));
  });
  return () => names;
}

async function pagesOffered(page: Page): Promise<string[]> {
  const links = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
  await links.first().waitFor();
  return links.allInnerTexts();
}
