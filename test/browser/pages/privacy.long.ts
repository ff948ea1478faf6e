import { optOutKey } from "shared/core/person-key";
import { newId } from "shared/db/ids";
import { phonePlace } from "shared/db/opt-out";
import { expect, test } from "vitest";
import { vault } from "../../support/gateway.ts";
import { untilThereAre } from "../stack.ts";
import { addFilter, describeInBrowser, detail, type Opened, ownShop } from "../support.ts";

describeInBrowser("privacy", (opened) => {
  test("somebody who opted out is found by phone, and written to again only after a question", async () => {
    await optOut(opened(), ["+491700000071", "+491700000072"]);
    const { page } = await opened().visit("operator", "/settings/privacy");
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
    await page.goto("/settings/privacy?search=49152");
    await page.getByText("Nothing matches these filters").waitFor();
    expect(await page.getByText("has not opted out").count()).toBe(0);
    await page.getByRole("link", { name: "Clear filters" }).click();
    await rows.filter({ hasText: "+491700000071" }).waitFor();
    expect(new URL(page.url()).search).toBe("");
  });

  detail("a person is forgotten after the phone was typed twice; a phone that is still set up is refused with its place", async () => {
    const { owner, sql, visit } = opened();
    const { site, order } = await ownShop(opened(), "Forgetful");
    const phone = "+491700000081";
    await order(phone, "Mary");
    const payloads = async () => (await sql`select from event_payload where site_id = ${site.id}`).count;
    expect(await payloads()).toBe(1);
    const { page } = await visit("owner");
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
  });
});

/** Adds opt-outs, as the platform's callbacks would have done. */
async function optOut({ owner, sql }: Opened, phones: string[]): Promise<void> {
  const { account } = await owner.client.auth.me.query();
  for (const phone of phones) {
    const id = newId();
    await sql`
      insert into opt_out (id, account_id, phone_hash, phone, scope, source, active, since, told_at)
      values (${id}, ${account.id}, ${vault.fingerprint(optOutKey(account.id, phone))}, ${vault.seal(phone, phonePlace(account.id, id))}, 'marketing', 'preference', true, now(), now())`;
  }
}
