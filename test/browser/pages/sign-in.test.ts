import { expect, test } from "vitest";
import { addMember } from "../../support/admin.ts";
import { owner, ownMenu, passwordOf, signIn, tryAgain } from "../stack.ts";
import { describeInBrowser } from "../support.ts";

describeInBrowser("signing in", (opened) => {
  test("a wrong password is said, a right one leads in, by keyboard alone", async () => {
    await using watched = await opened().open();
    const { page, problems } = watched;
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
    expect(problems).toEqual([]);
  });

  test("while the server is away the page says so, and goes on when it is back", async () => {
    await using watched = await opened().open();
    const { page } = watched;
    await signIn(page);
    await page.route("**/trpc/**", (route) => route.abort());
    await page.getByRole("alert").first().waitFor();
    await tryAgain(page, "**/trpc/**");
    await page.getByRole("alert").first().waitFor({ state: "detached" });
    await page.getByRole("table", { name: "Recently sent" }).waitFor();
  });

  test("a session that ends elsewhere leads back to the sign-in page", async () => {
    const { client, token } = await addMember(opened().admin, opened().owner.client, "viewer", "elsewhere@example.com");
    await using watched = await opened().open({ token, isEnded: true });
    const { page, problems } = watched;
    await page.goto("/");
    await ownMenu(page).waitFor();
    await client.auth.signOutEverywhere.mutate();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(problems).toEqual([]);
  });

  test.each(["/", "/sites", "/invite#token", "/reset-password#token", "/no/such/page"])(
    "a visit of nobody to %s asks nothing that is refused",
    async (path) => {
      await using watched = await opened().open();
      const { page, problems } = watched;
      const asked: string[] = [];
      page.on("response", (response) => void (response.url().includes("/trpc/") && asked.push(`${response.status()} ${response.url()}`)));
      await page.goto(path);
      await page.getByRole("heading").first().waitFor();
      await expect.poll(() => asked.length).toBeGreaterThan(0);
      await page.waitForLoadState("networkidle");
      expect(asked.filter((answer) => !answer.startsWith("200 "))).toEqual([]);
      expect(problems).toEqual([]);
    },
  );

  test("the scheme's button outlasts a reload", async () => {
    await using watched = await opened().open();
    const { page } = watched;
    await page.goto("/sign-in");
    await page.getByRole("button", { name: "Dark" }).click();
    await page.reload();
    await page.getByRole("button", { name: "Light" }).waitFor();
  });
});
