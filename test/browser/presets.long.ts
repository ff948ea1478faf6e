import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { postEvent } from "../support/requests.ts";
import { waitFor } from "../support/wait-for.ts";
import { accessibilityProblems, lead } from "./stack.ts";
import { choose, describeInBrowser, type Opened, openSite, press } from "./support.ts";

const [ada, bob] = ["+4915112345601", "+4915112345602"];

const cartOf = (phone: string, id: string) => ({ customer: { first_name: "Ada", phone_e164: phone }, cart: { id } });

describeInBrowser("from a preset to the phone", (opened) => {
  test("an abandoned cart is scheduled, sent by hand and seen on the phone; the order for another cart cancels its message", async () => {
    const { gateway, visit } = opened();
    const { siteId, sender } = await openSite(opened(), "Cart shop");
    await approvedTemplate(opened(), "cart_left", "Hello {{1}}, your cart is still here.");
    const post = (event: string, phone: string, cartId: string) => postEvent(gateway, sender, cartOf(phone, cartId), { event });
    expect((await post("cart.updated", ada, "c-0")).json["chat"]).toBe("no_bindings");
    const { page } = await visit("operator");
    await bindFromPreset(page, { site: "Cart shop", event: "cart.updated", template: "cart_left", preset: "Abandoned cart" });

    await waitFor("a message to wait", async () => (await post("cart.updated", ada, "c-1")).json["chat"] === "scheduled");
    const left = (await post("cart.updated", bob, "c-2")).json;
    await page.goto(`/scheduled?siteId=${siteId}`);
    await rowOf(page, bob)
      .getByText(/\d{1,2}:\d\d|in 59 min/u)
      .first()
      .waitFor();
    await press(page.getByRole("button", { name: `Send now to ${ada}` }));
    await press(page.getByRole("dialog").getByRole("button", { name: "Send message now" }));
    await rowOf(page, ada).waitFor({ state: "detached" });
    await lead(page, `/phone?to=${encodeURIComponent(ada)}`);
    await page.getByRole("log").getByText("Hello Ada, your cart is still here.").waitFor();

    const bought = (await post("order.created", bob, "c-2")).json;
    expect(bought).toMatchObject({ chat: "no_bindings" });
    await lead(page, `/scheduled?siteId=${siteId}`);
    await page.getByText("Nothing matches these filters").waitFor();
    await lead(page, `/events?open=${String(left["event_id"])}`);
    const steps = page.getByRole("dialog").getByRole("list", { name: "How it went" });
    await steps.getByText("1 message cancelled").waitFor();
    await steps.getByText("The event order.created arrived, which cancels this binding's waiting messages.").waitFor();
    await expect.poll(() => accessibilityProblems(page)).toEqual([]);
    await lead(page, "/phone");
    await page.getByRole("list", { name: "Chats" }).getByText(ada).waitFor();
    expect(await page.getByRole("list", { name: "Chats" }).getByText(bob).count()).toBe(0);
  });
});

const rowOf = (page: Page, phone: string) => page.getByRole("row").filter({ hasText: phone });

async function approvedTemplate({ owner: { client } }: Opened, name: string, body: string): Promise<void> {
  const { template } = await client.templates.create.mutate({
    name,
    language: "en_US",
    category: "UTILITY",
    body,
    examples: { body: ["Ada"] },
  });
  await client.templates.submit.mutate({ id: template.id });
  await waitFor("the template to be approved", async () => {
    await client.templates.sync.mutate();
    return (await client.templates.get.query({ id: template.id })).template.status === "approved";
  });
}

/** Makes a binding by keyboard, like a person; ends when it is saved. */
async function bindFromPreset(page: Page, { site, event, template, preset }: Record<"site" | "event" | "template" | "preset", string>) {
  await page.goto("/bindings/new");
  await choose(page, "Site", site);
  await choose(page, "Event", event);
  await choose(page, "Template", template);
  await choose(page, "Body {{1}}: path", "first_name");
  await press(page.getByRole("button", { name: preset }));
  await page.getByRole("complementary", { name: "Preview" }).getByText("It would be sent on").waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await press(page.getByRole("button", { name: "Create binding" }));
  await page.waitForURL(/\/bindings\/[-\da-f]{36}$/u);
}
