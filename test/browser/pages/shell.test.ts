import type { Request } from "playwright-core";
import { expect, test } from "vitest";
import { scaled } from "../../faults/harness/scale.ts";
import { accessibilityProblems, owner as person, ownMenu, passwordOf, signIn, signOut, tryAgain, untilFocused } from "../stack.ts";
import { describeInBrowser, detail, press } from "../support.ts";

describeInBrowser("the shell", (opened) => {
  test("the navigation marks the page, names it in the title, and takes the focus along", async () => {
    const { page } = await opened().visit("owner", "/settings/general");
    await page.getByRole("link", { name: "People" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "People" }).waitFor();
    const current = page.getByRole("navigation", { name: "Pages" }).locator('[aria-current="page"]');
    await expect.poll(() => current.allInnerTexts()).toEqual(["People"]);
    await expect.poll(() => page.title()).toBe("People · Tidings");
    await untilFocused(page.getByRole("main"));
    await page.goto("/settings");
    await page.getByRole("heading", { name: "General" }).waitFor();
    await page.keyboard.press("Tab");
    await untilFocused(page.getByRole("link", { name: "Skip to content" }));
    // A replica that is behind says so in its answers.
    let behind = "12";
    await page.route("**/trpc/*notifications.list*", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), "x-service-lag": behind } });
    });
    await page.goto("/log");
    await page.getByText("Lists and charts are 12 seconds behind.").waitFor();
    behind = "1";
    await page.getByText("Lists and charts are 12 seconds behind.").waitFor({ state: "detached" });
  });

  detail("keys lead to pages while nobody types, a sheet lists them, and they can be switched off", async () => {
    const { page } = await opened().visit("viewer");
    const at = (path: string) => expect.poll(() => new URL(page.url()).pathname).toBe(path);
    await page.goto("/");
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search or go to" }).fill("shortcuts");
    await page.keyboard.press("Enter");
    const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await sheet.getByText("Sandbox phone").waitFor();
    expect(await sheet.getByText("People").count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    // A dialog handles its own keys.
    await page.keyboard.type("gl");
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await untilFocused(page.getByRole("heading", { name: "Home" }));
    await page.keyboard.type("gl");
    await at("/log");
    const field = page.getByRole("searchbox").or(page.getByRole("textbox")).first();
    await field.pressSequentially("ge?");
    expect(await field.inputValue()).toBe("ge?");
    await page.getByRole("main").focus();
    // The keys name an owner's page, and then no page.
    await page.keyboard.type("guzgs");
    await at("/sites");
    await page.keyboard.press("?");
    await press(sheet.getByRole("switch"), "Space");
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await page.getByRole("main").focus();
    await page.keyboard.type("go?");
    expect(new URL(page.url()).pathname).toBe("/sites");
    expect(await sheet.count()).toBe(0);
  });

  detail("where the window is narrow the navigation is a drawer, by keyboard too", async () => {
    const { page } = await opened().visit("owner", "/settings/people", { width: 360 });
    const burger = page.getByRole("button", { name: "Open navigation" });
    await burger.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("link", { name: "Audit" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await untilFocused(burger);
    await burger.click();
    await page.getByRole("link", { name: "Audit" }).click();
    await page.getByRole("heading", { name: "Audit" }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  detail("signing out stops a page's polls before the session ends", async () => {
    const { open } = opened();
    await using watched = await open({ isLast: true });
    const { page, problems } = watched;
    await page.clock.install();
    await signIn(page);
    const asked: string[] = [];
    const note = (request: Request) => {
      if (request.url().includes("/trpc/")) asked.push(request.url());
    };
    await page.route("**/trpc/auth.logout*", async (route) => {
      page.on("request", note);
      await page.clock.runFor(90_000);
      page.off("request", note);
      await route.continue();
    });
    await signOut(page);
    expect([asked, problems]).toEqual([[], []]);
  });

  test("a deep link leads through the sign-in to its page, and to no other host", async () => {
    const { admin, visit } = opened();
    const { page } = await visit(null);
    const enter = async () => {
      await page.getByLabel("E-mail").fill(person.email);
      await passwordOf(page).fill(person.password);
      await page.getByRole("button", { name: "Sign in" }).click();
      await ownMenu(page).waitFor();
    };
    await page.goto("/settings/audit?action=sites.create");
    await enter();
    await page.getByRole("heading", { name: "Audit" }).waitFor();
    await expect.poll(() => page.url()).toBe(`${admin.url}/settings/audit?action=sites.create`);
    await page.context().clearCookies();
    for (const next of ["//evil.example/", "/\\evil.example/", "https://evil.example/"].slice(0, scaled(1, 3))) {
      await page.goto(`/sign-in?next=${encodeURIComponent(next)}`);
      await enter();
      await expect.poll(() => page.url()).toBe(`${admin.url}/`);
    }
  });

  detail("the scheme is chosen in the own menu", async () => {
    const { page } = await opened().visit("viewer", "/");
    await ownMenu(page).click();
    await page.getByRole("menuitemradio", { name: "Dark" }).click();
    await expect.poll(() => page.locator("html").getAttribute("data-mantine-color-scheme")).toBe("dark");
  });

  detail("a page whose script does not come is said, the navigation stays, and trying again brings it", async () => {
    const { open, owner } = opened();
    await using watched = await open({ token: owner.token });
    const { page } = watched;
    await page.route("**/assets/people-page-*.js", (route) => route.abort());
    await page.goto("/settings/people");
    await page.getByText("Could not show this page").waitFor();
    expect(await page.title()).toBe("People · Tidings");
    await page.unroute("**/assets/people-page-*.js");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "People" }).waitFor();
  });

  for (const [path, procedure, said, shown] of [
    ["/?days=30", "stats.overview", "Could not load the figures", "Sent, not confirmed"],
    ["/log", "notifications.list", "Could not load the messages", "demo_order_confirmation"],
    ["/scheduled", "notifications.scheduled", "Could not load the scheduled messages", "No scheduled messages"],
    ["/settings/platform", "settings.get", "Could not load the settings", "This account uses the sandbox"],
    ["/settings/audit", "audit.list", "Could not load the audit", "oscar@example.com"],
  ] as const)
    detail(`what does not come on ${path} is said in its place, and comes when it is asked for again`, async () => {
      const { open, owner } = opened();
      await using watched = await open({ token: owner.token });
      const { page } = watched;
      const blocked = new RegExp(`/trpc/[^?]*${procedure.replace(".", "\\.")}(?:[,?]|$)`, "u");
      await page.route(blocked, (route) => route.abort());
      await page.goto(path);
      const alert = page.getByRole("alert").filter({ hasText: said });
      await alert.getByText("The server cannot be reached").waitFor();
      await tryAgain(page, blocked);
      await page.getByText(shown).filter({ visible: true }).first().waitFor();
      await alert.waitFor({ state: "detached" });
    });
});
