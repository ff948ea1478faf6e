import { demoPayload } from "admin-server/cli/demo";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { openPage, openStack, owner, ownMenu, sendFirstMessage, signOut, signUp, type Stack, lead } from "./stack.ts";
import { browser } from "./support.ts";

describe.skipIf(browser === undefined)("a fresh server in a real browser", () => {
  let database: TestDatabase;
  let stack: Stack;

  beforeAll(async () => {
    database = await testDatabase();
    stack = await openStack(database);
  });

  afterAll(async () => {
    await stack[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  test("from the first sign-up to the first message on the phone", async () => {
    await using watched = await openPage(browser, stack.admin.url);
    const { page, problems } = watched;
    await page.goto("/");
    await page.getByRole("heading", { name: "Set up Tidings" }).waitFor();
    await signUp(page, { ...owner, password: "short" });
    await page.getByText("Must have at least 10 characters").waitFor();
    await signUp(page, owner);
    await ownMenu(page).waitFor();
    await page.goto("/");
    await page.getByText("Nothing sent yet").waitFor();

    expect(await sendFirstMessage(stack)).toMatchObject({ ok: true, chat: "sent", recipients_sent: 1 });
    const sent = page
      .getByRole("table", { name: "Recent messages" })
      .getByRole("row")
      .filter({ has: page.getByRole("link") });
    await sent
      .filter({ hasText: demoPayload.customer.phone_e164 })
      .filter({ hasText: /delivered|read/u })
      .waitFor();
    expect(await sent.count()).toBe(1);
    await lead(page, "/phone");
    const phone = page.getByRole("log");
    await phone.getByText("Order 10042", { exact: true }).waitFor();
    await phone.getByText("Hello Ada, thank you for your order of USD 49.90").waitFor();
    expect(await phone.getByRole("link", { name: "View your order" }).getAttribute("href")).toBe("https://shop.example/orders/10042");

    await signOut(page);
    await page.goto("/");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goto("/sign-up");
    await page.getByRole("heading", { name: "Sign-up is closed" }).waitFor();
    expect(problems).toEqual([]);
  });
});
