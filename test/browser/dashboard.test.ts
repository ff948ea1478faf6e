import { demoPayload } from "admin-server/cli/try-out/demo-shop";
import { makeDemo } from "admin-server/cli/try-out/make-demo";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../support/browser/open-browser.ts";
import { postEvent } from "../support/gateway/post-event.ts";
import { openStack, type Stack } from "./open-stack.ts";
import { accessibilityProblems, openPage, type PageOptions, sidewaysScroll, type WatchedPage } from "./watched-page.ts";

const owner = { email: "ann@example.com", password: "right horse battery" };
const browser = await openBrowser();
const looks: PageOptions[] = [360, 768, 1440].flatMap((width) => [
  { width, colorScheme: "light" },
  { width, colorScheme: "dark" },
]);

describe.skipIf(browser === undefined)("the dashboard in a real browser", () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await openStack();
  });

  afterAll(async () => {
    await stack[Symbol.asyncDispose]();
    await browser?.close();
  });

  test("the sign-in page's script stays within its budget, as the build prints", () => {
    const kilobytes = /([\d.]+) KB of script \(gzip\)/u.exec(stack.dashboard.output)?.[1];
    expect(Number(kilobytes)).toBeGreaterThan(10);
    expect(Number(kilobytes)).toBeLessThanOrEqual(150);
  });

  test("from the first sign-up to the first message on the phone", async () => {
    await using watched = await open();
    const { page, problems } = watched;
    await page.goto("/");
    await page.getByRole("heading", { name: "Set up Tidings" }).waitFor();
    await signUp(page, { ...owner, password: "short" });
    await page.getByText("Must have at least 10 characters").waitFor();
    await signUp(page, owner);
    await page.getByText("Nothing was sent yet").waitFor();
    await page.getByText("No message yet").waitFor();

    const { shop } = await makeDemo(stack.admin.url, { owner, password: "", setupCode: "" });
    const posted = await postEvent(stack.gateway, { key: shop.apiKey, secret: shop.webhookSecret }, demoPayload);
    expect(posted.json["chat"]).toBe("sent");

    await page.getByRole("log").getByText("Hello Ada, thank you for your order of USD 49.90").waitFor();
    expect(await page.getByRole("link", { name: "View your order" }).getAttribute("href")).toBe("https://shop.example/orders/10042");
    const sent = page.getByRole("list", { name: "Recently sent" }).getByRole("listitem");
    await sent
      .filter({ hasText: demoPayload.customer.phone_e164 })
      .filter({ hasText: /delivered|read/u })
      .waitFor();
    expect(await sent.count()).toBe(1);

    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goto("/");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(problems).toEqual([]);
  });

  test("a wrong password is said, a right one leads in, by keyboard alone", async () => {
    await using watched = await open();
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

  test("nobody else signs up once there is an owner", async () => {
    await using watched = await open();
    await watched.page.goto("/sign-up");
    await watched.page.getByRole("heading", { name: "Sign-up is closed" }).waitFor();
  });

  test("while the server is away the page says so, and goes on when it is back", async () => {
    await using watched = await open();
    const { page } = watched;
    await signIn(page);
    await page.route("**/trpc/**", (route) => route.abort());
    await page.getByRole("alert").first().waitFor();
    await page.unroute("**/trpc/**");
    await page.getByRole("button", { name: "Try again" }).first().click();
    await page.getByRole("alert").first().waitFor({ state: "detached" });
    await page.getByRole("log").getByText("Hello Ada").waitFor();
  });

  describe.each(looks)("$width pixels wide, $colorScheme", (look) => {
    test.each([
      ["sign-in", async (page: Page) => void (await page.goto("/sign-in")), "E-mail"],
      ["home", signIn, "Recently sent"],
      ["unknown address", async (page: Page) => void (await page.goto("/no/such/page")), "No such page"],
    ])("%s: accessible, quiet, and no wider than the window", async (_name, arrive, landmark) => {
      await using watched = await open(look);
      await arrive(watched.page);
      await watched.page.getByText(landmark).first().waitFor();
      expect(await accessibilityProblems(watched.page)).toEqual([]);
      expect(await sidewaysScroll(watched.page)).toBe(0);
      expect(await watched.page.locator("html").getAttribute("data-mantine-color-scheme")).toBe(look.colorScheme);
      expect(watched.problems).toEqual([]);
    });
  });

  test("the scheme's button outlasts a reload", async () => {
    await using watched = await open();
    const { page } = watched;
    await page.goto("/sign-in");
    await page.getByRole("button", { name: "Dark" }).click();
    await page.reload();
    await page.getByRole("button", { name: "Light" }).waitFor();
  });

  const open = async (look?: PageOptions): Promise<WatchedPage> => {
    if (browser === undefined) throw new Error("There is no browser: these tests should have been skipped.");
    return openPage(browser, stack.admin.url, look);
  };
});

async function signUp(page: Page, { email, password }: typeof owner): Promise<void> {
  await page.getByLabel("Account name").fill("Bean & Leaf");
  await page.getByLabel("E-mail").fill(email);
  await passwordOf(page).fill(password);
  await page.getByRole("button", { name: "Open the account" }).click();
}

async function signIn(page: Page): Promise<void> {
  await page.goto("/sign-in");
  await page.getByLabel("E-mail").fill(owner.email);
  await passwordOf(page).fill(owner.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}

function passwordOf(page: Page) {
  return page.getByRole("textbox", { name: "Password" });
}
