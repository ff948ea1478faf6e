import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { untilFocused } from "../stack.ts";
import { describeInBrowser } from "../support.ts";

const fieldOf = (page: Page) => page.getByRole("combobox", { name: "Search or go to" });

async function search(page: Page, text: string): Promise<void> {
  await page.getByRole("button", { name: "Search" }).waitFor();
  await page.keyboard.press("Control+k");
  await fieldOf(page).fill(text);
}

/** The option that Enter would run, as a screen reader announces it. */
async function activeOption(page: Page): Promise<string> {
  const id = await fieldOf(page).getAttribute("aria-activedescendant");
  return page.locator(`[id="${id}"][aria-selected="true"]`).innerText();
}

describeInBrowser("the command palette", (opened) => {
  test("from the keyboard alone it goes to pages, is there before it is asked for, and gives the focus back", async () => {
    const { page } = await opened().visit("owner");
    const loaded = page.waitForResponse("**/assets/palette-*.js");
    await page.goto("/settings/general");
    await page.getByRole("button", { name: "Search", exact: true }).waitFor();
    await page.mouse.move(9, 9);
    await loaded;
    const zone = page.getByRole("combobox", { name: "Time zone" });
    await zone.focus();
    await page.keyboard.press("Control+k");
    await untilFocused(fieldOf(page));
    expect(await activeOption(page)).toContain("Home");
    await page.keyboard.press("ArrowUp");
    expect(await activeOption(page)).toContain("Sign out");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await activeOption(page)).toContain("Messages");
    await page.keyboard.press("Escape");
    await fieldOf(page).waitFor({ state: "detached" });
    await untilFocused(zone);

    await search(page, "tokens");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Access tokens" }).waitFor();
    await untilFocused(page.getByRole("main"));
    await search(page, "no such thing anywhere");
    await page.getByRole("option", { name: "Search the documentation for no such thing anywhere" }).waitFor();
  });
});
