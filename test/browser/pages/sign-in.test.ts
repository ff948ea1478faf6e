import { join } from "node:path";
import { expect, test } from "vitest";
import { scaled } from "../../faults/harness/scale.ts";
import { addMember, password } from "../../support/admin.ts";
import { openOpenIdAdmin } from "../../support/openid-admin.ts";
import { root } from "../../support/process.ts";
import { accessibilityProblems, openPage, owner, ownMenu, passwordOf, signIn, tryAgain, lead } from "../stack.ts";
import { browser, describeInBrowser, detail, press } from "../support.ts";

describeInBrowser("signing in", (opened) => {
  test("a wrong password is said, a right one leads in, by keyboard alone", async () => {
    const { page } = await opened().visit(null, "/sign-up");
    await page.getByRole("heading", { name: "Sign-up is closed" }).waitFor();
    await page.goto("/sign-in");
    await page.getByLabel("E-mail").focus();
    await page.keyboard.type(owner.email);
    await page.keyboard.press("Tab");
    await page.keyboard.type("wrong horse battery");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    await passwordOf(page).fill(owner.password);
    await page.keyboard.press("Enter");
    await ownMenu(page).waitFor();
  });

  detail("while the server is away the page says so, and goes on when it is back", async () => {
    await using watched = await opened().open();
    const { page } = watched;
    await signIn(page);
    await page.route("**/trpc/**", (route) => route.abort());
    await page.getByRole("alert").first().waitFor();
    await tryAgain(page, "**/trpc/**");
    await page.getByRole("alert").first().waitFor({ state: "detached" });
    await page.getByRole("img", { name: /^Messages per day/u }).waitFor();
  });

  test("a session that ends elsewhere leads back to the sign-in page", async () => {
    const { client, token } = await addMember(opened().admin, opened().owner.client, "viewer", "elsewhere@example.com");
    const { page } = await opened().visit(null, "/", { token, isEnded: true });
    await ownMenu(page).waitFor();
    await client.auth.signOutEverywhere.mutate();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  test("what is typed stays when the session ends, until its author is back", async () => {
    const { client, token, email } = await addMember(opened().admin, opened().owner.client, "viewer", "typing@example.com");
    const { page } = await opened().visit(null, "/settings/account", { token, isEnded: true });
    const name = page.getByRole("textbox", { name: "Name", exact: true });
    await name.fill("Typed for long");
    await client.auth.signOutEverywhere.mutate();
    await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
    const ended = page.getByRole("dialog", { name: "Your session has ended" });
    const signInBeside = async (person: typeof owner) => {
      const coming = page.context().waitForEvent("page");
      await ended.getByRole("link", { name: "Sign in" }).click();
      const other = await coming;
      await other.getByLabel("E-mail").fill(person.email);
      await passwordOf(other).fill(person.password);
      await other.getByRole("button", { name: "Sign in" }).click();
    };
    await signInBeside(owner);
    await ended.getByText(`${owner.email} is signed in now.`).waitFor();
    await signInBeside({ email, password });
    await ended.waitFor({ state: "detached" });
    expect(await name.inputValue()).toBe("Typed for long");
    await ownMenu(page).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("dialog", { name: "Leave without saving?" }).getByRole("button", { name: "Stay here" }).click();
    expect((await page.request.get("/trpc/auth.me")).status()).toBe(200);
    await page.context().setOffline(true);
    await page.getByText("You are offline.").waitFor();
    await page.context().setOffline(false);
    await page.getByText("You are offline.").waitFor({ state: "detached" });
  });

  test("a form is not saved by whoever signed in meanwhile, and is still read once its author's role is too low", async () => {
    const { admin, owner: first, visit } = opened();
    const { token, user } = await addMember(admin, first.client, "operator", "writing@example.com");
    const { page } = await visit(null, "/templates/new", { token, isEnded: true });
    await page.getByRole("textbox", { name: "Name" }).first().fill("typed_for_long");
    await page.getByRole("textbox", { name: "Body" }).fill("Written with care.");
    const signedIn = (value: string) => page.context().addCookies([{ name: "tidings_session", value, url: admin.url }]);
    await signedIn(first.token);
    const save = page.getByRole("button", { name: "Save draft" });
    await save.click();
    const ended = page.getByRole("dialog", { name: "Your session has ended" });
    await ended.getByText(`${owner.email} is signed in now.`).waitFor();
    // The answer to what the page asks as its author is back comes after the role is lowered.
    let lower = (): void => undefined;
    const lowered = new Promise<void>((resolve) => (lower = resolve));
    await page.route(/auth\.state,auth\.me,settings/u, (route) => lowered.then(() => route.continue()));
    await signedIn(token);
    await ended.waitFor({ state: "detached" });
    await first.client.users.setRole.mutate({ id: user.id, role: "viewer" });
    await Promise.all([page.waitForResponse(/auth\.me\?/u), save.dispatchEvent("click")]);
    lower();
    const typed = page.getByRole("dialog", { name: "Your role has changed" }).getByRole("textbox", { name: "What you typed" });
    await expect.poll(() => typed.inputValue()).toMatch(/Name: typed_for_long\n(?:.*\n)*Body: Written with care\./u);
    expect((await first.client.templates.list.query({ search: "typed_for_long" })).items).toEqual([]);
  });

  detail(
    "a page in sight follows a role that is taken, and becomes the page of whoever signed in beside it, with nothing of theirs before",
    async () => {
      const { admin, owner: first, open } = opened();
      const { token, user } = await addMember(admin, first.client, "operator", "looking@example.com");
      await using watched = await open({ token, isEnded: true, isLast: true });
      const { page } = watched;
      await page.clock.install();
      await page.goto("/sites");
      const add = page.getByRole("button", { name: "Add site" }).first();
      await add.waitFor();
      await first.client.users.setRole.mutate({ id: user.id, role: "viewer" });
      await page.clock.runFor(15_000);
      await add.waitFor({ state: "detached" });
      const own = await ownMenu(page).getAttribute("aria-label");
      await page.context().addCookies([{ name: "tidings_session", value: first.token, url: admin.url }]);
      const refused = page.waitForResponse((answer) => answer.url().includes("problems.list") && answer.status() === 403);
      await page.clock.runFor(60_000);
      await refused;
      await expect.poll(() => ownMenu(page).getAttribute("aria-label")).not.toBe(own);
    },
  );

  test.each(["/", "/invite#token", "/sites", "/reset-password#token", "/no/such/page"].slice(0, scaled(1, 5)))(
    "a visit of nobody to %s asks nothing that is refused",
    async (path) => {
      const { page } = await opened().visit(null);
      const asked: string[] = [];
      page.on("response", (response) => void (response.url().includes("/trpc/") && asked.push(`${response.status()} ${response.url()}`)));
      await page.goto(path);
      await page.getByRole("heading").first().waitFor();
      await expect.poll(() => asked.length).toBeGreaterThan(0);
      await page.waitForLoadState("networkidle");
      expect(asked.filter((answer) => !answer.startsWith("200 "))).toEqual([]);
    },
  );

  detail("the company's sign-in says why it let nobody in, lets in, is demanded after a proof, and is then all there is", async () => {
    await using server = await openOpenIdAdmin({ dashboardDirectory: join(root, "admin-web/dist/web") });
    const { email } = await server.admin.signUp("cleo@example.com");
    server.issuer.script.claims = { email, email_verified: false };
    await using watched = await openPage(browser, server.url, { isLast: true });
    const { page, problems } = watched;
    await page.goto("/sign-in");
    const way = page.getByRole("link", { name: "Sign in with Example ID" });
    await way.click();
    await page.getByText("Your e-mail address is not verified there.").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    server.issuer.script.claims = { email };
    await way.click();
    await ownMenu(page).waitFor();
    await lead(page, "/settings/sign-in");
    const demand = page.getByRole("switch", { name: "Require Example ID" });
    await demand.waitFor();
    await server.database.sql`update user_session set proven_at = now() - interval '11 minutes'`;
    await press(demand, "Space");
    const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
    const confirm = async () => {
      const [tab] = await Promise.all([
        page.context().waitForEvent("page"),
        dialog.getByRole("link", { name: "Confirm with Example ID" }).click(),
      ]);
      await expect.poll(() => tab.url()).not.toContain("oidc");
      await tab.close();
      await page.bringToFront();
      await page.evaluate(() => window.dispatchEvent(new Event("focus")));
    };
    await confirm();
    await page.getByText("Everybody in this account signs in with Example ID.").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await server.database.sql`update user_session set proven_at = now() - interval '11 minutes'`;
    await press(demand, "Space");
    await dialog.getByRole("link", { name: "Confirm with Example ID" }).waitFor();
    expect(await dialog.getByLabel("Your password").count()).toBe(0);
    await dialog.getByRole("button", { name: "Cancel" }).click();

    const other = await server.admin.signUp("dora@example.com");
    const { hash, pathname } = new URL((await other.client.users.invite.mutate({ email, role: "viewer" })).url);
    await page.goto(pathname + hash);
    await page.getByRole("button", { name: `Join as ${email}` }).click();
    await confirm();
    await ownMenu(page).waitFor();
    expect(await server.database.sql`select from membership m join app_user u on u.id = m.user_id where u.email = ${email}`).toHaveLength(
      2,
    );
    expect(problems).toEqual([]);
  });
});
