import { expect, test } from "vitest";
import { age } from "../support/keeping.ts";
import { controlToken } from "../support/sandbox.ts";
import { waitFor } from "../support/wait-for.ts";
import { untilFocused, untilThereAre } from "./stack.ts";
import { addFilter, countClicks, describeInBrowser, detail, type Opened, ownShop, untilFound } from "./support.ts";

/** Home as an operator sees it, with the number of clicks from there on. */
async function openHome({ visit }: Opened, query = "") {
  const watched = await visit("operator", `/${query}`);
  await watched.page.getByRole("heading", { name: "Home" }).waitFor();
  return { ...watched, clicks: countClicks(watched.page) };
}

/** The tasks of an operator in a hurry, with the number of clicks; typing is left out. */
describeInBrowser("tasks in a hurry", (opened) => {
  test("a customer got no message: why, by the phone", async () => {
    const { sql } = opened();
    const { site, order } = await ownShop(opened(), "Phoned");
    for (const phone of ["+491703330001", "+491703330002"]) await order(phone, "Ada");
    await waitFor("both to be read", async () => {
      const [row] = await sql`select count(*)::integer as count from notification where site_id = ${site.id} and status = 'read'`;
      return row?.["count"] === 2;
    });
    await sql`
      update notification set status = 'failed', read_at = null, delivered_at = null, failed_at = now(), error_code = '131026'
      where site_id = ${site.id} and to_phone = '+491703330001'`;
    const { page, clicks } = await openHome(opened());
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("combobox", { name: "Search or go to" }).fill("0049 170 3330001");
    await page.getByRole("option", { name: /Search messages for/u }).click();
    const rows = page.getByRole("table", { name: "Messages" }).locator("[data-index]");
    await untilThereAre(1, rows);
    await rows.getByText("Undeliverable · 131026").waitFor();
    await rows.click();
    await page.getByRole("dialog").getByText("131026").first().waitFor();
    expect(await clicks()).toBe(3);
  });

  detail("a site pauses on Black Friday, orders wait, and the end of the pause sends them", async () => {
    const { sql } = opened();
    const { site, order } = await ownShop(opened(), "Friday");
    const { page, clicks } = await openHome(opened());
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("combobox", { name: "Search or go to" }).fill("pause friday");
    await page.getByRole("option", { name: /Pause sending for Friday/u }).click();
    const banner = page.getByRole("region", { name: "Paused sending" });
    await banner.getByText("Sending is paused").waitFor();
    expect(await clicks()).toBe(2);
    await order("+491704440001", "Ada");
    const statuses = async () =>
      (await sql`select status from notification where site_id = ${site.id}`).map((row) => String(row["status"]));
    expect(await statuses()).toEqual(["scheduled"]);
    await banner.getByRole("button", { name: "Resume sending" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Send 1 message" }).click();
    await banner.waitFor({ state: "detached" });
    expect(await clicks()).toBe(4);
    await waitFor("the message to be read", async () => (await statuses())[0] === "read");
    // What waits is discarded; what somebody else has sent meanwhile is not, which is said.
    const { client } = opened().owner;
    const dialog = page.getByRole("dialog");
    for (const [phone, isRaced] of [["+491704440002", false] as const, ["+491704440003", true] as const]) {
      await client.sites.update.mutate({ id: site.id, holdMessages: true });
      await order(phone, "Ada");
      await page.goto("/");
      await banner.getByRole("button", { name: "Resume sending" }).click();
      await dialog.getByRole("radio", { name: "Discard 1" }).check();
      if (isRaced) await client.sites.update.mutate({ id: site.id, holdMessages: false });
      if (isRaced) await waitFor("it to leave", async () => !(await statuses()).includes("scheduled"));
      await dialog.getByRole("button", { name: "Discard 1 message and resume" }).click();
      await banner.waitFor({ state: "detached" });
      await page
        .getByText(isRaced ? "Nothing done, 0 of 0 messages cancelled" : "1 of 1 message cancelled")
        .first()
        .waitFor();
      expect((await statuses()).includes("cancelled")).toBe(true);
    }
  });

  test("a template was rejected: why, mended, and submitted again", async () => {
    const { operator, sandbox } = opened();
    const { templates } = operator.client;
    const { template } = await templates.create.mutate({
      name: "hurry_rejected",
      language: "en_US",
      category: "UTILITY",
      body: "Hello, all is well with your order.",
    });
    const { platformId } = (await templates.submit.mutate({ id: template.id })).template;
    const hasStatus = (status: string) =>
      waitFor(`a template that is ${status}`, async () => (await templates.get.query({ id: template.id })).template.status === status);
    await fetch(`${sandbox.url}/_sandbox/templates/${platformId}`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${controlToken}`, "content-type": "application/json" },
      body: JSON.stringify({ status: "REJECTED", reason: "SCAM" }),
    });
    await hasStatus("rejected");
    const { page, clicks } = await openHome(opened());
    await page
      .getByRole("article", { name: /hurry_rejected/u })
      .getByRole("link", { name: "Open template" })
      .click();
    await page.getByText("It looks like fraud to WhatsApp").first().waitFor();
    await page.getByRole("textbox", { name: "Body" }).fill("Hello, this is Bean & Leaf: all is well with your order.");
    await page.getByRole("button", { name: "Save and submit" }).click();
    await hasStatus("approved");
    expect(await clicks()).toBe(2);
  });

  detail("what failed yesterday for one reason is sent again, and nothing else", async () => {
    const { sql } = opened();
    const { site, order } = await ownShop(opened(), "Yesterday");
    const failures = async () =>
      await sql<{ id: string; resent: boolean; code: string }[]>`
        select id, resent_as is not null as resent, error_code as code from notification where site_id = ${site.id} and status = 'failed' order by id`;
    for (const phone of ["+15550101000", "+15550101050"]) await order(phone, "Ada");
    await waitFor("two failures", async () => (await failures()).length === 2);
    await age(sql, 1);
    await order("+15550101008", "Ada");
    await waitFor("another failure", async () => (await failures()).length === 3);
    const code = (await failures())[0]?.code ?? "";
    // One of today fails for the same reason.
    await sql`update notification set error_code = ${code} where id = ${(await failures())[2]?.id ?? ""}`;
    await untilFound(opened(), site.id, 1);
    const { page, clicks } = await openHome(opened(), `?siteId=${site.id}`);
    await page
      .getByRole("article", { name: new RegExp(`· ${code}$`, "u") })
      .getByRole("button", { name: "Resend 2 messages…" })
      .click();
    const dialog = page.getByRole("dialog");
    const yesterday = await page.evaluate(() => new Date(Date.now() - 86_400_000).toLocaleDateString("sv"));
    await dialog.getByLabel("Failed since").fill(`${yesterday}T00:00`);
    await dialog.getByRole("textbox", { name: "Until" }).fill(`${yesterday}T23:59`);
    await dialog.getByRole("button", { name: "Resend 1 message" }).click();
    await page.getByRole("article", { name: "Resend of failed messages" }).getByText("of 1").waitFor({ timeout: 30_000 });
    expect(await clicks()).toBe(2);
    await expect.poll(async () => (await failures()).map(({ resent }) => resent), { timeout: 30_000 }).toEqual([true, false, false]);
  });

  detail("a field will no longer come: which bindings use it", async () => {
    const { owner } = opened();
    const { site } = await ownShop(opened(), "Tracked");
    const [binding] = (await owner.client.bindings.list.query({ siteId: site.id })).items;
    const body = { ...binding?.variableMap.body, "1": { source: "field" as const, path: "order.tracking_number" } };
    await owner.client.bindings.update.mutate({ id: binding?.id ?? "", variableMap: { ...binding?.variableMap, body } });
    const { page, clicks } = await openHome(opened());
    await page.getByRole("link", { name: "Bindings" }).click();
    await addFilter(page, "Uses field");
    await untilFocused(page.getByRole("combobox", { name: "Uses field" }));
    await page.keyboard.type("tracking_number");
    const rows = page.getByRole("table", { name: "Bindings" }).getByRole("row");
    await untilThereAre(2, rows);
    await rows.nth(1).getByText("Tracked").waitFor();
    expect(await clicks()).toBe(3);
  });

  detail("one of 60 messages to one phone is found by its order", async () => {
    const { sql } = opened();
    const { site, order } = await ownShop(opened(), "Sixty");
    for (let number = 1; number <= 60; number += 1) await order("+491708880001", "Ada", `S-${String(9000 + number)}`);
    await waitFor("all to be read", async () => {
      const [row] = await sql`select count(*)::integer as count from notification where site_id = ${site.id} and status = 'read'`;
      return row?.["count"] === 60;
    });
    const { page, clicks } = await openHome(opened());
    await page.getByRole("link", { name: "Messages", exact: true }).click();
    await page.getByRole("searchbox").fill("S-9027");
    const rows = page.getByRole("table", { name: "Messages" }).locator("[data-index]");
    await untilThereAre(1, rows);
    await rows.getByText("S-9027").waitFor();
    await rows.click();
    await page.getByRole("dialog").getByText("S-9027").first().waitFor();
    expect(await clicks()).toBe(2);
  });

  detail("an incident is seen and closed", async () => {
    const { sql } = opened();
    const { site, order } = await ownShop(opened(), "Incident");
    await order("+15550101000", "Ada");
    await waitFor(
      "a failure",
      async () => (await sql`select from notification where site_id = ${site.id} and status = 'failed'`).length === 1,
    );
    await untilFound(opened(), site.id, 1);
    const { page, clicks } = await openHome(opened(), `?siteId=${site.id}`);
    const card = page.getByRole("article", { name: /^Messages of Incident fail/u });
    await card.getByRole("button", { name: /^More for/u }).click();
    await page.getByRole("menuitem", { name: "Resolve" }).click();
    await card.waitFor({ state: "detached" });
    expect(await clicks()).toBe(2);
  });
});
