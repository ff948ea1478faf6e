import { demoTemplate, demoVariableMap } from "admin-server/cli/demo";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { postEvent } from "../../support/requests.ts";
import { accessibilityProblems, lead } from "../stack.ts";
import { choose, describeInBrowser, detail, type Opened, openSite, press, tabTo } from "../support.ts";

const parcel = {
  customer: { first_name: "Ada", phone_e164: "+14155550123" },
  order: { number: "10042", items: [{ name: "Mug", qty: 2, price: "12.45" }] },
  parcel: { code: "DHL 1/2" },
};

describeInBrowser("the pages of bindings", (opened) => {
  test("a binding is made from what events held, by keyboard alone, and what is sent is what was seen", async () => {
    const { owner, gateway, visit } = opened();
    const { sender } = await openSite(opened(), "Parcels by keyboard");
    await postEvent(gateway, sender, parcel, { event: "parcel.sent" });
    const { page } = await visit("operator", "/bindings/new");
    await choose(page, "Site", "Parcels by key");
    await choose(page, "Event", "parcel");
    await choose(page, "Template", demoTemplate.name);
    await choose(page, "Header {{1}}: path", "dhl");
    await choose(page, "Body {{1}}: path", "first_name");
    await fillFrom(page, "Body {{2}}", "Fixed text");
    await tabTo(page, page.getByRole("textbox", { name: "Body {{2}}: text" }));
    await page.keyboard.type("USD 49.90");
    await fillFrom(page, "Body {{3}}", "Expression");
    await tabTo(page, page.getByRole("combobox", { name: "Body {{3}}: expression" }));
    await page.keyboard.type("Items,");
    const preview = page.getByRole("complementary", { name: "Preview" });
    await preview.getByText("link missing").waitFor();
    await preview.getByText("With this data the message would fail.").waitFor();
    await choose(page, "Link of the button “View your order” {{1}}: path", "order.number");
    // While the path is typed, the link holds the whole `order`.
    await preview.locator('a[href$="/10042"]').waitFor();
    await preview.getByText("With this data the message would be sent.").waitFor();
    await preview.getByRole("group", { name: "Recipients" }).getByText(parcel.customer.phone_e164).waitFor();
    const seen = {
      header: await preview.getByText("Order DHL 1/2", { exact: true }).innerText(),
      body: await preview.getByText("Hello Ada").innerText(),
      url: await preview.getByRole("link", { name: "View your order" }).getAttribute("href"),
    };
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/bindings\/[-\da-f]{36}$/u);

    expect((await postEvent(gateway, sender, parcel, { event: "parcel.sent" })).json).toMatchObject({ chat: "sent", bindings_run: 1 });
    const { items } = await owner.client.sandbox.messages.query({ to: parcel.customer.phone_e164 });
    const sent = items.find(({ text }) => text.includes("DHL"));
    expect({ header: sent?.header, body: sent?.body, url: sent?.buttons[0]?.["url"] }).toEqual({
      header: { format: "TEXT", text: seen.header },
      body: seen.body,
      url: seen.url,
    });

    await page.getByRole("textbox", { name: "Body {{2}}: text" }).fill("USD 50.00");
    await press(page.getByRole("button", { name: "Try on the last 7 days" }));
    const tried = page.getByRole("dialog", { name: "What the last 7 days would send" });
    await tried.getByText(/^2 events of \S+: 0 messages as now, 2 changed, 0 new, 0 no longer sent/u).waitFor();
    const row = tried.getByRole("row", { name: parcel.customer.phone_e164 }).first();
    expect([await row.getByText("USD 49.90").count(), await row.getByText("USD 50.00").count()]).toEqual([1, 1]);
    await expect.poll(() => accessibilityProblems(page)).toEqual([]);
    expect((await owner.client.sandbox.messages.query({ to: parcel.customer.phone_e164 })).items).toHaveLength(items.length);
  });

  detail("while the preview is on its way nothing is called missing", async () => {
    const { open, owner } = opened();
    const [shop] = (await owner.client.sites.list.query({ search: "Demo shop" })).items;
    const [binding] = (await owner.client.bindings.list.query({ siteId: shop?.id, event: "order.created" })).items;
    await using watched = await open({ token: owner.token });
    const { page } = watched;
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route(/trpc\/.*bindings\.preview/u, (route) => held.then(() => route.continue()));
    const asked = page.waitForRequest(/trpc\/.*bindings\.preview/u);
    await page.goto(`/bindings/${binding?.id}`);
    await asked;
    const preview = page.getByRole("complementary", { name: "Preview" });
    await preview.getByText("Hello …").waitFor();
    expect(await preview.getByText("link missing").count()).toBe(0);
    release();
    await preview.getByText("Hello Ada").waitFor();
  });

  detail("conditions are written by keyboard and judged for the chosen event, and the event tells which was not met", async () => {
    const { owner, gateway, sql, visit } = opened();
    const { bindingId, sender } = await openBinding(opened(), "Conditions");
    await postEvent(gateway, sender, parcel);
    const { page } = await visit("operator", `/bindings/${bindingId}`);
    await page.getByText("Every event of this name sends the message.").waitFor();
    await tabTo(page, page.getByRole("button", { name: "Add condition" }));
    await page.keyboard.press("Enter");
    // The new rule's field has the focus.
    await page.keyboard.type("order.num");
    await page.getByRole("option", { name: "order.number" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await tabTo(page, page.getByRole("combobox", { name: "Condition 1: test" }));
    await page.keyboard.type("Is more");
    await tabTo(page, page.getByRole("combobox", { name: "Condition 1: value" }));
    await page.getByRole("option", { name: "10042", exact: true }).waitFor();
    await page.keyboard.type("20000");
    await page.getByText("Not met for the chosen event: the value is “10042”.").waitFor();
    await page.getByText("The chosen event does not meet the conditions.").waitFor();
    const preview = page.getByRole("complementary", { name: "Preview" });
    await preview.getByText("With this data the binding would not fire: its conditions are not met.").waitFor();
    await press(page.getByRole("button", { name: "Add condition" }));
    await page.getByRole("combobox", { name: "Condition 2: test" }).selectOption("in");
    await page.getByRole("combobox", { name: "Condition 2: field" }).fill("customer.first_name");
    await page.getByRole("combobox", { name: "Condition 2: values" }).fill("Bob");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Ada");
    await page.keyboard.press("Enter");
    await page.getByText("Met for the chosen event: the value is “Ada”.", { exact: true }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("combobox", { name: "Needed" }).selectOption("any");
    await page.getByText("The chosen event meets the conditions.").waitFor();
    await press(page.getByRole("button", { name: "Remove Condition 2" }));
    await page.getByText("The chosen event does not meet the conditions.").waitFor();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("status").getByText("Saved", { exact: true }).waitFor();
    expect((await owner.client.bindings.get.query({ id: bindingId })).binding.conditions).toEqual({
      match: "all",
      rules: [{ path: "order.number", op: "gt", value: "20000" }],
    });
    const { json } = await postEvent(gateway, sender, parcel);
    expect(json).toMatchObject({ chat: "skipped_conditions", bindings_run: 0 });
    await lead(page, `/events?open=${String(json["event_id"])}`);
    const drawer = page.getByRole("dialog");
    await drawer.getByText("The binding did not fire").waitFor();
    await drawer.getByText("order.number is more than “20000” (it is “10042”)").first().waitFor();
    await lead(page, "/bindings");
    await page.getByText("if order.number is more than “20000”").waitFor();

    await sql`insert into binding_use (binding_id, held_at) values (${bindingId}, now()) on conflict (binding_id) do update set held_at = now(), fired_at = null`;
    await sql`update binding set updated_at = now() - interval '31 days' where id = ${bindingId}`;
    await page.reload();
    await page.getByText("Not fired for 30 days: order.created arrived, but never met the conditions.").waitFor();
    await page.goto(`/bindings/${bindingId}`);
    await page.getByRole("alert").filter({ hasText: "The binding has not fired for 30 days" }).waitFor();
  });
});

/** A site of its own with a binding of the demo's template. */
async function openBinding(stack: Opened, siteName: string) {
  const { client } = stack.owner;
  const site = await openSite(stack, siteName);
  const { items } = await client.templates.list.query({ search: demoTemplate.name });
  const templateId = items[0]?.id ?? "";
  const { binding } = await client.bindings.create.mutate({
    siteId: site.siteId,
    event: "order.created",
    templateId,
    recipient: { strategy: "customer" },
    variableMap: demoVariableMap,
  });
  return { ...site, templateId, bindingId: binding.id };
}

async function fillFrom(page: Page, slot: string, source: string): Promise<void> {
  const group = page.getByRole("radiogroup", { name: `Source of ${slot}` });
  await tabTo(page, group.getByRole("radio", { name: "From the event" }));
  while (!(await group.getByRole("radio", { name: source }).isChecked())) await page.keyboard.press("ArrowRight");
}
