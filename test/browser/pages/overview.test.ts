import type { Page } from "playwright-core";
import { newId } from "shared/db/ids";
import { expect, test } from "vitest";
import { idAt, insertEvent, insertNotification } from "../../support/admin-shops.ts";
import { postEvent } from "../../support/requests.ts";
import { untilThereAre, accessibilityProblems, sidewaysScroll } from "../stack.ts";
import { describeInBrowser, type Opened } from "../support.ts";

const hourMs = 3_600_000;

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
    const reason = page.getByRole("listitem").filter({ hasText: "Undeliverable" });
    await reason.getByText("Resend once the recipient says that WhatsApp works on this number").waitFor();
    expect(await page.getByRole("table", { name: "Recent messages" }).getByRole("link").count()).toBe(10);

    await page.getByText("30 days", { exact: true }).click();
    await page.waitForURL(/days=30/u);
    await page.getByText("90% of all messages").waitFor();
    await page.reload();
    await page.getByText("90% of all messages").waitFor();
    await expect.poll(() => page.getByRole("combobox", { name: "Site" }).inputValue()).toBe("Counted");
    await page.getByText("Table", { exact: true }).click();
    const days = page.getByRole("table", { name: "Messages per day" });
    await untilThereAre(31, days.getByRole("row"));
    await days.getByRole("row").filter({ hasText: "10" }).first().waitFor();

    await reason.getByRole("link").click();
    await page.waitForURL(/\/log\?.*errorCode/u);
    expect(new URL(page.url()).searchParams.get("siteId")).toBe(site);
    expect(problems).toEqual([]);
  });

  test("a site that went silent, a rejected template and a binding that cannot send are named, each with a way there", async () => {
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
    await concerns.filter({ hasText: "No events from Gone quiet" }).getByText("longest pause in the week before was 1 hour").waitFor();
    await concerns.filter({ hasText: "turned_down (en_US) is rejected" }).getByText("Too promotional.").waitFor();
    await concerns.filter({ hasText: "order.paid cannot send not_asked_yet" }).getByText("submit it for approval").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("link", { name: "No events from Gone quiet" }).click();
    await page.waitForURL(`**/sites/${site}`);
    expect(problems).toEqual([]);
  });

  test.each([
    [
      "woocommerce",
      "switches a webhook off after five failed deliveries",
      "WooCommerce, Settings, Advanced, Webhooks, and set the status to Active",
    ],
    ["shopify", "removes a webhook after repeated failures", "Settings, Notifications, Webhooks, and create those that are missing"],
  ] as const)(
    "a shop of %s that was connected and stopped says so on the overview and on its page, with where to look",
    async (sourceType, ...texts) => {
      const { open, viewer, owner, sql } = opened();
      const name = `Stopped ${sourceType}`;
      const { site } = await owner.client.sites.create.mutate({ name, url: "https://shop.example", sourceType });
      await sql`update site set connected_at = now() - interval '9 days' where id = ${site.id}`;
      await sql`insert into site_topic (site_id, topic, last_seen_at) values (${site.id}, 'order.created', now() - interval '8 days')`;
      for (const width of [1440, 390]) {
        await using watched = await open({ token: viewer.token, width, colorScheme: width === 390 ? "dark" : "light" });
        const { page, problems } = watched;
        await page.goto("/");
        const concern = page.getByRole("region", { name: "Needs attention" }).getByRole("listitem").filter({ hasText: name });
        for (const text of texts) await concern.getByText(text).waitFor();
        await concern.getByRole("link", { name: `No events from ${name}` }).click();
        await page.waitForURL(`**/sites/${site.id}`);
        const notice = page.getByRole("alert").filter({ hasText: "Nothing arrives any more" });
        for (const text of texts) await notice.getByText(text).waitFor();
        expect(await accessibilityProblems(page)).toEqual([]);
        expect(await sidewaysScroll(page)).toBe(0);

        await sql`update site_topic set last_seen_at = now() where site_id = ${site.id}`;
        await Promise.all([page.waitForResponse(/stats\.silentSites/u), page.reload()]);
        await page.getByRole("heading", { name, level: 1 }).waitFor();
        await notice.waitFor({ state: "detached" });
        await sql`update site_topic set last_seen_at = now() - interval '8 days' where site_id = ${site.id}`;
        expect(problems).toEqual([]);
      }
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

    for (const width of [1440, 390]) {
      await using watched = await open({ token: viewer.token, width, colorScheme: width === 390 ? "dark" : "light" });
      const { page, problems } = watched;
      await page.goto("/");
      const concern = page.getByRole("region", { name: "Needs attention" }).getByRole("listitem").filter({ hasText: name });
      await concern.getByRole("link", { name: `3 events of ${name} without a recipient` }).waitFor();
      await concern.getByText("customer.phone_e164 is missing or no text. Have the shop ask for a phone").waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await sidewaysScroll(page)).toBe(0);
      await concern.getByRole("link", { name: "2 events" }).click();
      await page.waitForURL(/\/events\?/u);
      const rows = page.getByRole("table", { name: "Events" }).getByRole("row").filter({ hasText: "No valid phone number" });
      await untilThereAre(2, rows);
      await page
        .getByLabel("Kind")
        .getByText("The phone at customer.phone_e164 has no country code", { exact: false })
        .waitFor({ state: "attached" });
      await page.getByLabel("Kind").selectOption({ label: "Live" });
      await untilThereAre(3, rows);

      await page.goto(`/sites/${site.id}`);
      const notice = page.getByRole("alert").filter({ hasText: `3 events of ${name} without a recipient` });
      await notice.getByText("Switch on “Complete numbers” on the site's page and choose its country").waitFor();
      expect(await notice.textContent()).not.toContain("0171");
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await sidewaysScroll(page)).toBe(0);
      expect(problems).toEqual([]);
    }
  });

  test("what does not come is said in its place, and comes when it is asked for again", async () => {
    const { open, viewer } = opened();
    await using watched = await open({ token: viewer.token });
    const { page } = watched;
    const figures = /\/trpc\/[^?]*stats\.overview/u;
    await page.route(figures, (route) => route.abort());
    await page.goto("/");
    await alertOf(page, "Could not load the figures").waitFor();
    await page.getByRole("table", { name: "Recent messages" }).waitFor();
    await page.unroute(figures);
    await alertOf(page, "Could not load the figures").getByRole("button", { name: "Try again" }).click();
    await page.getByRole("img", { name: /^Messages per day/u }).waitFor();
  });
});

const alertOf = (page: Page, text: string) => page.getByRole("alert").filter({ hasText: text });

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
