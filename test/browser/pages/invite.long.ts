import type { Page } from "playwright-core";
import { insertAccount } from "shared/db/account";
import { newId } from "shared/db/ids";
import { insertMembership } from "shared/db/membership";
import { expect, test } from "vitest";
import { password } from "../../support/admin.ts";
import { ownMenu, passwordOf } from "../stack.ts";
import { describeInBrowser, detail } from "../support.ts";

describeInBrowser("an invitation", (opened) => {
  test("an invited person comes in by their link, in a browser of their own, and once", async () => {
    const { open, owner, admin, sql } = opened();
    await using inviting = await open({ token: owner.token });
    await inviting.page.goto("/settings/people");
    const link = await invite(inviting.page, "nina@example.com");

    await using joining = await open();
    const { page, problems } = joining;
    await page.goto(link);
    await page.getByRole("alert", { name: "Bean & Leaf, as operator" }).getByText("nina@example.com").waitFor();
    await page.getByLabel("Your name").fill("Nina");
    await passwordOf(page).fill("short");
    await accept(page);
    await page.getByText("Must have at least 10 characters").waitFor();
    await passwordOf(page).fill("qwertyuiop");
    await page.getByRole("status").filter({ hasText: "Easy to guess: many people use it. Add an unrelated word or two." }).waitFor();
    await accept(page);
    await page.getByText("Is easy to guess: make it longer").waitFor();
    await passwordOf(page).fill("nine lives of a cat");
    await accept(page);
    await ownMenu(page).filter({ hasText: "Nina" }).waitFor();
    await expect.poll(() => page.url()).toBe(`${admin.url}/`);
    expect(
      await sql`select u.name, m.role from app_user u join membership m on m.user_id = u.id where u.email = 'nina@example.com'`,
    ).toEqual([{ name: "Nina", role: "operator" }]);

    await inviting.page.reload();
    await inviting.page.getByRole("table", { name: "People" }).getByText("nina@example.com").waitFor();
    await inviting.page.getByText("No open invitations").waitFor();
    await page.goto(link);
    await page.getByRole("heading", { name: "This invitation is no longer valid" }).waitFor();
    expect([...problems, ...inviting.problems]).toEqual([]);
  });

  detail("somebody who has an account joins another with their own password, and switches between them", async () => {
    const { owner, sql, viewer, visit } = opened();
    const [accountId, userId] = [newId(), newId()];
    await insertAccount(sql, { id: accountId, name: "Olga's shop", verify_token: "v" });
    await sql`insert into app_user (id, email, name, password_hash) select ${userId}, 'olga@example.com', 'Olga', password_hash from app_user where id = ${viewer.user.id}`;
    await insertMembership(sql, { userId, accountId, role: "owner" });
    const { url } = await owner.client.users.invite.mutate({ email: "olga@example.com", role: "viewer" });
    const { page } = await visit(null, new URL(url).pathname + new URL(url).hash);
    await page.getByLabel("Your name").fill("Olga");
    await passwordOf(page).fill("nine lives of a cat");
    await accept(page);
    await page.getByText("already has a password here: enter that one").waitFor();
    await passwordOf(page).fill(password);
    await accept(page);
    await ownMenu(page).waitFor();
    const second = await page.context().newPage();
    await second.goto("/settings/people");
    await second.getByRole("heading", { name: "No access" }).waitFor();
    // A link for somebody else says so to the signed-in person.
    const other = await owner.client.users.invite.mutate({ email: "other@example.com", role: "viewer" });
    await second.goto(new URL(other.url).pathname + new URL(other.url).hash);
    await second.getByText("You are signed in as olga@example.com").waitFor();
    await second.goto("/settings/people");
    await second.getByRole("heading", { name: "No access" }).waitFor();
    await ownMenu(page).click();
    await page.getByRole("menuitemradio", { name: "Olga's shop, owner" }).click();
    for (const shown of [page, second]) await shown.getByRole("banner").getByTitle("Olga's shop", { exact: true }).waitFor();
    await second.close();
  });
});

/** Invites on the people's page; answers the path of the link that it shows. */
async function invite(page: Page, email: string): Promise<string> {
  await page.getByRole("button", { name: "Invite person" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "E-mail" }).fill("nobody");
  await dialog.getByRole("button", { name: "Create invite link" }).click();
  await dialog.getByText("Must be an e-mail address").waitFor();
  await dialog.getByRole("textbox", { name: "E-mail" }).fill(email);
  await dialog.getByRole("button", { name: "Create invite link" }).click();
  const { pathname, hash } = new URL(await dialog.getByRole("textbox", { name: "Link" }).inputValue());
  await dialog.getByRole("button", { name: "I have saved it" }).click();
  await dialog.waitFor({ state: "detached" });
  return pathname + hash;
}

const accept = (page: Page) => page.getByRole("button", { name: "Accept and sign in" }).click();
