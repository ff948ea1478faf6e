import type { Page } from "playwright-core";
import { newId } from "shared/db/ids";
import { expect, test } from "vitest";
import { idAt, insertEvent, insertNotification } from "../../support/admin-shops.ts";
import { postEvent } from "../../support/requests.ts";
import { accessibilityProblems, lead, looksRight, untilThereAre } from "../stack.ts";
import { describeInBrowser, type Opened } from "../support.ts";

const hourMs = 3_600_000;

/** All findings, also those that the page does not show at first. */
async function findingsOf(page: Page) {
  const section = page.getByRole("region", { name: "What is wrong" });
  const findings = section.getByRole("listitem");
  await findings.first().waitFor();
  const more = section.getByRole("button", { name: /^Show all/u });
  if (await more.isVisible()) await more.click();
  return findings;
}

describeInBrowser("the overview", (opened) => {
  test("figures, days, reasons and the last messages are those of the site and the span in the address", async () => {
    const { open, owner } = opened();
    const site = await makeSite(opened(), "Counted");
    await logMessages(opened(), site, { read: 6, delivered: 2, sent: 1, failed: 1 }, 2);
    await logMessages(opened(), site, { delivered: 10 }, 20);
    await using watched = await open({ token: owner.token });
    const { page, problems } = watched;
    await page.goto(`/?siteId=${site}`);
    const figures = async () => (await page.locator("dl > div").allInnerTexts()).map((text) => text.replaceAll(/\s+/gu, " ").trim());
    await page.getByText("80% of all messages").waitFor();
    expect(await figures()).toEqual([
      "Sent 9",
      "Delivered 8 80% of all messages",
      "Read 6 75% of delivered messages",
      "Failed 1 10% of all messages",
    ]);
    await page.getByRole("img", { name: /^Messages per day/u }).waitFor();
    const reason = page.getByRole("region", { name: "Failures by reason" }).getByRole("listitem").filter({ hasText: "Undeliverable" });
    await reason.getByText("Resend once the recipient says that WhatsApp works on this number").waitFor();
    expect(await page.getByRole("table", { name: "Recent messages" }).getByRole("link").count()).toBe(10);

    await page.getByRole("radiogroup", { name: "Days shown" }).getByText("30 days").click();
    await page.waitForURL(/days=30/u);
    await page.getByText("90% of all messages").waitFor();
    await page.reload();
    await page.getByText("90% of all messages").waitFor();
    await expect.poll(() => page.getByRole("combobox", { name: "Site" }).inputValue()).toBe("Counted");
    await page.getByText("Table", { exact: true }).click();
    const days = page.getByRole("table", { name: "Messages per day" });
    await untilThereAre(31, days.getByRole("row"));
    await days.getByRole("row").filter({ hasText: "10" }).first().waitFor();

    expect(problems).toEqual([]);
  });

  test("every number that is a link leads to exactly as many messages", async () => {
    const { open, owner, sql } = opened();
    const { account } = await owner.client.auth.me.query();
    const site = await makeSite(opened(), "Linked");
    const other = await makeSite(opened(), "Linked elsewhere");
    const codes = ["131026", "131047", "131049", "131050", "131051", "132001"];
    for (const [i, error_code] of codes.entries())
      for (const siteId of [site, other])
        for (const days of [1, 3, 10, 40])
          for (let made = 0; made <= i; made += 1)
            await insertNotification(
              sql,
              { accountId: account.id, siteId, eventId: newId() },
              { id: idAt(Date.now() - days * 24 * hourMs - made), status: "failed", error_code },
            );
    await using watched = await open({ token: owner.token });
    const { page, problems } = watched;
    for (const days of [7, 30]) {
      await page.goto(`/?siteId=${site}&days=${days}`);
      await page.getByRole("button", { name: `Show all ${codes.length} reasons` }).click();
      const numbers = page.getByRole("main").getByRole("link", { name: /^\d+$/u });
      await untilThereAre(codes.length, numbers);
      const counts = await numbers.allInnerTexts();
      expect(counts.map(Number).toSorted((a, b) => a - b)).toEqual(codes.map((_, i) => (i + 1) * (days === 7 ? 2 : 3)));
      // Of the longer span, the first and the last.
      for (const [i, count] of counts.entries()) {
        if (days === 30 && i > 0 && i < counts.length - 1) continue;
        await numbers.nth(i).click();
        await page.waitForURL(/\/log\?/u);
        await untilThereAre(Number(count), page.getByRole("grid", { name: "Messages" }).locator('[role="row"][tabindex]'));
        await page.goBack();
        await page.getByRole("button", { name: `Show all ${codes.length} reasons` }).click();
      }
    }
    expect(problems).toEqual([]);
  });

  test("a first look costs at most 300 KB over the wire, a second one next to nothing", async () => {
    const { open, owner } = opened();
    const site = await makeSite(opened(), "Weighed");
    await logMessages(opened(), site, { read: 6, failed: 1 }, 2);
    await using watched = await open({ token: owner.token });
    const { page, problems } = watched;
    const network = await page.context().newCDPSession(page);
    await network.send("Network.enable");
    await network.send("Network.clearBrowserCache");
    let bytes = 0;
    network.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
    const look = async () => {
      bytes = 0;
      await page.goto(`/?siteId=${site}`);
      await page.getByRole("img", { name: /^Messages per day/u }).waitFor();
      await page.getByRole("table", { name: "Recent messages" }).waitFor();
      await page.waitForLoadState("networkidle");
      return bytes / 1000;
    };
    const first = await look();
    expect(first).toBeGreaterThan(100);
    expect(first).toBeLessThan(300);
    expect(await look()).toBeLessThan(30);
    expect(problems).toEqual([]);
  });

  test("the page names what it needs: its scripts and its first questions are asked before any script has run, and once", async () => {
    const { open, owner } = opened();
    const site = await makeSite(opened(), "Early");
    await logMessages(opened(), site, { read: 3, failed: 1 }, 2);
    await using watched = await open({ token: owner.token });
    const { page, problems } = watched;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(decodeURIComponent(new URL(request.url()).pathname)));
    const needed = [/\/home-page-.*\.js$/u, /\/daily-chart-.*\.js$/u, /\/shell-.*\.js$/u, /\/trpc\/auth\.state,auth\.me/u];
    // No script runs until all queries were sent.
    await page.route(/\/assets\/base-[^/]*\.js$/u, async (route) => {
      await expect.poll(() => needed.filter((each) => !asked.some((path) => each.test(path)))).toEqual([]);
      await route.continue();
    });
    await page.goto("/");
    await page.getByRole("img", { name: /^Messages per day/u }).waitFor();
    await page.getByRole("table", { name: "Recent messages" }).waitFor();
    const files = asked.filter((path) => path.startsWith("/assets/"));
    expect(files).toEqual([...new Set(files)]);
    const questions = asked.filter((path) => path.startsWith("/trpc/")).map((path) => path.slice("/trpc/".length).split(","));
    expect(questions[0]).toEqual(["auth.state", "auth.me", "settings.get", "notifications.list", "stats.overview"]);
    for (const question of ["auth.state", "auth.me", "settings.get"])
      expect(questions.flat().filter((each) => each === question)).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  test("what is wrong and what needs attention are named, each with a way there", async () => {
    const { open, viewer, owner, sql } = opened();
    const site = await makeSite(opened(), "Gone quiet");
    for (let hour = 20; hour < 80; hour += 1) await insertEvent(sql, site, { id: idAt(Date.now() - hour * hourMs) });
    const rejected = await makeTemplate(opened(), "turned_down");
    await sql`update template set status = 'rejected', reason = 'Too promotional.' where id = ${rejected}`;
    const draft = await makeTemplate(opened(), "not_asked_yet");
    const binding = { siteId: site, event: "order.paid", templateId: draft, recipient: { strategy: "customer" as const }, variableMap: {} };
    await owner.client.bindings.create.mutate(binding);
    await using watched = await open({ token: viewer.token });
    const { page, problems } = watched;
    await page.goto("/");
    const concerns = page.getByRole("region", { name: "Needs attention" }).getByRole("listitem");
    const findings = await findingsOf(page);
    const silence = findings.filter({ hasText: "Gone quiet: No events arrive any more; the longest pause in the week before was 1 hour" });
    await silence.waitFor();
    await concerns.filter({ hasText: "turned_down (en_US) is rejected" }).getByText("Too promotional.").waitFor();
    await findings.filter({ hasText: "the template not_asked_yet (en_US) is a draft" }).getByText("Submit it for approval").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await silence.getByRole("link", { name: "Open the site" }).click();
    await page.waitForURL(`**/sites/${site}`);
    expect(problems).toEqual([]);
  });

  test.each([
    [
      "woocommerce",
      "switches a webhook off after five failed deliveries",
      "WooCommerce, Settings, Advanced, Webhooks and set the status to Active",
    ],
    ["shopify", "removes a webhook after repeated failures", "Settings, Notifications, Webhooks and create the missing ones"],
  ] as const)(
    "a shop of %s that was connected and stopped says so on the overview and on its page, with where to look",
    async (sourceType, ...texts) => {
      const { open, viewer, owner, sql } = opened();
      const name = `Stopped ${sourceType}`;
      const { site } = await owner.client.sites.create.mutate({ name, url: "https://shop.example", sourceType });
      await sql`update site set connected_at = now() - interval '9 days' where id = ${site.id}`;
      await sql`insert into site_topic (site_id, topic, last_seen_at) values (${site.id}, 'order.created', now() - interval '8 days')`;
      await using watched = await open({ token: viewer.token });
      const { page, problems } = watched;
      await page.goto("/");
      const findings = await findingsOf(page);
      const finding = findings.filter({ hasText: name });
      for (const text of texts) await finding.getByText(text).waitFor();
      await finding.getByRole("link", { name: "Open the site" }).click();
      await page.waitForURL(`**/sites/${site.id}`);
      const notice = findings.filter({ hasText: "No events arrive any more" });
      for (const text of texts) await notice.getByText(text).waitFor();
      await looksRight(watched);

      await sql`update site_topic set last_seen_at = now() where site_id = ${site.id}`;
      await Promise.all([page.waitForResponse(/sites\.diagnose/u), page.reload()]);
      await page.getByRole("heading", { name, level: 1 }).waitFor();
      await notice.waitFor({ state: "detached" });
      expect(problems).toEqual([]);
    },
  );

  test("events without a recipient are told with the field that was looked at, and lead to exactly these, on the overview and the site's page", async () => {
    const { open, viewer, owner, gateway } = opened();
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

    await using watched = await open({ token: viewer.token });
    const { page, problems } = watched;
    await page.goto("/");
    const findings = await findingsOf(page);
    const missing = findings.filter({ hasText: `${name}: 1 event had no recipient: customer.phone_e164 is missing or is not text` });
    await missing.getByText("Make the shop ask for a phone number").waitFor();
    await looksRight(watched);
    await findings
      .filter({ hasText: `${name}: 2 events had no recipient` })
      .getByRole("link", { name: "Show the events" })
      .click();
    await page.waitForURL(/\/events\?/u);
    const rows = page.getByRole("table", { name: "Events" }).getByRole("row").filter({ hasText: "No valid phone number" });
    await untilThereAre(2, rows);
    await page
      .getByLabel("Kind")
      .getByText("The phone at customer.phone_e164 has no country code", { exact: false })
      .waitFor({ state: "attached" });
    await page.getByLabel("Kind").selectOption({ label: "Live" });
    await untilThereAre(3, rows);

    await lead(page, `/sites/${site.id}`);
    const notice = findings.filter({ hasText: "2 events had no recipient" });
    await notice.getByText("Switch on “Complete numbers” on the site's page and choose its country").waitFor();
    expect(await notice.textContent()).not.toContain("0171");
    await looksRight(watched);
    expect(problems).toEqual([]);
  });

  test("failures are ranked, and each leads by the keyboard to exactly the messages that it counts; nothing wrong says so", async () => {
    const { open, viewer, owner, sql } = opened();
    const { account } = await owner.client.auth.me.query();
    const site = await makeSite(opened(), "Failing shop");
    const at = { accountId: account.id, siteId: site, eventId: newId() };
    for (const code of ["131026", "131026", "131026", "131049"])
      await insertNotification(sql, at, { status: "failed", error_code: code, id: idAt(Date.now() - hourMs) });
    await using watched = await open({ token: viewer.token });
    const { page, problems } = watched;
    await page.goto(`/sites/${site}`);
    const findings = await findingsOf(page);
    await untilThereAre(2, findings);
    expect((await findings.allInnerTexts()).map((text) => text.slice(0, 27))).toEqual([
      "3 messages failed (75 %): U",
      "1 message failed (25 %): He",
    ]);
    await looksRight(watched);
    await findings.first().getByRole("link", { name: "Show the messages" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/log\?.*errorCode/u);
    await untilThereAre(3, page.getByRole("grid", { name: "Messages" }).locator('[role="row"][tabindex]'));
    expect(problems).toEqual([]);
    const fine = await makeSite(opened(), "Fine shop");
    await lead(page, `/sites/${fine}`);
    const section = page.getByRole("region", { name: "What is wrong" });
    await section.getByText("Nothing is wrong. No message in the log has failed.").waitFor();
    expect(problems).toEqual([]);
  });
});

async function makeSite({ owner }: Opened, name: string): Promise<string> {
  const { site } = await owner.client.sites.create.mutate({ name, url: "https://shop.example", sourceType: "generic" });
  return site.id;
}

async function makeTemplate({ owner }: Opened, name: string): Promise<string> {
  const { template } = await owner.client.templates.create.mutate({
    name,
    language: "en_US",
    category: "UTILITY",
    body: "Thank you for your order.",
  });
  return template.id;
}

async function logMessages({ owner, sql }: Opened, siteId: string, counts: Record<string, number>, daysAgo: number): Promise<void> {
  const { account } = await owner.client.auth.me.query();
  const at = { accountId: account.id, siteId, eventId: newId() };
  for (const [status, count] of Object.entries(counts))
    for (let made = 0; made < count; made += 1)
      await insertNotification(sql, at, { id: idAt(Date.now() - daysAgo * 24 * hourMs - made), status });
}
