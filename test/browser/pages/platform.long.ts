import { expect, test } from "vitest";
import { describeInBrowser } from "../support.ts";

describeInBrowser("the platform's settings", (opened) => {
  test("credentials are checked at their fields, secrets are kept, and a wrong id fails at its own check, with what to do", async () => {
    const { owner, visit } = opened();
    const { page } = await visit("owner");
    const before = await owner.client.settings.get.query();
    try {
      await page.goto("/settings/platform");
      await page.getByText("This account uses the sandbox").waitFor();
      await page.getByRole("button", { name: "Test connection" }).click();
      await page.getByText("The connection works").waitFor();
      await page.getByText(/^\d+ checks? passed$/u).click();
      await page.getByText("Access token: passed", { exact: true }).waitFor();
      for (const check of ["Phone number", "Template access", "Status updates"]) await page.getByText(`${check}: passed`).waitFor();

      const form = page.getByRole("form", { name: "Credentials" });
      await form.getByLabel("Business account ID").fill("12 34");
      await form.getByLabel("Phone number ID").fill("999999999999");
      await form.getByRole("button", { name: "Save changes" }).click();
      await form.getByText("Must be an ID as WhatsApp shows it").waitFor();
      await page.getByRole("link", { name: "Home" }).click();
      await page.getByRole("button", { name: "Stay here" }).click();
      await form.getByLabel("Business account ID").fill(before.platform.wabaId ?? "");
      await form.getByRole("button", { name: "Save changes" }).click();
      // What was saved is checked at once.
      await form.getByText("Saved. The checks above tell whether it works.").waitFor();
      const { platform } = await owner.client.settings.get.query();
      expect(platform).toMatchObject({
        phoneNumberId: "999999999999",
        accessTokenHint: before.platform.accessTokenHint,
        hasAppSecret: true,
      });

      await page.getByText("Failed: phone number").waitFor();
      await page.getByText(/^\d+ checks? passed$/u).click();
      await page.getByText("Access token: passed", { exact: true }).waitFor();
      await page.getByText("Template access: not checked").waitFor();

      await page.getByRole("button", { name: "Reconnect sandbox" }).click();
      await page.getByText(before.platform.phoneNumberId ?? "").waitFor();
      const { checks: _, checkedAt: __, health: ___, people: ____, ...again } = (await owner.client.settings.get.query()).platform;
      expect(before.platform).toMatchObject(again);
    } finally {
      await owner.client.settings.connectSandbox.mutate();
    }
  });
});
