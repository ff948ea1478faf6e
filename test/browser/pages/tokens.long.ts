import { expect, test } from "vitest";
import { refusal } from "../../support/admin.ts";
import { owner as ann } from "../stack.ts";
import { describeInBrowser } from "../support.ts";

describeInBrowser("access tokens", (opened) => {
  test("a token is shown once, works, says when it was last used, and ends when it is revoked", async () => {
    const { open, owner, admin, sql } = opened();
    await using watched = await open({ token: owner.token });
    const { page, problems } = watched;
    await page.goto("/settings/tokens");
    await page.getByRole("button", { name: "Create token" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("checkbox", { name: "Reading" }).check();
    await dialog.getByRole("button", { name: "Create token" }).click();
    await dialog.getByText("Must not be empty").waitFor();
    await page.keyboard.type("Nightly export");
    await sql`update user_session set proven_at = now() - interval '11 minutes'`;
    await page.keyboard.press("Enter");
    const proof = page.getByRole("dialog", { name: "Confirm that it is you" });
    await proof.getByRole("textbox", { name: "Your password" }).fill("not the one");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Enter");
    await proof.getByText("Is not the current password").waitFor();
    await proof.getByRole("textbox", { name: "Your password" }).fill(ann.password);
    await proof.getByRole("button", { name: "Confirm" }).click();
    const token = await dialog.getByRole("textbox", { name: "Token" }).inputValue();
    await page.keyboard.press("Escape");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await dialog.getByRole("button", { name: "Copy" }).click();
    await dialog.getByText("Copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(token);
    await dialog.getByRole("button", { name: "I have saved it" }).click();

    const { sites } = admin.client(token);
    const row = page.getByRole("row").filter({ hasText: "Nightly export" });
    await row.getByText("Never").waitFor();
    await row.getByText("reading").waitFor();
    expect((await sites.list.query()).items.length).toBeGreaterThan(0);
    expect((await refusal(sites.delete.mutate({ id: crypto.randomUUID() }))).code).toBe("FORBIDDEN");
    await page.reload();
    await row.waitFor();
    expect(await row.getByText("Never").count()).toBe(0);
    expect(await page.content()).not.toContain(token);

    await row.getByRole("button", { name: "Revoke Nightly export" }).click();
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await row.waitFor({ state: "detached" });
    expect((await refusal(sites.list.query())).code).toBe("UNAUTHORIZED");
    expect(problems).toEqual([]);
  });
});
