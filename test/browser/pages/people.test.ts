import { expect, test } from "vitest";
import { addMember, refusal } from "../../support/admin.ts";
import { waitFor } from "../../support/wait-for.ts";
import { describeInBrowser } from "../support.ts";

describeInBrowser("people", (opened) => {
  test("roles change in place, but not the last owner's, which stays with the reason; somebody is removed only after their address was typed", async () => {
    const { owner, admin, sql, visit } = opened();
    const { user, email, client } = await addMember(admin, owner.client, "viewer", "rob@example.com");
    const { page } = await visit("owner", "/settings/people");
    await page.getByRole("row").filter({ hasText: "rob@example.com" }).getByRole("combobox").selectOption("operator");
    await page.getByRole("button", { name: "Change role" }).click();
    const roleOf = async () => (await sql<{ role: string }[]>`select role from membership where user_id = ${user.id}`)[0]?.role;
    await waitFor("the new role", async () => (await roleOf()) === "operator");

    const mine = page.getByRole("row").filter({ hasText: "ann@example.com" }).getByRole("combobox");
    await mine.selectOption("viewer");
    await page.getByRole("button", { name: "Give up role" }).click();
    await page.getByRole("dialog").getByText("This is the last owner").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => mine.inputValue()).toBe("owner");

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
    await dialog.getByRole("textbox").fill("rob@example.co");
    expect(await remove.isDisabled()).toBe(true);
    await page.keyboard.press("Enter");
    expect((await client.auth.me.query()).user.email).toBe(email);
    await dialog.getByRole("textbox").fill(email);
    await page.keyboard.press("Enter");
    await page.getByRole("table", { name: "People" }).getByText(email).waitFor({ state: "detached" });
    expect((await refusal(client.auth.me.query())).code).toBe("UNAUTHORIZED");
  });

  test("Escape, its X and a click outside ask before a dialog loses what is typed; without changes it closes at once, and no dialog begins on its X", async () => {
    const { page } = await opened().visit("owner", "/settings/people");
    const dialog = page.getByRole("dialog");
    const mail = dialog.getByRole("textbox", { name: "E-mail" });
    const question = page.getByRole("alertdialog", { name: "Discard what you typed?" });
    const leave = [() => page.keyboard.press("Escape"), () => page.getByLabel("Close").click(), () => page.mouse.click(5, 300)];
    for (const go of leave) {
      await page.getByRole("button", { name: "Invite person" }).press("Enter");
      await mail.and(page.locator(":focus")).waitFor();
      await go();
      await dialog.waitFor({ state: "detached" });
    }
    await page.getByRole("button", { name: "Invite person" }).press("Enter");
    await mail.and(page.locator(":focus")).waitFor();
    await page.keyboard.type("nora@");
    for (const go of leave) {
      await go();
      await question.locator(":focus").getByText("Keep editing").waitFor();
      await page.keyboard.press("Escape");
      await question.waitFor({ state: "detached" });
      expect(await mail.inputValue()).toBe("nora@");
    }
    await page.keyboard.press("Escape");
    await question.getByRole("button", { name: "Discard" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.keyboard.press("j");
    await page.getByRole("table", { name: "People" }).locator("[data-kind=buttons] :focus").waitFor();
    await page.getByRole("row").filter({ hasText: "ann@example.com" }).getByRole("combobox").selectOption("viewer");
    await dialog.getByRole("button", { name: "Cancel" }).and(page.locator(":focus")).waitFor();
  });
});
