import { readFile } from "node:fs/promises";
import { insertAuditEntry } from "shared/db/audit";
import { newId } from "shared/db/ids";
import { expect, test } from "vitest";
import { untilThereAre } from "../stack.ts";
import { addFilter, describeInBrowser, type Opened } from "../support.ts";

describeInBrowser("the audit", (opened) => {
  test("filters stand in the address, outlast a reload, and hold for the file too; more is shown on demand", async () => {
    const { open, owner } = opened();
    await fillAudit(opened(), 60);
    await using watched = await open({ token: owner.token });
    const { page, problems } = watched;
    await page.goto("/settings/audit");
    await addFilter(page, "Who");
    await page.locator("[data-autofocus]:focus").waitFor();
    await page.keyboard.type("robot");
    await page.waitForURL(/actor=robot$/u);
    await page.keyboard.type("@example.com");
    await page.waitForURL(/actor=robot%40example.com/u);
    await addFilter(page, "Action", "Added a site");
    await page.waitForURL(/action=sites.create/u);
    await page.reload();
    const rows = page.getByRole("table", { name: "Audit" }).getByRole("row").filter({ hasText: "robot@example.com" });
    await untilThereAre(50, rows);
    await page.getByRole("button", { name: "Who: robot@example.com", exact: true }).waitFor();
    await page.getByRole("button", { name: "Show more" }).click();
    await untilThereAre(60, rows);

    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download CSV" }).click();
    const lines = (await readFile(await (await download).path(), "utf8")).trim().split("\n");
    expect(lines.length).toBe(61);
    expect(lines[1]).toContain("robot@example.com,,sites.create,");

    await addFilter(page, "Period");
    await page.getByRole("combobox", { name: "Period" }).selectOption("Custom range");
    await page.getByLabel("Last day").fill("2020-01-01");
    await page.getByText("Nothing matches these filters").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Clear filters" }).click();
    await page.getByRole("button", { name: "Show more" }).waitFor();
    expect(new URL(page.url()).search).toBe("");
    expect(problems).toEqual([]);
  });
});

async function fillAudit({ owner, sql }: Opened, count: number): Promise<void> {
  const { account } = await owner.client.auth.me.query();
  const entry = { account_id: account.id, actor: "robot@example.com", actor_id: null, token_id: null };
  for (let made = 0; made < count; made += 1)
    await insertAuditEntry(sql, { ...entry, id: newId(), action: "sites.create", subject: null, address: null });
}
