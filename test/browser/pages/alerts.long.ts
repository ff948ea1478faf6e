import { expect, test } from "vitest";
import { startMailServer } from "../../support/mail-server.ts";
import { startReceiver } from "../../support/receiver.ts";
import { shared } from "../../support/shared.ts";
import { waitFor } from "../../support/wait-for.ts";
import { looksRight, openPage } from "../stack.ts";
import { browser, describeInBrowser, detail } from "../support.ts";

describeInBrowser("alerts", (opened) => {
  const receiver = shared(startReceiver);
  const mails = shared(startMailServer);

  test("an owner adds channels, tests them, is told of what is wrong and sees what could not be delivered", async () => {
    const { owner, sql } = opened();
    await using server = await opened().openWithMail(mails.config);
    await using watched = await openPage(browser, server.url, { token: owner.token });
    const { page } = watched;
    await page.goto("/settings/alerts");
    await page.getByText("No channels yet").waitFor();
    await page.getByText("No alerts yet").waitFor();

    await page.getByRole("button", { name: "Add channel" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("E-mail address").fill("ops");
    await dialog.getByRole("button", { name: "Add channel" }).click();
    await dialog.getByText("Must be an e-mail address").waitFor();
    await looksRight(watched);
    await dialog.getByLabel("E-mail address").fill("ops@example.com");
    await dialog.getByLabel("E-mail address").press("Enter");
    await page.getByText("A link was sent to this address").waitFor();
    const [mail] = await mails.mailsTo("ops@example.com");
    const link = /http:\/\/\S+?(\/confirm-alerts#\w+)/.exec(mail?.body ?? "")?.[1] ?? "";
    {
      await using stranger = await openPage(browser, server.url);
      await stranger.page.goto(link);
      await stranger.page.getByRole("button", { name: "Yes, send me alerts" }).click();
      await stranger.page.getByText("Alerts go to ops@example.com").waitFor();
      await looksRight(stranger);
    }

    await page.getByRole("button", { name: "Add channel" }).click();
    await dialog.getByLabel("Channel").selectOption("webhook");
    await dialog.getByLabel("URL").fill(receiver.url);
    await dialog.getByLabel("Name").fill("On call");
    await dialog.getByRole("switch", { name: "Only some kinds of problems" }).check();
    await dialog.getByRole("checkbox", { name: "Binding never fires" }).check();
    await looksRight(watched);
    await dialog.getByRole("button", { name: "Add channel" }).click();
    expect(await dialog.getByLabel("Secret of the webhook").inputValue()).toMatch(/^whsec_/);
    await dialog.getByRole("button", { name: "I have saved it" }).click();
    await page.getByText("On call").waitFor();
    await page.getByRole("button", { name: "Send test to 127.0.0.1" }).click();
    await dialog.getByRole("button", { name: "Send test" }).click();
    await dialog.getByText(/Arrived after \d+ ms, answered 204/).waitFor();
    receiver.script((_, response) => void response.writeHead(500).end());
    await dialog.getByRole("button", { name: "Send again" }).click();
    await dialog.getByText(/Did not arrive after \d+ ms: 500: refused/).waitFor();
    await looksRight(watched);
    await dialog.getByRole("button", { name: "Close" }).last().click();

    await page.getByRole("switch", { name: "Site gone silent" }).uncheck();
    await page.getByLabel("Backlog: For more than (minutes)").fill("0");
    await page.getByRole("switch", { name: "Quiet hours" }).check();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Must be at least 1 minutes").waitFor();
    await page.getByLabel("Backlog: For more than (minutes)").fill("15");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Saved").waitFor();

    await sql`update platform_account set stopped_code = '190', stopped_reason = 'Access token expired', stopped_at = now()`;
    await sql`insert into template (id, account_id, name, language, category, status, definition)
      select gen_random_uuid(), id, 'refused_one', 'en_US', 'UTILITY', 'rejected', '{}' from account`;
    await sql`update alert_watch set due_at = now()`;
    await waitFor(
      "the webhook to fail",
      async () => (await sql`select from outbox where channel_id is not null and failures > 0`).length > 0,
    );
    await waitFor("the mail", () => mails.received.some(({ body }) => body.includes("Access token expired")));
    await page.reload();
    await page.getByText("WhatsApp accepts no messages from this account (190: Access token expired)").waitFor();
    await page.getByText("The template refused_one (en_US) is rejected").waitFor();
    await page.getByText(/could not be delivered/).waitFor();
    expect(await page.getByRole("switch", { name: "Site gone silent" }).isChecked()).toBe(false);
    await looksRight(watched);

    await sql`update platform_account set stopped_code = null`;
    await sql`update alert_watch set due_at = now()`;
    await waitFor(
      "the end",
      async () => (await sql`select from problem where kind = 'platform_stopped' and resolved_at is not null`).length > 0,
    );
    await page.reload();
    await page.getByRole("table", { name: "What was told" }).getByText("WhatsApp accepts no messages").waitFor();
    await looksRight(watched);

    await page.getByRole("button", { name: "Actions for 127.0.0.1" }).click();
    await page.getByRole("menuitem", { name: "Switch off" }).click();
    await dialog.getByRole("button", { name: "Switch off" }).click();
    await page.getByText("off", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Actions for ops@example.com" }).click();
    await page.getByRole("menuitem", { name: "Remove channel" }).click();
    await dialog.getByRole("button", { name: "Remove channel" }).click();
    await page.getByRole("button", { name: "Actions for ops@example.com" }).waitFor({ state: "detached" });
  });

  detail("whoever has forgotten the password gets a link by e-mail, offered where the server sends any", async () => {
    const { open } = opened();
    await using server = await opened().openWithMail(mails.config);
    await using watched = await openPage(browser, server.url);
    const { page } = watched;
    await page.goto("/sign-in");
    await page.getByRole("button", { name: "Forgot your password?" }).click();
    await page.getByLabel("Your e-mail address").fill("oscar@example.com");
    await looksRight(watched);
    await page.getByRole("button", { name: "E-mail me a link" }).click();
    await page.getByText("If oscar@example.com can sign in here").waitFor();
    const mail = (await mails.mailsTo("oscar@example.com")).at(-1);
    const link = /http:\/\/\S+?(\/reset-password#\w+)/.exec(mail?.body ?? "")?.[1] ?? "";
    await page.goto(link);
    await page.getByRole("textbox", { name: "Password" }).fill("quite another long password");
    await page.getByRole("button", { name: "Set password and sign in" }).click();
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await using without = await open();
    await without.page.goto("/sign-in");
    await without.page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(await without.page.getByText("Forgot your password?").count()).toBe(0);
  });
});
