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

/** The field, not the button beside it that shows what was typed. */
export function passwordOf(page: Page) {
  return page.getByRole("textbox", { name: "Password" });
}
