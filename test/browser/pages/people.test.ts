import { totpCode, totpStep } from "admin-server/session/totp";
import { expect, test } from "vitest";
import { addMember } from "../../support/admin.ts";
import { password, signedIn } from "../../support/admin.ts";
import { refusal } from "../../support/admin.ts";
import { waitFor } from "../../support/wait-for.ts";
import { ownMenu } from "../stack.ts";
import { describeInBrowser, detail } from "../support.ts";

describeInBrowser("people", (opened) => {
  detail("an owner's link sets a new password, once, and ends what the old one opened", async () => {
    const { open, owner, admin } = opened();
    const { email, client } = await addMember(admin, owner.client, "viewer", "rita@example.com");
    await using helping = await open({ token: owner.token });
    await helping.page.goto("/settings/people");
    const row = helping.page.getByRole("row").filter({ hasText: email });
    await row.getByRole("button", { name: /^Actions for/u }).click();
    await helping.page.getByRole("menuitem", { name: "Reset password" }).click();
    await helping.page.getByRole("button", { name: "Create reset link" }).click();
    const { pathname, hash } = new URL(await helping.page.getByRole("textbox", { name: "Link" }).inputValue());

    await using returning = await open();
    const { page } = returning;
    for (const attempt of ["used now", "used again"]) {
      await page.goto("about:blank");
      await page.goto(pathname + hash);
      await page.getByRole("textbox", { name: "New password" }).fill(`a password ${attempt}`);
      await page.getByRole("button", { name: "Set password and sign in" }).click();
      if (attempt === "used now") await ownMenu(page).waitFor();
    }
    await page.getByRole("heading", { name: "This link is no longer valid" }).waitFor();
    await page.goto("/reset-password");
    await page.getByRole("heading", { name: "This link is incomplete" }).waitFor();

    expect((await refusal(client.auth.me.query())).code).toBe("UNAUTHORIZED");
    expect((await refusal(admin.client().auth.login.mutate({ email, password }))).code).toBe("UNAUTHORIZED");
    expect((await signedIn(admin.client().auth.login.mutate({ email, password: "a password used now" }))).user.email).toBe(email);
    expect([...returning.problems, ...helping.problems]).toEqual([]);
  });

  test("roles change in place; that of the last owner is refused, with the reason, and stays", async () => {
    const { open, owner, admin, sql } = opened();
    const { user } = await addMember(admin, owner.client, "viewer", "rob@example.com");
    await using watched = await open({ token: owner.token });
    const { page, problems } = watched;
    await page.goto("/settings/people");
    await page.getByRole("row").filter({ hasText: "rob@example.com" }).getByRole("combobox").selectOption("operator");
    const roleOf = async () => (await sql<{ role: string }[]>`select role from membership where user_id = ${user.id}`)[0]?.role;
    await waitFor("the new role", async () => (await roleOf()) === "operator");

    const mine = page.getByRole("row").filter({ hasText: "ann@example.com" }).getByRole("combobox");
    await mine.selectOption("viewer");
    await page.getByRole("button", { name: "Give up role" }).click();
    await page.getByRole("dialog").getByText("This is the last owner").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => mine.inputValue()).toBe("owner");
    expect(problems).toEqual([]);
  });

  detail("a lost second factor is removed: the password alone signs in then", async () => {
    const { open, owner, admin } = opened();
    const { email, client } = await addMember(admin, owner.client, "viewer", "lost@example.com");
    const { secret } = await client.auth.enrollTotp.mutate();
    await client.auth.confirmTotp.mutate({ code: totpCode(secret, totpStep(new Date())) });
    await using watched = await open({ token: owner.token });
    const { page, problems } = watched;
    await page.goto("/settings/people");
    const row = page.getByRole("row").filter({ hasText: email });
    await row.getByRole("button", { name: /^Actions/u }).click();
    await page.getByRole("menuitem", { name: "Remove second factor" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove second factor" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect((await signedIn(admin.client().auth.login.mutate({ email, password }))).user.email).toBe(email);
    expect(problems).toEqual([]);
  });

  test("somebody is removed only after their address was typed", async () => {
    const { open, owner, admin } = opened();
    const { email, client } = await addMember(admin, owner.client, "viewer", "gone@example.com");
    await using watched = await open({ token: owner.token });
    const { page, problems } = watched;
    await page.goto("/settings/people");
    await page
      .getByRole("row")
      .filter({ hasText: email })
      .getByRole("button", { name: /^Actions/u })
      .focus();
    await page.keyboard.press("Enter");
    await page.locator('[role="menuitem"]:focus').waitFor();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    const remove = dialog.getByRole("button", { name: "Remove" });
    await dialog.getByRole("textbox").fill("gone@example.co");
    expect(await remove.isDisabled()).toBe(true);
    await page.keyboard.press("Enter");
    expect((await client.auth.me.query()).user.email).toBe(email);
    await dialog.getByRole("textbox").fill(email);
    await page.keyboard.press("Enter");
    await page.getByRole("table", { name: "People" }).getByText(email).waitFor({ state: "detached" });
    expect((await refusal(client.auth.me.query())).code).toBe("UNAUTHORIZED");
    expect(problems).toEqual([]);
  });
});
