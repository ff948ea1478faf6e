import { expect, test } from "vitest";
import { untilThereAre } from "../stack.ts";
import { addFilter, countClicks, describeInBrowser } from "../support.ts";

describeInBrowser("filters", (opened) => {
  test("a view is saved, shown by one click with its period as it is now, changed, deleted and brought back", async () => {
    const { open, operator, viewer } = opened();
    await using watched = await open({ token: operator.token });
    const { page, problems } = watched;
    await page.goto("/log?status=failed&search=Ada");
    await addFilter(page, "Period");
    await page.getByRole("button", { name: "Last 7 days" }).click();
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitem", { name: "Save view" }).click();
    const saving = page.getByRole("dialog", { name: "Save view" });
    await saving.getByText("is not saved: it may name a customer").waitFor();
    await saving.getByRole("textbox", { name: "Name of the view" }).fill("Failed this week");
    await saving.getByRole("button", { name: "Save view" }).click();
    await saving.waitFor({ state: "detached" });

    await page.goto("/log?utm_source=mail");
    await page.getByRole("button", { name: "Views" }).waitFor();
    const clicks = countClicks(page);
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitem", { name: "Failed this week" }).click();
    const week = await page.evaluate(() => new Date(Date.now() - 6 * 86_400_000).toLocaleDateString("sv"));
    await page.waitForURL((url) => url.searchParams.get("status") === "failed" && url.searchParams.get("from") === week);
    await page.getByRole("button", { name: "Failed this week" }).waitFor();
    expect([await clicks(), new URL(page.url()).searchParams.has("search")]).toEqual([2, false]);

    await page.getByRole("button", { name: "Status: Failed", exact: true }).click();
    await page.getByRole("menuitemradio", { name: "Read" }).click();
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitem", { name: "Edit views" }).click();
    const editing = page.getByRole("dialog", { name: "Saved views" });
    await editing.getByRole("button", { name: "Use present filters" }).click();
    await editing.getByRole("textbox", { name: "Name of the view" }).fill("Read this week");
    await editing.getByRole("button", { name: "Rename" }).click();
    await editing.getByRole("form", { name: "Read this week" }).getByRole("button", { name: "Delete" }).click();
    await editing.getByText("Deleted “Read this week”").waitFor();
    expect((await operator.client.views.list.query()).items).toEqual([]);
    await editing.getByRole("button", { name: "Undo" }).click();
    await editing.getByRole("form", { name: "Read this week" }).waitFor();
    const { items } = await operator.client.views.list.query();
    expect(items).toMatchObject([{ list: "log", name: "Read this week", filter: { status: "read", period: "week" } }]);
    expect(problems).toEqual([]);

    await using seen = await open({ token: viewer.token });
    await seen.page.goto("/log");
    await seen.page.getByRole("button", { name: "Views" }).click();
    expect(await seen.page.getByRole("menuitem", { name: /^(Save view|Edit views)$/u }).count()).toBe(0);
    await seen.page.getByRole("menuitem", { name: "Read this week" }).click();
    await untilThereAre(1, seen.page.getByRole("table", { name: "Messages" }).locator("[data-index]"));
    expect(seen.problems).toEqual([]);
  });

  test("a filter whose pause ends while the next page loads does not lead back", async () => {
    const { open, owner } = opened();
    await using watched = await open({ token: owner.token, isLast: true });
    const { page, problems } = watched;
    await page.clock.install();
    await page.goto("/log");
    const search = page.getByRole("searchbox").first();
    await search.waitFor();
    let isLate = false;
    await page.route("**/assets/sites-page-*.js", async (route) => {
      await page.clock.runFor(1000);
      isLate = true;
      await route.continue();
    });
    await search.fill("+4917");
    await page.getByRole("main").focus();
    await page.keyboard.type("gs");
    await page.getByRole("heading", { name: "Sites", exact: true }).waitFor();
    expect([isLate, new URL(page.url()).pathname, problems]).toEqual([true, "/sites", []]);
  });
});
