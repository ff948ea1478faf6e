import type { Page, Request } from "playwright-core";
import { expect, test } from "vitest";
import { waitFor } from "../../support/wait-for.ts";
import { untilThereAre } from "../stack.ts";
import { describeInBrowser, type Opened } from "../support.ts";

/** Rows of three pages, the last one begun. */
const rows = 130;

/** An endpoint that is switched off, with deliveries that failed. */
async function toldShop({ owner, sql }: Opened) {
  const { client } = owner;
  const { site } = await client.sites.create.mutate({ name: "Told shop", url: "https://told.example", sourceType: "generic" });
  const { webhook } = await client.webhooks.create.mutate({
    siteId: site.id,
    url: "https://told.example/hooks",
    types: ["message.sent"],
    enabled: false,
  });
  const deliver = (count: number) => sql`
    insert into webhook_delivery (id, webhook_id, type, site_id, occurred_at, status)
    select uuid_at(now() + n * interval '2 milliseconds'), ${webhook.id}, 'message.sent', ${site.id}, now(), 'failed' from generate_series(1, ${count}::integer) n`;
  await deliver(rows);
  return { site, deliver };
}

/** The cursors of the page's calls of a procedure from now on; null for the first page of its list. */
function cursorsOf(page: Page, procedure: string): (string | null)[] {
  const cursors: (string | null)[] = [];
  page.on("request", (request: Request) => {
    const { pathname, searchParams } = new URL(request.url());
    const inputs = JSON.parse(searchParams.get("input") ?? "{}") as Record<number, { cursor?: string }>;
    for (const [at, path] of pathname.replace("/trpc/", "").split(",").entries())
      if (path === procedure) cursors.push(inputs[at]?.cursor ?? null);
  });
  return cursors;
}

describeInBrowser("lists that show what is new by themselves", (opened) => {
  test("the deliveries ask for their newest page alone, however many are loaded, and keep the others", async () => {
    const { site, deliver } = await toldShop(opened());
    const { page } = await opened().visit("operator", undefined, { isLast: true });
    await page.clock.install();
    const cursors = cursorsOf(page, "webhookDeliveries.list");
    await page.goto(`/webhooks?siteId=${site.id}`);
    await loadAll(page);
    await deliver(1);
    await looks(3, page, cursors, 5_000);
    await untilListed(page, rows + 1);
    // Each older page was asked for once, when it was loaded.
    expect(cursors.filter((cursor) => cursor !== null)).toHaveLength(2);
  });

  test("an open list says that its server does not answer, and goes on when asked", async () => {
    const { open, operator } = opened();
    await using watched = await open({ token: operator.token, isLast: true });
    const { page } = watched;
    await page.goto("/log");
    await page.getByRole("table", { name: "Messages" }).or(page.getByText("No messages yet")).waitFor();
    await page.route(/notifications\.list/u, () => undefined);
    await page.getByText("The server has not answered yet. What is shown is of").waitFor();
    const asked = page.waitForRequest(/notifications\.list/u);
    await page.getByRole("button", { name: "Try again" }).click();
    await asked;
    await page.unroute(/notifications\.list/u);
    await page.getByText("The server has not answered yet.").waitFor({ state: "detached" });
  });
});

/** Waits for some looks of the page, of which there are more than these if the machine is slow. */
async function looks(count: number, page: Page, cursors: readonly unknown[], everyMs: number): Promise<void> {
  const before = cursors.length;
  for (let look = 1; look <= count; look += 1) {
    await page.clock.runFor(everyMs);
    await waitFor("a look", async () => cursors.length - before >= look);
  }
}

/** Only the rows in sight of a long list are drawn: the table says how many there are, the headings with them. */
const untilListed = async (page: Page, count: number) =>
  untilThereAre(1, page.locator(`[aria-label="Deliveries"][aria-rowcount="${count + 1}"]`));

/** Loads the list to its end. */
async function loadAll(page: Page): Promise<void> {
  for (const _page of ["second", "third"]) await page.getByRole("button", { name: "Show more" }).click();
  await untilListed(page, rows);
}
