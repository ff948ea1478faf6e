import type { Page } from "playwright-core";

/** Who the tests sign in as. */
export const owner = { email: "ann@example.com", password: "right horse battery" };

export async function signUp(page: Page, { email, password }: typeof owner): Promise<void> {
  await page.getByLabel("Account name").fill("Bean & Leaf");
  await page.getByLabel("E-mail").fill(email);
  await passwordOf(page).fill(password);
  await page.getByRole("button", { name: "Open the account" }).click();
}

/** Ends on the first page after the sign-in. */
export async function signIn(page: Page): Promise<void> {
  await page.goto("/sign-in");
  await page.getByLabel("E-mail").fill(owner.email);
  await passwordOf(page).fill(owner.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await ownMenu(page).waitFor();
}

/** What opens the menu of whoever is signed in. */
export const ownMenu = (page: Page) => page.getByRole("button", { name: /: your menu$/u });

export async function signOut(page: Page): Promise<void> {
  await ownMenu(page).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
}

/**
 * Lets through what was blocked, and asks again. By keyboard: where the page itself has asked just before, the notice is gone and the key does nothing, while a
 * click would wait for it in vain.
 */
export async function tryAgain(page: Page, blocked: string | RegExp): Promise<void> {
  await page.getByRole("button", { name: "Try again" }).first().focus();
  await page.unroute(blocked);
  await page.keyboard.press("Enter");
}

/** The field, not the button beside it that shows what was typed. */
export function passwordOf(page: Page) {
  return page.getByRole("textbox", { name: "Password" });
}
