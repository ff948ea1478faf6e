import type { Locator, Page, Request } from "playwright-core";
import { newId } from "shared/db/ids";
import { expect, test } from "vitest";
import { isLong } from "../../faults/harness/scale.ts";
import { idAt, insertNotification } from "../../support/admin-shops.ts";
import { data } from "../../support/data.ts";
import { age } from "../../support/keeping.ts";
import { postEvent } from "../../support/requests.ts";
import { looksRight, untilThereAre } from "../stack.ts";
import { describeInBrowser, detail, type Opened, untilFound } from "../support.ts";

const hourMs = 3_600_000;

/** The questions of a request, each with its input. */
function questionsOf({ pathname, searchParams }: URL): string[] {
  const inputs = JSON.parse(searchParams.get("input") ?? "{}") as Partial<Record<number, unknown>>;
  const names = pathname.startsWith("/trpc/") ? pathname.slice("/trpc/".length).split(",") : [];
  return names.map((name, index) => `${name} ${JSON.stringify(inputs[index])}`);
}

/** The cards of problems that the page shows, also those that it does not show at first. */
async function cardsOf(page: Page) {
  const section = page.getByRole("region", { name: "Problems" });
  const cards = section.getByRole("article");
  await cards.first().waitFor();
  const more = section.getByRole("button", { name: /^Show all/u });
  if (await more.isVisible()) await more.click();
  return cards;
}

