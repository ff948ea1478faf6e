import type { Page, Request } from "playwright-core";
import { expect, test } from "vitest";
import { idAt, insertEvent, insertNotification } from "../../support/admin-shops.ts";
import { waitFor } from "../../support/wait-for.ts";
import { untilThereAre } from "../stack.ts";
import { describeInBrowser, detail, type Opened, ownShop } from "../support.ts";

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

/** A shop whose messages wait for days, the last one first. */
async function waitingShop(opened: Opened) {
  const { owner, sql } = opened;
  const { site } = await ownShop(opened, "Patient shop");
  const { account } = await owner.client.auth.me.query();
  const eventId = await insertEvent(sql, site.id, { id: idAt(Date.now()) });
  for (let n = 0; n < rows; n += 1) {
    await insertNotification(
      sql,
      { accountId: account.id, siteId: site.id, eventId },
      { id: idAt(Date.now() + n), to_phone: `+4915110000${100 + n}`, status: "scheduled" },
    );
  }
  await sql`
    insert into waiting_message (site_id, id, account_id, event_id, binding_id, phone_hash, due_at, queued_at)
    select site_id, id, account_id, event_id, binding_id, 'digest', now() + interval '9 days' - right(to_phone, 3)::integer * interval '1 minute', now() + interval '9 days' - right(to_phone, 3)::integer * interval '1 minute'
    from notification where site_id = ${site.id}`;
  return { site };
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
    const { open, operator } = opened();
    const { site, deliver } = await toldShop(opened());
    await using watched = await open({ token: operator.token, isLast: true });
    const { page, problems } = watched;
    await page.clock.install();
    const cursors = cursorsOf(page, "webhookDeliveries.list");
    await page.goto(`/webhooks?siteId=${site.id}`);
    const links = page.getByRole("table", { name: "Deliveries" }).getByRole("link");
    await loadAll(page, links);
    await deliver(1);
    await looks(3, page, cursors, 5_000);
    await untilThereAre(rows + 1, links);
    // Each older page was asked for once, when it was loaded.
    expect(cursors.filter((cursor) => cursor !== null)).toHaveLength(2);
    expect(problems).toEqual([]);
  });

  detail("so do the scheduled messages, which leave at the top", async () => {
    const { open, operator, sql } = opened();
    const { site } = await waitingShop(opened());
    await using watched = await open({ token: operator.token, isLast: true });
    const { page, problems } = watched;
    await page.clock.install();
    const cursors = cursorsOf(page, "notifications.scheduled");
    await page.goto(`/scheduled?siteId=${site.id}`);
    const links = page.getByRole("table", { name: "Scheduled messages" }).getByRole("link", { name: /^\+/u });
    await loadAll(page, links);
    await sql`delete from waiting_message where site_id = ${site.id} and id in (select id from waiting_message where site_id = ${site.id} order by queued_at limit 2)`;
    await looks(3, page, cursors, 10_000);
    await untilThereAre(rows - 2, links);
    expect(cursors.filter((cursor) => cursor !== null)).toHaveLength(2);
    expect(problems).toEqual([]);
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

/** Loads the list to its end. */
async function loadAll(page: Page, links: Parameters<typeof untilThereAre>[1]): Promise<void> {
  for (const loaded of [50, 100]) {
    await untilThereAre(loaded, links);
    await page.getByRole("button", { name: "Show more" }).click();
  }
  await untilThereAre(rows, links);
}
