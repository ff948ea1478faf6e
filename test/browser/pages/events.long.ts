import { demoPayload } from "admin-server/cli/demo";
import { exampleTemplate, exampleVariableMap } from "shared/core/example";
import { expect, test } from "vitest";
import { postEvent } from "../../support/requests.ts";
import { accessibilityProblems } from "../stack.ts";
import { describeInBrowser, type Opened, openSite } from "../support.ts";

describeInBrowser("the events", (opened) => {
  test("an event shows as it comes, and opens with its way, its message, its payload and a replay", async () => {
    const { owner, gateway, sql, visit } = opened();
    const shop = await openShop(opened(), "Live tail");
    const { page } = await visit("owner", "/events?search=49.90", { colorScheme: "dark" });
    await page.getByText("A text without three letters or digits in a row").waitFor();
    await page.goto(`/events?siteId=${shop.siteId}`);
    await page.getByText("Nothing matches these filters").waitFor();
    await postEvent(gateway, shop.sender, demoPayload);
    await page.getByRole("row").filter({ hasText: "1 message sent" }).getByRole("link", { name: "order.created" }).click();
    await page.waitForURL(/open=/u);
    await page.reload();

    const drawer = page.getByRole("dialog", { name: "Event" });
    await drawer.getByText("WhatsApp accepted the message.").waitFor();
    await drawer.getByRole("list", { name: "How it went" }).getByText("1 recipient found").waitFor();
    await drawer.getByText("Raw").click();
    await drawer.getByRole("group", { name: "Payload" }).getByText(JSON.stringify(demoPayload)).waitFor();

    const stored = async () => (await sql`select id from event`).length + (await sql`select id from notification`).length;
    const before = await stored();
    await owner.client.bindings.update.mutate({ id: shop.bindingId, recipient: { strategy: "static_phone", phone: "+14155550177" } });
    await drawer.getByRole("button", { name: "Dry run" }).click();
    const replayed = drawer.getByRole("list", { name: "What each binding would do" }).getByRole("listitem");
    await replayed.getByText("Hello Ada, thank you for your order of USD 49.90").waitFor();
    await replayed.getByText("+14155550177").waitFor();
    expect(await stored()).toBe(before);
    await drawer.getByRole("button", { name: "Replay live…" }).click();
    const question = page.getByRole("dialog", { name: "Replay the event live?" });
    await question.getByRole("list", { name: "Messages" }).getByText("+14155550177").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await question.getByRole("button", { name: "Send 1 message" }).click();
    await drawer.getByRole("list", { name: "Replays" }).getByText("Taken").waitFor();
    expect(await sql`select to_phone from notification where event_id in (select id from requested_event)`).toEqual([
      { to_phone: "+14155550177" },
    ]);
    // A second click shows a warning.
    await drawer.getByRole("button", { name: "Replay live…" }).click();
    await question.getByText("1 message would be sent twice").waitFor();
    await question.getByRole("button", { name: "Cancel" }).click();

    await drawer.getByRole("link", { name: "Order timeline" }).waitFor();
    await drawer.getByRole("link", { name: demoPayload.customer.phone_e164 }).click();
    await page.waitForURL(/\/log\?open=/u);
  });
});

/** A site of its own, bound to the template that every case has. */
async function openShop(world: Opened, name: string) {
  const { client } = world.owner;
  const { siteId, sender } = await openSite(world, name);
  const { items } = await client.templates.list.query({ status: "approved" });
  const template = items.find(({ body }) => body === exampleTemplate.body);
  const { binding } = await client.bindings.create.mutate({
    siteId,
    event: "order.created",
    templateId: template?.id ?? "",
    recipient: { strategy: "customer" },
    variableMap: exampleVariableMap,
  });
  return { siteId, bindingId: binding.id, sender };
}
