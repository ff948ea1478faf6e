import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../support/browser/open-browser.ts";
import { owner, passwordOf, signIn } from "./as-a-person.ts";
import { openStack, sendFirstMessage, type Stack } from "./open-stack.ts";
import { accessibilityProblems, openPage, type PageOptions, sidewaysScroll } from "./watched-page.ts";

const browser = await openBrowser();
const looks = [360, 768, 1440].flatMap((width): Required<PageOptions>[] => [
  { width, colorScheme: "light" },
  { width, colorScheme: "dark" },
]);

describe.skipIf(browser === undefined)("the dashboard's pages in a real browser", () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await openStack();
    await stack.admin.client().auth.signUp.mutate({ accountName: "Bean & Leaf", ...owner });
    await sendFirstMessage(stack);
  });

  afterAll(async () => {
    await stack[Symbol.asyncDispose]();
    await browser?.close();
  });

  test("a wrong password is said, a right one leads in, by keyboard alone", async () => {
    await using watched = await openPage(browser, stack.admin.url);
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
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    expect(problems).toEqual([]);
  });

  test("while the server is away the page says so, and goes on when it is back", async () => {
    await using watched = await openPage(browser, stack.admin.url);
    const { page } = watched;
    await signIn(page);
    await page.route("**/trpc/**", (route) => route.abort());
    await page.getByRole("alert").first().waitFor();
    await page.unroute("**/trpc/**");
    await page.getByRole("button", { name: "Try again" }).first().click();
    await page.getByRole("alert").first().waitFor({ state: "detached" });
    await page.getByRole("log").getByText("Hello Ada").waitFor();
  });

  test("a session that ends elsewhere leads back to the sign-in page", async () => {
    await using watched = await openPage(browser, stack.admin.url);
    const { page, problems } = watched;
    await signIn(page);
    const { token } = await stack.admin.client().auth.login.mutate(owner);
    await stack.admin.client(token).auth.signOutEverywhere.mutate();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(problems).toEqual([]);
  });

  test("the scheme's button outlasts a reload", async () => {
    await using watched = await openPage(browser, stack.admin.url);
    const { page } = watched;
    await page.goto("/sign-in");
    await page.getByRole("button", { name: "Dark" }).click();
    await page.reload();
    await page.getByRole("button", { name: "Light" }).waitFor();
  });

  describe.each(looks)("$width pixels wide, $colorScheme", (look) => {
    test.each([
      ["sign-in", (page: Page) => page.goto("/sign-in"), "E-mail"],
      ["home", signIn, "Hello Ada"],
      ["unknown address", (page: Page) => page.goto("/no/such/page"), "No such page"],
    ])("%s: accessible, quiet, and no wider than the window", async (_name, arrive, landmark) => {
      await using watched = await openPage(browser, stack.admin.url, look);
      const { page, problems } = watched;
      await arrive(page);
      await page.getByText(landmark).first().waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await sidewaysScroll(page)).toBe(0);
      expect(await page.locator("html").getAttribute("data-mantine-color-scheme")).toBe(look.colorScheme);
      expect(problems).toEqual([]);
    });
  });
});