describeInBrowser("the overview", (opened) => {
  detail("figures, days and reasons are those of the site and the span in the address", async () => {
    const site = await makeSite(opened(), "Counted");
    await logMessages(opened(), site, { read: 6, delivered: 2, sent: 1, failed: 1 }, 2);
    await logMessages(opened(), site, { delivered: 10 }, 20);
    const { page } = await opened().visit("owner", `/?siteId=${site}`);
    const figures = async () => (await page.locator("dl > div").allInnerTexts()).map((text) => text.replaceAll(/\s+/gu, " ").trim());
    await page.getByText("80% of sent and failed").waitFor();
    expect(await figures()).toEqual(data("test-browser-pages-overview", "figures, days and reasons are those of the site and"));
    await page.getByRole("img", { name: /^Messages per day/u }).waitFor();

    await page.getByRole("radiogroup", { name: "Days shown" }).getByText("30 days").click();
    await page.waitForURL(/days=30/u);
    await page.getByText("90% of sent and failed").waitFor();
    await page.reload();
    await page.getByText("90% of sent and failed").waitFor();
    await expect.poll(() => page.getByRole("combobox", { name: "Site" }).inputValue()).toBe("Counted");
    await page.getByText("Table", { exact: true }).click();
    const days = page.getByRole("table", { name: "Messages per day" });
    await untilThereAre(31, days.getByRole("row"));
    await days.getByRole("row").filter({ hasText: "10" }).first().waitFor();
  });

  detail("a switch in the header, which the browser remembers, turns lists and figures to test sites for everybody", async () => {
    const { owner, visit } = opened();
    const live = await makeSite(opened(), "Real");
    const trial = await owner.client.sites.create.mutate({
      name: "Trial",
      url: "https://shop.example",
      sourceType: "generic",
      mode: "test",
    });
    await logMessages(opened(), live, { failed: 3 }, 2);
    await logMessages(opened(), trial.site.id, { read: 2 }, 2);
    const watched = await visit("viewer");
    const { page } = watched;
    const figure = (name: string) =>
      page
        .locator("dl > div")
        .filter({ hasText: new RegExp(`^${name}`, "u") })
        .locator("dd")
        .first();
    const rows = (table: string, text: string) => page.getByRole("table", { name: table }).getByRole("row").filter({ hasText: text });
    await page.goto("/");
    // Sites of other tests have failures too.
    await expect.poll(() => figure("Failed").textContent()).toMatch(/^[3-9]$/u);
    await page.getByRole("switch", { name: "Test data" }).click();
    await page.getByRole("status").filter({ hasText: "Test data Lists and figures show test sites only." }).waitFor();
    await expect.poll(() => figure("Read").textContent()).toBe("2");
    await expect.poll(() => figure("Failed").textContent()).toBe("0");
    expect(await page.getByRole("heading", { name: "Problems" }).count()).toBe(0);
    await page.goto("/log");
    await untilThereAre(2, rows("Messages", "Read"));
    expect(await rows("Messages", "Failed").count()).toBe(0);
    // What an address names is shown wherever it is.
    await page.goto(`/log?siteId=${live}`);
    await untilThereAre(3, rows("Messages", "Failed"));
    expect(await page.getByText("Lists and figures show test sites only.").count()).toBe(0);
    await page.goto("/statistics?by=site");
    await rows("Messages by site", "Trial").waitFor();
    expect(await rows("Messages by site", "Real").count()).toBe(0);
    await looksRight(watched);
    await page.getByRole("switch", { name: "Test data" }).click();
    await rows("Messages by site", "Real").waitFor();
    expect(await rows("Messages by site", "Trial").count()).toBe(0);
  });

  test("a first look costs at most 300 KB over the wire, a second one next to nothing", async () => {
    const site = await makeSite(opened(), "Weighed");
    await logMessages(opened(), site, { read: 6, failed: 1 }, 2);
    const { page } = await opened().visit("owner");
    const network = await page.context().newCDPSession(page);
    await network.send("Network.enable");
    await network.send("Network.clearBrowserCache");
    const addresses = new Map<string, string>();
    network.on("Network.requestWillBeSent", ({ requestId, request }) => addresses.set(requestId, request.url));
    // By address: on a slow machine the page asks some questions again, as it does every few seconds, before all of the first are answered.
    const bytes = new Map<string, number>();
    network.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      const address = addresses.get(requestId) ?? requestId;
      if (!bytes.has(address)) bytes.set(address, encodedDataLength);
    });
    const look = async (path: string, part: Locator) => {
      bytes.clear();
      await page.goto(path);
      await part.waitFor();
      await page.waitForLoadState("networkidle");
      return [...bytes.values()].reduce((sum, each) => sum + each, 0) / 1000;
    };
    const home = [`/?siteId=${site}`, page.getByRole("img", { name: /^Messages per day/u })] as const;
    const first = await look(...home);
    expect(first).toBeGreaterThan(100);
    expect(first).toBeLessThan(300);
    expect(await look(...home)).toBeLessThan(30);
    // The scripts of every other page have their bound in the build.
    if (!isLong) return;
    const { client } = opened().owner;
    const templateId = (await client.templates.list.query({ status: "approved" })).items[0]?.id ?? "";
    const bound = { siteId: site, event: "order.weighed", templateId, recipient: { strategy: "customer" as const }, variableMap: {} };
    const { binding } = await client.bindings.create.mutate(bound);
    const text = { name: "weighed", language: "en", category: "UTILITY" as const, body: "Your order is weighed." };
    const { template: draft } = await client.templates.create.mutate(text);
    const lists = ["log", "events", "scheduled", "webhooks", "sites", "bindings", "phone", "settings/people", "settings/general"];
    const objects = [`sites/${site}?tab=overview`, `templates/${templateId}`, `templates/${draft.id}`, `bindings/${binding.id}`];
    for (const path of [...lists, ...objects, "developers", "developers/queue"]) {
      await network.send("Network.clearBrowserCache");
      const weight = await look(`/${path}`, page.getByRole("heading", { level: 1 }));
      expect([path, weight, weight < 300]).toEqual([path, weight, true]);
    }
  });

  test("the page names what it needs: its scripts and its first questions are asked before any script has run, and once", async () => {
    const site = await makeSite(opened(), "Early");
    await logMessages(opened(), site, { read: 3, failed: 1 }, 2);
    const { page } = await opened().visit("owner");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(decodeURIComponent(new URL(request.url()).pathname)));
    const needed = [
      /\/home-page-.*\.js$/u,
      /\/bar-chart-.*\.js$/u,
      /\/shell-.*\.js$/u,
      /\/trpc\/auth\.state,auth\.me$/u,
      /\/trpc\/settings\.get,problems\.list,sites\.list/u,
      /\/trpc\/notifications\.list,stats\.overview$/u,
    ];
    // No script runs until all queries were sent.
    await page.route(/\/assets\/base-[^/]*\.js$/u, async (route) => {
      await expect.poll(() => needed.filter((each) => !asked.some((path) => each.test(path)))).toEqual([]);
      await route.continue();
    });
    await page.goto("/");
    await page.getByRole("img", { name: /^Messages per day/u }).waitFor();
    const files = asked.filter((path) => path.startsWith("/assets/"));
    expect(files).toEqual([...new Set(files)]);
    const questions = asked.filter((path) => path.startsWith("/trpc/")).map((path) => path.slice("/trpc/".length).split(","));
    for (const question of ["auth.state", "auth.me", "settings.get"])
      expect(questions.flat().filter((each) => each === question)).toHaveLength(1);
  });

  detail("a list's rows are asked before any script has run, and once", async () => {
    // What is young is looked at again.
    await age(opened().sql, 1);
    const { page } = await opened().visit("owner");
    for (const [path, question] of [
      ["/log", "notifications.list"],
      ["/events", "events.list"],
      ["/scheduled", "notifications.scheduled"],
      ["/webhooks", "webhookDeliveries.list"],
    ] as const) {
      const asked: string[] = [];
      const note = (request: Request) => void asked.push(...questionsOf(new URL(request.url())));
      const isAsked = () => asked.some((each) => each.startsWith(`${question} `));
      page.on("request", note);
      await page.route(/\/assets\/base-[^/]*\.js$/u, async (route) => {
        await expect.poll(isAsked).toBe(true);
        await route.continue();
      });
      await page.goto(path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("networkidle");
      const rows = asked.filter((each) => each.startsWith(`${question} `) || each.startsWith("views.list "));
      expect(rows).toEqual([...new Set(rows)]);
      page.off("request", note);
      await page.unrouteAll({ behavior: "wait" });
    }
  });

  detail("events without a recipient are told with the field that was looked at, and lead to exactly these", async () => {
    const { owner, gateway, visit } = opened();
    const name = "Phoneless shop";
    const { site, apiKey, webhookSecret } = await owner.client.sites.create.mutate({
      name,
      url: "https://shop.example",
      sourceType: "generic",
    });
    const templateId = (await owner.client.templates.list.query({ status: "approved" })).items[0]?.id ?? "";
    const binding = { siteId: site.id, event: "order.created", templateId, recipient: { strategy: "customer" as const }, variableMap: {} };
    await owner.client.bindings.create.mutate(binding);
    const post = async (customer: object, headers = {}) =>
      postEvent(gateway, { key: apiKey, secret: webhookSecret }, { customer }, { headers });
    for (const phone_e164 of ["0171 2345678", "0172 3456789", null]) await post({ phone_e164 });
    await post({}, { "X-Service-Mode": "test" });
    await untilFound(opened(), site.id, 2);

    const watched = await visit("viewer", `/sites/${site.id}?tab=overview`);
    const { page } = watched;
    const cards = await cardsOf(page);
    const missing = cards.filter({ hasText: `Events of ${name} reach nobody: customer.phone_e164 is missing or is not text` });
    await missing.getByText("Make the shop ask for a phone number").waitFor();
    const unreadable = cards.filter({ hasText: "the phone at customer.phone_e164 has no country code" });
    await unreadable.getByText("Switch on “Add country codes” on the site's page and choose its country").waitFor();
    expect(await unreadable.textContent()).not.toContain("0171");
    await looksRight(watched);
    await unreadable.getByRole("link", { name: "Show 2" }).click();
    await page.waitForURL(/\/events\?/u);
    const rows = page.getByRole("table", { name: "Events" }).getByRole("row").filter({ hasText: "No valid phone number" });
    await untilThereAre(2, rows);
  });
});

async function makeSite({ owner }: Opened, name: string): Promise<string> {
  const { site } = await owner.client.sites.create.mutate({ name, url: "https://shop.example", sourceType: "generic" });
  return site.id;
}

async function logMessages({ owner, sql }: Opened, siteId: string, counts: Record<string, number>, daysAgo: number): Promise<void> {
  const { account } = await owner.client.auth.me.query();
  const at = { accountId: account.id, siteId, eventId: newId() };
  for (const [status, count] of Object.entries(counts))
    for (let made = 0; made < count; made += 1)
      await insertNotification(sql, at, { id: idAt(Date.now() - daysAgo * 24 * hourMs - made), status });
}
