import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { accessibilityProblems, openPage, owner, passwordOf, sidewaysScroll, signUp, untilFocused } from "./stack.ts";
import { browser, describeAtFirst, detail } from "./support.ts";

const run = promisify(execFile);

describeAtFirst("getting started", (opened) => {
  test("from the sign-up to the message on the phone, without leaving the page", async () => {
    await using watched = await openPage(browser, opened().admin.url);
    const { page, problems } = watched;
    await page.goto("/");
    await page.getByRole("heading", { name: "Set up Tidings" }).waitFor();
    await page.goto("/sign-up");
    await signUp(page, { ...owner, password: "short" });
    await page.getByText("Must have at least 10 characters").waitFor();
    await signUp(page, owner);
    await progress(page).getByText("1 of 5 done. Next: Add your first site.").waitFor();
    await step(page, "Connect WhatsApp").click();
    await page.getByText("You are connected to the sandbox").waitFor();
    await step(page, "Add your first site").click();
    await page.getByRole("button", { name: "Add site" }).click();
    await page.getByText("Must not be empty").first().waitFor();
    await makeSite(page);
    const secrets = await saveSecrets(page);
    await page.getByRole("button", { name: "Create and submit example" }).click();
    await page.getByRole("button", { name: "Create binding" }).waitFor();
    await page.getByText("Hello Ada, thank you for your order of USD 49.90: Mug x 2, Teapot x 1.").waitFor();
    await page.getByRole("button", { name: "Create binding" }).click();
    await page.getByText("Listening: the event appears here when it arrives.").waitFor();

    const code = await page.getByRole("group", { name: "Post order.created: curl" }).innerText();
    for (const secret of secrets) expect(code).toContain(secret);
    const refused = await run("bash", ["-c", code.replaceAll(secrets[1] ?? "", "whs_another")]);
    expect(JSON.parse(refused.stdout)).toEqual({ error: "Invalid signature" });
    await page.getByText("A request was refused with 401").waitFor();
    await page.getByText("The signature does not match this body and this site's secret").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    const { stdout } = await run("bash", ["-c", code]);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, chat: "sent", recipients_sent: 1 });
    const live = page.getByRole("region", { name: "Events as they come" });
    await live.getByText("order.created arrived").waitFor();
    await live.getByText("Order 10042", { exact: true }).waitFor();
    await live.getByText("Hello Ada, thank you for your order of USD 49.90").waitFor();
    expect(await live.getByRole("link", { name: "View your order" }).getAttribute("href")).toBe("https://shop.example/orders/10042");
    await live.getByRole("listitem").filter({ hasText: "+14155550123" }).filter({ hasText: "read" }).waitFor();
    await progress(page).getByText("5 of 5 done. Everything is set up").waitFor();
    expect(new URL(page.url()).pathname).toBe("/getting-started");
    await live.getByRole("link", { name: "Open message" }).click();
    await page.waitForURL(/\/log\?open=/u);
    expect(problems).toEqual([]);
  });

  detail("by keyboard alone, at each step accessible and no wider than the window", async () => {
    await using watched = await openPage(browser, opened().admin.url, { width: 768, colorScheme: "dark" });
    const { page, problems } = watched;
    const found: string[] = [];
    const look = async () => found.push(...(await accessibilityProblems(page)), ...((await sidewaysScroll(page)) > 0 ? ["too wide"] : []));
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto("/sign-up");
    await typeInto(page, page.getByLabel("Account name"), "Key & Board");
    await typeInto(page, page.getByLabel("E-mail"), "kay@example.com");
    await typeInto(page, passwordOf(page), owner.password);
    await page.keyboard.press("Enter");
    await progress(page).getByText("1 of 5 done").waitFor();
    await look();
    await typeInto(page, page.getByRole("textbox", { name: "Name" }), "Keys");
    await typeInto(page, page.getByRole("textbox", { name: "URL", exact: true }), "keys.example");
    await page.keyboard.press("Enter");
    await untilFocused(page.getByRole("textbox", { name: "API key" }));
    await progress(page).getByText("2 of 5 done. Save the API key and the webhook secret").waitFor();
    await look();
    await pressOn(page, page.getByRole("button", { name: "I have saved them" }));
    await untilFocused(step(page, "Get a template approved"));
    expect((await opened().sql`select url from site where name = 'Keys'`)[0]).toEqual({ url: "https://keys.example" });
    await page.getByText("Hello Ada, thank you for your order of USD 49.90: Mug x 2, Teapot x 1.").waitFor();
    await look();
    await pressOn(page, page.getByRole("button", { name: "Create and submit example" }));
    await untilFocused(step(page, "Create a binding"));
    await progress(page).getByText("3 of 5 done. Next: Create a binding").waitFor();
    await page.getByText("Hello Ada").waitFor();
    await look();
    await pressOn(page, page.getByRole("button", { name: "Create binding" }));
    await untilFocused(step(page, "Post a first event"));
    await tabTo(page, page.getByRole("tab", { name: "curl" }));
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.getByRole("tab", { name: "Node", selected: true }).waitFor();
    await pressOn(page, page.getByRole("button", { name: "Copy Post order.created: Node" }));
    await page.getByText("Copied").waitFor();
    const program = await page.evaluate(() => navigator.clipboard.readText());
    const [variables] = /(?<=^\/\/ ).*(?=node event\.mjs)/u.exec(program) ?? [];
    const posted = await run("bash", ["-c", `${variables} "$0" --input-type=module --eval "$1"`, process.execPath, program]);
    expect(JSON.parse(posted.stdout)).toMatchObject({ chat: "sent" });
    await page.getByRole("region", { name: "Events as they come" }).getByText("Hello Ada").waitFor();
    await progress(page).getByText("5 of 5 done").waitFor();
    await look();
    await pressOn(page, page.getByRole("button", { name: "Send it for me" }));
    const chats = async () => opened().sql`select e.chat from event e join site s on s.id = e.site_id where s.name = 'Keys' and not e.test`;
    await expect.poll(chats).toEqual([{ chat: "sent" }, { chat: "accepted" }]);
    expect([...found, ...problems]).toEqual([]);
  });

  detail("a reload keeps the place, secrets are gone with it, and what the server refuses is said", async () => {
    const { token, client } = await opened().admin.signUp();
    await client.settings.update.mutate({ platform: null });
    await using watched = await openPage(browser, opened().admin.url, { token });
    const { page } = watched;
    page.on("dialog", (dialog) => void dialog.accept());
    await page.goto("/getting-started");
    await page.route("**/trpc/settings.connectSandbox*", (route) => route.abort());
    await page.getByRole("button", { name: "Connect sandbox" }).click();
    await page.getByText("Could not connect the sandbox").waitFor();
    await page.unroute("**/trpc/settings.connectSandbox*");
    await page.getByRole("button", { name: "Connect sandbox" }).click();
    await makeSite(page);
    await page.getByRole("textbox", { name: "Webhook secret" }).waitFor();
    await page.reload();
    await progress(page).getByText("2 of 5 done. Next: Get a template approved.").waitFor();
    await step(page, "Post a first event").click();
    await page.waitForURL(/step=event$/u);
    await page.reload();
    await page.getByText("No bindings yet").waitFor();
    await page.getByText("Replace YOUR_SITE_KEY").waitFor();
    await page.getByRole("link", { name: "Rotate them for Bean shop" }).waitFor();

    await step(page, "Get a template approved").click();
    await page.getByRole("button", { name: "Create and submit example" }).waitFor();
    await client.settings.update.mutate({ platform: null });
    await page.getByRole("button", { name: "Create and submit example" }).click();
    await page.getByText("Could not submit the template").waitFor();
    await page.getByRole("button", { name: "Submit example" }).waitFor();
    await client.settings.connectSandbox.mutate();
    await page.getByRole("button", { name: "Submit example" }).click();
    await page.getByRole("button", { name: "Create binding" }).waitFor();
  });
});

