import { optOutKey } from "shared/core/message";
import { newId } from "shared/db/ids";
import { inTransaction } from "shared/db/transaction";
import { askForShop } from "shared/sealing/ask-to-erase";
import { expect, test } from "vitest";
import { vault } from "../../support/gateway.ts";
import { waitFor } from "../../support/wait-for.ts";
import { owner as ann, untilThereAre } from "../stack.ts";
import { addFilter, describeInBrowser, detail, type Opened, ownShop } from "../support.ts";

describeInBrowser("privacy", (opened) => {
  detail("how long things are kept is changed by owners, and keeping less only after a word on what is lost", async () => {
    const { open, owner, operator } = opened();
    await using watched = await open({ token: owner.token });
    const { page, problems } = watched;
    const form = page.getByRole("form", { name: "Data retention" });
    const kept = async () => (await owner.client.settings.get.query()).retention;
    await page.goto("/settings/privacy");
    await form.getByLabel("Keep message log for (days)").fill("0");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("Must be at least 1 day").waitFor();
    await form.getByLabel("Keep message log for (days)").fill("60");
    await form.getByRole("button", { name: "Save" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("are deleted for good").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(await kept()).toEqual({ payloadDays: 90, logDays: 90 });
    await form.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("button", { name: "Delete older data" }).click();
    await form.getByText("Saved", { exact: true }).waitFor();
    expect(await kept()).toEqual({ payloadDays: 90, logDays: 60 });
    await form.getByLabel("Keep message log for (days)").fill("90");
    await form.getByRole("button", { name: "Save" }).click();
    await waitFor("the longer time", async () => (await kept()).logDays === 90);
    expect(await kept()).toEqual({ payloadDays: 90, logDays: 90 });

    await using other = await open({ token: operator.token });
    await other.page.goto("/settings/privacy");
    await other.page.getByText("Message log: 90 days").waitFor();
    expect(await other.page.getByRole("button", { name: /Save|Erase/u }).count()).toBe(0);
    expect([...problems, ...other.problems]).toEqual([]);
  });

  test("somebody who opted out is found by phone, and written to again only after a question", async () => {
    const { open, operator } = opened();
    await optOut(opened(), ["+491700000071", "+491700000072"]);
    await using watched = await open({ token: operator.token });
    const { page, problems } = watched;
    await page.goto("/settings/privacy");
    const rows = page.getByRole("table", { name: "Opt-outs" }).getByRole("row").filter({ hasText: "+4917000000" });
    await untilThereAre(2, rows);
    await addFilter(page, "Phone");
    await page.getByRole("searchbox", { name: "Phone" }).fill("+491700000072");
    await untilThereAre(1, rows);
    expect(new URL(page.url()).searchParams.get("phone")).toBe("+491700000072");
    await page.reload();
    await page.getByRole("button", { name: "Remove opt-out of +491700000072" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove opt-out" }).click();
    await page.getByText("+491700000072 has not opted out").waitFor();
    await page.getByRole("link", { name: "Clear filters" }).click();
    await rows.filter({ hasText: "+491700000071" }).waitFor();
    expect(new URL(page.url()).search).toBe("");
    expect(problems).toEqual([]);
  });

  detail("a person is forgotten after the phone was typed twice; a phone that is still set up is refused with its place", async () => {
    const { open, owner, sql } = opened();
    const { site, order } = await ownShop(opened(), "Forgetful");
    const phone = "+491700000081";
    await order(phone, "Mary");
    const payloads = async () => (await sql`select from event_payload where site_id = ${site.id}`).count;
    expect(await payloads()).toBe(1);
    await using watched = await open({ token: owner.token });
    const { page, problems } = watched;
    const form = page.getByRole("form", { name: "Erase personal data" });
    const dialog = page.getByRole("dialog");
    const ask = async (typed: string) => {
      await form.getByLabel("Phone").fill(typed);
      await form.getByRole("button", { name: "Erase personal data" }).click();
    };
    await page.goto("/settings/privacy");
    await ask("0170 123");
    await form.getByText("Must be an E.164 phone number").waitFor();

    const fixed = "+491700000082";
    const { binding } = await owner.client.bindings.create.mutate({
      siteId: site.id,
      event: "order.fixed",
      templateId: (await owner.client.templates.list.query({ status: "approved" })).items[0]?.id ?? "",
      recipient: { strategy: "static_phone", phone: fixed },
      variableMap: {},
    });
    await ask(fixed);
    await dialog.getByRole("textbox").fill(fixed);
    await page.keyboard.press("Enter");
    await dialog.getByText(binding.id).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();

    await ask("+49 170 0000081");
    expect(await dialog.getByRole("button", { name: "Erase data" }).isDisabled()).toBe(true);
    await dialog.getByRole("textbox").fill(phone);
    await page.keyboard.press("Enter");
    await page.getByRole("table", { name: "Erasure requests" }).getByText("Running").waitFor();
    await expect.poll(payloads).toBe(0);
    await page.getByText("event data: 1").waitFor();
    expect(problems).toEqual([]);
  });

  detail("a shop's request shows who is meant, and is refused or carried out by an owner, who proves who they are", async () => {
    const { open, owner, sql } = opened();
    const { site, order } = await ownShop(opened(), "Asking");
    const { account } = await owner.client.auth.me.query();
    const phone = "+491700000091";
    await order(phone, "Mary");
    const ask = (customer: string) =>
      inTransaction(sql, (transaction) =>
        askForShop(transaction, vault, {
          accountId: account.id,
          siteId: site.id,
          person: { phone, email: "mary@example.com", customer, orders: ["17", "18"] },
        }),
      );
    await ask("4711");
    await ask("4712");
    await using watched = await open({ token: owner.token });
    const { page, problems } = watched;
    await page.goto("/");
    await page.getByRole("article", { name: "Shops ask to erase 2 people" }).getByRole("link", { name: "Show" }).click();
    const rows = page.getByRole("table", { name: "Requests from your shops" }).getByRole("row").filter({ hasText: phone });
    await untilThereAre(2, rows);
    const first = rows.filter({ hasText: "4711" });
    await first.getByText("mary@example.com · customer 4711 · orders 17, 18").waitFor();
    await sql`update user_session set proven_at = now() - interval '11 minutes'`;
    await rows
      .filter({ hasText: "4712" })
      .getByRole("button", { name: /^Refuse the request/u })
      .click();
    await page.getByRole("button", { name: "Refuse request" }).click();
    await page.getByRole("textbox", { name: "Your password" }).fill(ann.password);
    await page.getByRole("button", { name: "Confirm", exact: true }).click();
    await page.getByText("Refused by ann@example.com").waitFor();
    await first.getByRole("button", { name: `Erase ${phone}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Erase data" }).click();
    await expect.poll(async () => (await sql`select from event_payload where site_id = ${site.id}`).count).toBe(0);
    await page.getByText("event data: 1").waitFor();
    // The refusal for want of a proof is an answer with status 403.
    expect(problems.filter((problem) => !problem.includes("403"))).toEqual([]);
  });
});

/** Adds opt-outs, as the platform's callbacks would have done. */
async function optOut({ owner, sql }: Opened, phones: string[]): Promise<void> {
  const { account } = await owner.client.auth.me.query();
  for (const phone of phones) {
    await sql`
      insert into opt_out (id, account_id, phone_hash, phone, scope, source, active, since, told_at)
      values (${newId()}, ${account.id}, ${vault.fingerprint(optOutKey(account.id, phone))}, ${phone}, 'marketing', 'preference', true, now(), now())`;
  }
}
