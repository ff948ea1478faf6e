import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { postEvent } from "../../support/requests.ts";
import { waitFor } from "../../support/wait-for.ts";
import { accessibilityProblems, looksRight } from "../stack.ts";
import { describeInBrowser, detail, type Opened, openSite } from "../support.ts";

describeInBrowser("the pages of sites", (opened) => {
  test("a dialog begins with what was typed before it has come, and not with the shortcut before the space that opens it", async () => {
    const { page } = await opened().visit("owner", "/sites");
    const [add, name] = [page.getByRole("button", { name: "Add site" }), page.getByRole("dialog").locator("input:focus")];
    await add.focus();
    await page.keyboard.press("j");
    await add.press("Space");
    expect(await name.inputValue()).toBe("");

    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(/\/create-site-[^/]*\.js$/u, (route) => released.then(() => route.continue()));
    await page.goto("/sites");
    await add.press("Enter");
    await page.getByRole("status", { name: "Loading Add site" }).waitFor();
    await page.keyboard.type("Quay");
    release();
    expect(await name.inputValue()).toBe("Quay");
  });

  test("a site is made; its two secrets are shown once, saved as a file, and open the gateway", async () => {
    const { page } = await opened().visit("owner", "/sites");
    await page.getByRole("button", { name: "Add site" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Add site" }).click();
    await dialog.getByText("Must not be empty").waitFor();
    await page.keyboard.type("Quayside books");
    await dialog.getByLabel("URL").fill("https://quayside.example");
    await dialog.getByLabel("Test phone").fill("49 170 1234567");
    await dialog.getByRole("button", { name: "Use +491701234567" }).click();
    expect(await dialog.getByLabel("Keep idempotency keys for (hours)").inputValue()).toBe("24");
    await dialog.getByLabel("Test phone").press("Enter");

    await page.getByRole("heading", { name: "Quayside books" }).waitFor();
    const section = page.getByRole("region", { name: "Key and secret" });
    const key = await section.getByRole("textbox", { name: "API key" }).inputValue();
    const secret = await section.getByRole("textbox", { name: "Webhook secret" }).inputValue();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await section.getByRole("button", { name: "Copy Webhook secret" }).click();
    await section.getByText("Copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
    const env = await downloadedEnv(page);
    expect(env).toMatchObject({ SITE_KEY: key, WEBHOOK_SECRET: secret });
    await page.getByRole("link", { name: "Sites", exact: true }).first().click();
    await dialog.getByText("You have not saved the key and the secret of Quayside books").waitFor();
    await dialog.getByRole("button", { name: "Stay here" }).click();
    await section.getByRole("button", { name: "I have saved them" }).click();
    await section.waitFor({ state: "detached" });

    const posted = await postEvent({ url: env["BASE_URL"] ?? "" }, { key, secret });
    expect(posted.status).toBe(200);
    await page.reload();
    await page.getByText("Last event:").waitFor();
    await page.getByRole("link", { name: "Settings" }).last().click();
    expect(await page.getByLabel("Test phone").inputValue()).toBe("+491701234567");
    expect(await page.getByLabel("Keep idempotency keys for (hours)").inputValue()).toBe("24");
    expect(await page.content()).not.toContain(secret);
  });

  detail(
    "a site that shall refuse events asks first and says so on every page; a switch that was refused is back, with the reason",
    async () => {
      const { gateway, visit } = opened();
      const { site, sender } = await makeSite(opened(), "Switched shop");
      const { page } = await visit("operator", `/sites/${site.id}?tab=settings`, { expected: /ERR_FAILED/u });
      const enabled = page.getByRole("switch", { name: "Accept events" });
      await enabled.click();
      const question = page.getByRole("dialog", { name: "Refuse the events of Switched shop?" });
      await question.getByText("If the backend does not send these events again").waitFor();
      await question.getByText("No messages wait now").waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      expect((await postEvent(gateway, sender)).status).toBe(200);
      await question.getByRole("button", { name: "Refuse events" }).click();
      await waitFor("events to be refused", async () => (await postEvent(gateway, sender)).status === 403);
      await page.getByText("Events are refused with 403").waitFor();
      await page.getByRole("status").getByText("Refuses events", { exact: true }).waitFor();

      await page.route("**/trpc/sites.update*", (route) => route.abort());
      await enabled.click();
      await page.getByText("Not changed: The server cannot be reached").waitFor();
      await page.getByRole("switch", { name: "Accept events", checked: false }).waitFor();
      await page.unroute("**/trpc/sites.update*");
      await enabled.click();
      await waitFor("events to be taken", async () => (await postEvent(gateway, sender)).status === 200);
    },
  );

  detail("a site's set-up is copied to another one, here and at another installation, once its changes were seen", async () => {
    const { owner, admin, visit } = opened();
    const { client } = owner;
    const [from, here, there] = await Promise.all(
      ["Staging", "Shop", "Branch"].map(async (name) => (await openSite(opened(), name)).siteId),
    );
    const templateId = (await client.templates.list.query({ status: "approved" })).items[0]?.id ?? "";
    const binding = {
      siteId: from ?? "",
      event: "order.created",
      templateId,
      recipient: { strategy: "customer" as const },
      variableMap: {},
    };
    await client.bindings.create.mutate(binding);
    await client.recipients.add.mutate({ siteId: from ?? "", phone: "+491701112223", label: "Desk" });
    await client.recipients.add.mutate({ siteId: here ?? "", phone: "+491701112224", label: "Counter" });
    const { token } = await client.tokens.create.mutate({ name: "From elsewhere", role: "operator" });
    const has = async (siteId = "") => [
      (await client.bindings.list.query({ siteId })).items.map(({ event }) => event),
      (await client.recipients.list.query({ siteId })).items.map(({ label }) => label),
    ];
    const watched = await visit("operator", `/sites/${from}?tab=overview`);
    const { page } = watched;
    const begin = async () => {
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name: "Copy this set-up to…" }).click();
    };
    await begin();
    const dialog = page.getByRole("dialog", { name: "Copy this set-up to…" });
    await dialog.getByRole("combobox", { name: "Site" }).click();
    await page.getByRole("option", { name: "Shop", exact: true }).click();
    await dialog.getByRole("checkbox", { name: "Also remove what this site does not have" }).check();
    await dialog.getByRole("button", { name: "Show changes" }).click();
    await dialog.getByText("3 changes:").waitFor();
    await dialog.getByText("− Recipient +491701112224: is not at this site").waitFor();
    expect(await has(here)).toEqual([[], ["Counter"]]);
    await looksRight(watched);
    await client.recipients.add.mutate({ siteId: here ?? "", phone: "+491701112225" });
    await dialog.getByRole("button", { name: "Copy set-up" }).click();
    await dialog.getByText("What would change is no longer what was shown").waitFor();
    await dialog.getByRole("button", { name: "Show changes" }).click();
    await dialog.getByText("4 changes:").waitFor();
    await dialog.getByRole("button", { name: "Copy set-up" }).click();
    await dialog.getByText("4 changes made.").waitFor();
    expect(await has(here)).toEqual([["order.created"], ["Desk"]]);
    await dialog.getByRole("button", { name: "Close" }).last().click();

    await begin();
    await dialog.getByRole("checkbox", { name: "At another installation" }).check();
    await dialog.getByLabel("Address of its dashboard").fill(admin.url);
    await dialog.getByLabel("Access token of an operator there").fill("none");
    await dialog.getByLabel("Name or ID of the site").fill("Branch");
    await dialog.getByRole("button", { name: "Show changes" }).click();
    await dialog.getByText("The other installation took nothing:").waitFor();
    await dialog.getByLabel("Access token of an operator there").fill(token);
    await dialog.getByRole("button", { name: "Show changes" }).click();
    await dialog.getByText("2 changes:").waitFor();
    expect(await has(there)).toEqual([[], []]);
    await dialog.getByRole("button", { name: "Copy set-up" }).click();
    await dialog.getByText("2 changes made.").waitFor();
    expect(await has(there)).toEqual([["order.created"], ["Desk"]]);
    const entries = (await client.audit.list.query({ limit: 20 })).items;
    expect(entries.filter(({ action, subject }) => action === "setup.copy" && subject === from)).toHaveLength(3);
    expect(JSON.stringify(entries)).not.toContain(token);
  });

  detail("refused requests are listed with what helps and what came; a viewer sees neither headers nor bodies", async () => {
    const { open, operator, viewer, gateway } = opened();
    const { site, sender } = await makeSite(opened(), "Refused shop");
    await using watched = await open({ token: operator.token });
    const { page, problems } = watched;
    await page.goto(`/sites/${site.id}?tab=connect`);
    const section = page.getByRole("region", { name: "Refused requests" });
    await section.getByText("Nothing was refused").waitFor();
    expect((await postEvent(gateway, { ...sender, secret: "another" }, { note: "for Ada" })).status).toBe(401);
    expect((await postEvent(gateway, sender, "no JSON")).status).toBe(400);
    const listed = async () => (await operator.client.sites.refused.query({ siteId: site.id })).items.length;
    await waitFor("both to be listed", async () => (await listed()) === 2);
    await page.reload();
    const items = section.getByRole("listitem");
    await items.first().getByText("The body is not valid JSON").waitFor();
    await items.last().getByText("The signature does not match this body").waitFor();
    await items.last().getByText("401").click();
    await items.last().getByText('{"note":"for Ada"}').waitFor();
    await items.last().getByText("application/json").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await using other = await open({ token: viewer.token });
    await other.page.goto(`/sites/${site.id}?tab=connect`);
    const seen = other.page.getByRole("region", { name: "Refused requests" }).getByRole("listitem").last();
    await seen.getByText("401").click();
    await seen.getByText("operators and owners see them").waitFor();
    expect(await seen.innerText()).not.toContain("Ada");
    expect([...problems, ...other.problems]).toEqual([]);
  });

  detail("a key is rotated with an overlap, a secret at once", async () => {
    const { gateway, visit } = opened();
    const { site, sender } = await makeSite(opened(), "Rotated shop");
    const { page } = await visit("operator", `/sites/${site.id}?tab=keys`);
    const table = page.getByRole("table", { name: "Key and secret" });
    const dialog = page.getByRole("dialog");
    await table.getByRole("button", { name: "Rotate the API key" }).click();
    await dialog.getByText("Both work until then").waitFor();
    expect(await dialog.getByLabel("When the old one stops working").inputValue()).toBe("86400");
    await dialog.getByRole("button", { name: "Rotate the API key" }).click();
    const key = await dialog.getByRole("textbox", { name: "API key" }).inputValue();
    await dialog.getByRole("button", { name: "I have saved it" }).click();
    await table.getByText(/^Expires/u).waitFor();
    for (const each of [key, sender.key]) expect((await postEvent(gateway, { ...sender, key: each })).status).toBe(200);

    // The page is left before the answer, which must not be lost.
    await page.route("**/trpc/sites.rotateWebhookSecret*", async (route) => {
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await route.continue();
    });
    await table.getByRole("button", { name: "Rotate the Webhook secret" }).click();
    await dialog.getByLabel("When the old one stops working").selectOption("Immediately");
    await dialog.getByText("are refused with 401").waitFor();
    await dialog.getByRole("button", { name: "Rotate the Webhook secret" }).click();
    const secret = await dialog.getByRole("textbox", { name: "Webhook secret" }).inputValue();
    await dialog.getByRole("button", { name: "I have saved it" }).click();
    expect((await postEvent(gateway, sender)).status).toBe(401);
    expect((await postEvent(gateway, { key, secret })).status).toBe(200);
  });
});

/** A site of the test's own, and the credentials of its backend. */
async function makeSite({ operator }: Opened, name: string) {
  const made = await operator.client.sites.create.mutate({ name, url: "https://shop.example", sourceType: "generic" });
  return { site: made.site, sender: { key: made.apiKey, secret: made.webhookSecret } };
}

async function downloadedEnv(page: Page): Promise<Record<string, string>> {
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download both as .env" }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toBe("quayside-books.env");
  const lines = (await readFile(await download.path(), "utf8")).trim().split("\n");
  return Object.fromEntries(lines.map((line) => line.split("=", 2)));
}
