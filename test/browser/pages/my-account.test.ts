import { totpCode, totpStep } from "admin-server/session/totp";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { addMember, password, signedIn, refusal } from "../../support/admin.ts";
import { accessibilityProblems, ownMenu, passwordOf, signOut, untilFocused, lead } from "../stack.ts";
import { describeInBrowser, detail } from "../support.ts";

describeInBrowser("the own account", (opened) => {
  test("a changed password ends the other sessions; unsaved words are not lost by a click", async () => {
    const { owner, admin, visit } = opened();
    const { email, token } = await addMember(admin, owner.client, "viewer", "paul@example.com");
    const other = await signedIn(admin.client().auth.login.mutate({ email, password }));
    const { page } = await visit(null, "/settings/account", { token });
    const [current, next] = ["Current password", "New password"].map((name) => page.getByRole("textbox", { name }));
    const change = page.getByRole("button", { name: "Change password" });
    await current?.fill("not the one");
    await next?.fill("a quite different one");
    await page.getByRole("link", { name: "Home" }).click();
    await page.getByRole("dialog", { name: "Leave without saving?" }).getByRole("button", { name: "Stay here" }).click();
    await change.click();
    await page.getByText("This is not your current password.").waitFor();
    await current?.fill(password);
    await change.click();
    await page.getByText("Password changed").waitFor();
    await expect.poll(() => current?.inputValue()).toBe("");
    expect((await refusal(admin.client(other.token).auth.me.query())).code).toBe("UNAUTHORIZED");
    expect((await admin.client(token).auth.me.query()).user.email).toBe(email);
    await next?.fill("left behind");
    await page.getByRole("link", { name: "Home" }).click();
    await page.getByRole("button", { name: "Leave" }).click();
    await page.getByRole("heading", { name: "Home" }).waitFor();
  });

  detail("an authenticator app is demanded, set up, and asked for; then a passkey signs in, and both are removed", async () => {
    const { open, owner, admin, sql } = opened();
    const { email } = await addMember(admin, owner.client, "viewer", "pia@example.com");
    await using local = await opened().openLocal();
    await using watched = await open({ isLast: true });
    const { page, problems } = watched;
    const devices = await page.context().newCDPSession(page);
    await devices.send("WebAuthn.enable");
    const device = {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    } as const;
    await devices.send("WebAuthn.addVirtualAuthenticator", { options: device });
    const press = (name: string, within: Page | Locator = page) => within.getByRole("button", { name, exact: true }).click();
    const enterPassword = async () => {
      await page.goto(`${local.url}/sign-in`);
      await page.getByLabel("E-mail").fill(email);
      await passwordOf(page).fill(password);
      await press("Sign in");
    };

    await sql`update account set require_second_factor = true`;
    await enterPassword();
    await page.getByRole("heading", { name: "Set up a second factor" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await press("Use an authenticator app");
    await press("Continue");
    await page.getByRole("img", { name: /^QR code/u }).waitFor();
    const secret = await page.getByRole("textbox", { name: "Key" }).inputValue();
    const code = page.getByRole("textbox", { name: /Enter the code/u });
    expect(await accessibilityProblems(page)).toEqual([]);
    await code.fill(totpCode(secret, totpStep(new Date())));
    await press("Confirm code");
    const codes = await page.getByLabel("Recovery codes").innerText();
    const download = page.waitForEvent("download");
    await press("Download codes");
    expect((await download).suggestedFilename()).toBe("tidings-recovery-codes.txt");
    await press("I have saved them");
    await ownMenu(page).waitFor();
    await sql`update account set require_second_factor = false`;

    await lead(page, "/settings/account");
    await page.getByText("10 recovery codes left").waitFor();
    await press("Add passkey");
    const dialog = page.getByRole("dialog", { name: "Add passkey" });
    await dialog.getByRole("textbox", { name: "Name" }).fill("Pia's laptop");
    await press("Add passkey", dialog);
    const row = page.getByRole("table", { name: "Passkeys" }).getByRole("row").filter({ hasText: "Pia's laptop" });
    await row.getByText("Never").waitFor();
    await signOut(page);

    await enterPassword();
    const second = page.getByRole("textbox", { name: "Code" });
    await untilFocused(second);
    await page.keyboard.type("not a code");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await second.fill(codes.split("\n")[0] ?? "");
    await page.keyboard.press("Enter");
    await ownMenu(page).waitFor();
    await signOut(page);

    await press("Use a passkey");
    await ownMenu(page).waitFor();
    await sql`update user_session set proven_at = now() - interval '11 minutes'`;
    await page.goto(`${local.url}/settings/account`);
    await page.getByText("9 recovery codes left").waitFor();
    await press("Remove the passkey Pia's laptop");
    await press("Remove passkey");
    const proof = page.getByRole("dialog", { name: "Confirm that it is you" });
    await proof.getByRole("button", { name: "Use a code from your app instead" }).waitFor();
    await press("Use a passkey", proof);
    await page.getByText("No passkeys").waitFor();
    await press("Remove app");
    const removing = page.getByRole("dialog", { name: "Remove the authenticator app?" });
    await removing.getByRole("textbox", { name: "Your password" }).fill(password);
    await press("Remove app", removing);
    await page.getByText("Not set up: your password alone signs you in.").waitFor();
    expect(problems).toEqual([]);
  });
});