const progress = (page: Page) => page.getByRole("main").getByRole("status").filter({ hasText: "done" });

const step = (page: Page, title: string) => page.getByRole("button", { name: new RegExp(`^${title}`, "u") });

async function makeSite(page: Page): Promise<void> {
  await page.getByRole("textbox", { name: "Name" }).fill("Bean shop");
  await page.getByRole("textbox", { name: "URL", exact: true }).fill("https://shop.example");
  await page.getByRole("button", { name: "Add site" }).last().click();
}

/** Confirms that both secrets are saved; answers both. */
async function saveSecrets(page: Page): Promise<string[]> {
  const fields = ["API key", "Webhook secret"].map((name) => page.getByRole("textbox", { name }));
  const secrets = await Promise.all(fields.map((field) => field.inputValue()));
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: /^Download both/u }).click()]);
  expect(download.suggestedFilename()).toBe("bean-shop.env");
  await page.getByRole("button", { name: "I have saved them" }).click();
  return secrets;
}

const isFocused = (locator: Locator): Promise<boolean> => locator.evaluate((element) => element === document.activeElement);

/** Moves the focus by the Tab key, from where it is. */
async function tabTo(page: Page, locator: Locator): Promise<void> {
  for (let tabs = 0; tabs < 60; tabs += 1) {
    if (await isFocused(locator)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`The Tab key does not lead to ${String(locator)}`);
}

async function pressOn(page: Page, locator: Locator): Promise<void> {
  await tabTo(page, locator);
  await page.keyboard.press("Enter");
}

async function typeInto(page: Page, locator: Locator, text: string): Promise<void> {
  await tabTo(page, locator);
  await page.keyboard.type(text);
}
