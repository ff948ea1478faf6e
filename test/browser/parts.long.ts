import { newId } from "shared/db/ids";
import { expect, test } from "vitest";
import { idAt, insertNotification } from "../support/admin-shops.ts";
import { looksRight, untilThereAre } from "./stack.ts";
import { describeInBrowser, type Opened, untilFound } from "./support.ts";

/** A name without a blank, as people give them. */
const long = "A_very_long_name_without_any_blank_in_it_".repeat(2);

/** A site whose messages fail for so many reasons, each a problem of its own. */
async function failingShop({ owner, sql, ...rest }: Opened, codes: string[]) {
  const { account } = await owner.client.auth.me.query();
  const { site } = await owner.client.sites.create.mutate({ name: long, url: "https://shop.example", sourceType: "generic" });
  const at = { accountId: account.id, siteId: site.id, eventId: newId() };
  for (const error_code of codes) await insertNotification(sql, at, { status: "failed", error_code, id: idAt(Date.now() - 3_600_000) });
  await untilFound({ owner, sql, ...rest }, site.id, codes.length);
  const { items } = await owner.client.problems.list.query({ siteId: site.id });
  return { account, siteId: site.id, ids: codes.map((code) => items.find(({ title }) => title.includes(code))?.id ?? "") };
}

describeInBrowser("the shared parts in every state", (opened) => {
  test("problem cards fit and are accessible, and their menu goes by arrow keys; Escape gives the focus back", async () => {
    const { open, operator, viewer } = opened();
    const { siteId, ids } = await failingShop(opened(), ["131049", "131051", "131009", "131026"]);
    const [acknowledged = "", snoozed = "", resolved = ""] = ids;
    const { problems: change } = operator.client;
    await change.acknowledge.mutate({ id: acknowledged });
    await change.note.mutate({ id: acknowledged, note: `Meta knows of it.\n${long}` });
    await change.snooze.mutate({ id: snoozed, until: new Date(Date.now() + 86_400_000).toISOString() });
    await change.resolve.mutate({ id: resolved });
    for (const { token } of [operator, viewer]) {
      await using watched = await open({ token });
      for (const state of ["open", "acknowledged", "snoozed", "resolved"]) {
        await watched.page.goto(`/problems?siteId=${siteId}&state=${state}`);
        await untilThereAre(1, watched.page.getByRole("article"));
        await looksRight(watched);
      }
      expect(watched.problems).toEqual([]);
    }

    await using watched = await open({ token: operator.token });
    const { page } = watched;
    await page.goto(`/problems?siteId=${siteId}&state=open`);
    const more = page.getByRole("article").getByRole("button", { name: /^More for/u });
    const focused = (name: string) => page.getByRole("menuitem", { name }).and(page.locator(":focus")).waitFor();
    await more.press("Enter");
    await focused("Show 1");
    await page.keyboard.press("ArrowDown");
    await focused("Acknowledge");
    await page.keyboard.press("Escape");
    await more.and(page.locator(":focus")).waitFor();
    expect(await page.getByRole("menu").count()).toBe(0);
    await more.press("Enter");
    await focused("Show 1");
    await page.keyboard.press("End");
    await page.getByRole("menuitem").last().and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Snooze until" }).waitFor();
    await page.keyboard.press("Escape");
    await more.and(page.locator(":focus")).waitFor();
  });

  test("the progress of what is over fits and is accessible, whatever came of it", async () => {
    const { owner, sql, visit } = opened();
    const { account } = await owner.client.auth.me.query();
    const over = { account_id: account.id, created_by: long, finished_at: new Date(), settled_at: new Date(), asked_at: new Date() };
    const kinds = [
      { kind: "resend", total: 1204, made: 1204, sent: 40, delivered: 1100, failed: 54, skipped: 10 },
      { kind: "cancel", total: 1, made: 1, cancelled: 1 },
      { kind: "change_bindings", total: 12, made: 12, changed: 11, failed: 1 },
      { kind: "replay_deliveries", total: 9, made: 0, stopping_at: new Date() },
    ].map((operation) => ({ id: newId(), ...over, ...operation }));
    for (const operation of kinds) await sql`insert into operation ${sql(operation)}`;
    const watched = await visit("operator");
    const { page } = watched;
    await page.addInitScript((ids) => sessionStorage.setItem("tidings-followed", ids), JSON.stringify(kinds.map(({ id }) => id)));
    await page.goto("/developers");
    await untilThereAre(kinds.length, page.getByRole("region", { name: "Progress of operations" }).getByRole("article"));
    await looksRight(watched);
  });

  test("filters are chosen by keyboard and stand in the address, and the focus stays among them", async () => {
    const { open, operator } = opened();
    await using watched = await open({ token: operator.token });
    const { page } = watched;
    await page.goto("/log");
    const focused = (name: string) => page.getByRole("button", { name, exact: true }).and(page.locator(":focus")).waitFor();
    await page.getByRole("button", { name: "Filter", exact: true }).press("Enter");
    await page.getByRole("menuitem", { name: "Status" }).and(page.locator(":focus")).press("Enter");
    await page.getByRole("menuitemradio", { name: "Scheduled" }).and(page.locator(":focus")).press("ArrowDown");
    await page.keyboard.press("Enter");
    await focused("Status: Cancelled");
    expect(new URL(page.url()).search).toBe("?status=cancelled");
    await page.getByText("No matches", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Remove filter Status: Cancelled" }).press("Enter");
    await focused("Filter");
    expect(new URL(page.url()).search).toBe("");
  });
});
