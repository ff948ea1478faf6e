import { expect, test } from "vitest";
import { accessibilityProblems, lead } from "../stack.ts";
import { describeInBrowser, detail } from "../support.ts";

describeInBrowser("the general settings", (opened) => {
  test("an owner renames the account, and the name stands above the pages at once", async () => {
    const { owner, visit } = opened();
    const { account } = await owner.client.auth.me.query();
    const { page } = await visit("owner", "/settings");
    const form = page.getByRole("form", { name: "General" });
    const name = form.getByLabel("Name");
    await name.fill("   ");
    await form.getByRole("button", { name: "Save changes" }).click();
    await form.getByText("Must not be empty").waitFor();
    await name.fill("Ada & Töchter");
    await page.getByRole("link", { name: "Sites" }).click();
    await page.getByRole("button", { name: "Stay here" }).click();
    await form.getByRole("button", { name: "Save changes" }).click();
    await form.getByText("Saved. It applies to new messages.").waitFor();
    await page.getByTitle("Ada & Töchter").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect((await owner.client.auth.me.query()).account).toEqual({ id: account.id, name: "Ada & Töchter" });
    await lead(page, "/settings/audit?action=settings.update");
    await page.getByRole("cell", { name: "Changed the settings" }).waitFor();
    await owner.client.settings.renameAccount.mutate({ name: account.name });
  });

  detail("an owner allows their own address with one click, and from elsewhere a page says so until it is allowed", async () => {
    const { owner, sql, visit } = opened();
    // The browser logs the refused saves.
    const { page } = await visit("owner", "/settings/sign-in", { expected: /400/u });
    const form = page.getByRole("form", { name: "Allowed addresses" });
    const list = form.getByLabel("Dashboard");
    await list.fill("10.0.0.1/33");
    await form.getByRole("button", { name: "Save changes" }).click();
    await form.getByText("is neither an address nor a network").waitFor();
    await list.fill("203.0.113.0/24");
    await form.getByRole("button", { name: "Save changes" }).click();
    await form.getByText("Would lock you out: your address is 127.0.0.1").waitFor();
    await form.getByRole("button", { name: "Add mine" }).click();
    await form.getByRole("button", { name: "Save changes" }).click();
    await form.getByText("Saved. People and programs at other addresses are refused.").waitFor();
    expect((await owner.client.settings.get.query()).allowedAddresses?.dashboard).toEqual(["203.0.113.0/24", "127.0.0.1"]);
    expect(await accessibilityProblems(page)).toEqual([]);

    await sql`update account set dashboard_addresses = '{203.0.113.0/24}'`;
    await page.goto("/log");
    await page.getByText("does not allow access from your address, 127.0.0.1.").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await sql`update account set dashboard_addresses = '{}'`;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Messages" }).waitFor();
  });
});
