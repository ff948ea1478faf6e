import { expect, test } from "vitest";
import { addMember } from "../../support/admin.ts";
import { password, signedIn } from "../../support/admin.ts";
import { refusal } from "../../support/admin.ts";
import { describeInBrowser } from "../support.ts";

describeInBrowser("the own account", (opened) => {
  test("a changed password ends the other sessions; unsaved words are not lost by a click", async () => {
    const { open, owner, admin } = opened();
    const { email, token } = await addMember(admin, owner.client, "viewer", "paul@example.com");
    const other = await signedIn(admin.client().auth.login.mutate({ email, password }));
    await using watched = await open({ token });
    const { page, problems } = watched;
    await page.goto("/settings/account");
    const [current, next] = ["Current password", "New password"].map((name) => page.getByRole("textbox", { name }));
    const change = page.getByRole("button", { name: "Change password" });
    await current?.fill("not the one");
    await next?.fill("a quite different one");
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("dialog", { name: "Leave without saving?" }).getByRole("button", { name: "Stay here" }).click();
    await change.click();
    await page.getByText("Is not the current password").waitFor();
    await current?.fill(password);
    await change.click();
    await page.getByText("Password changed").waitFor();
    await expect.poll(() => current?.inputValue()).toBe("");
    expect((await refusal(admin.client(other.token).auth.me.query())).code).toBe("UNAUTHORIZED");
    expect((await admin.client(token).auth.me.query()).user.email).toBe(email);
    await next?.fill("left behind");
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("button", { name: "Leave" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(problems).toEqual([]);
  });

  test("another session is ended from here, and all of them at once", async () => {
    const { open, owner, admin } = opened();
    const { email, token } = await addMember(admin, owner.client, "viewer", "sam@example.com");
    const other = await signedIn(admin.client().auth.login.mutate({ email, password }));
    await using watched = await open({ token });
    const { page, problems } = watched;
    await page.goto("/settings/account");
    const sessions = page.getByRole("table", { name: "Sessions" });
    await sessions.getByText("this session").waitFor();
    await sessions.getByRole("button", { name: /^End the session/u }).click();
    await page.getByRole("button", { name: "End session" }).click();
    await sessions.getByRole("button").waitFor({ state: "detached" });
    expect((await refusal(admin.client(other.token).auth.me.query())).code).toBe("UNAUTHORIZED");
    await page.getByRole("button", { name: "Sign out everywhere" }).click();
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect((await refusal(admin.client(token).auth.me.query())).code).toBe("UNAUTHORIZED");
    expect(problems).toEqual([]);
  });
});
