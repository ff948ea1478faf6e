import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { shopifyShop, wooCommerceShop } from "../support/shop.ts";
import { shopBody } from "../support/shops/bodies.ts";
import { accessibilityProblems, lead, openPage, owner, sidewaysScroll, signUp } from "./stack.ts";
import { browser, countClicks, describeAtFirst } from "./support.ts";

/** Everything happens in the browser, except for the posts of the shop's own server. */
describeAtFirst("a shop's first day", (opened) => {
  test("Shopify: from the new site to the message on the phone, without a line of code on the page", async () => {
    await using watched = await openPage(browser, opened().admin.url, { width: 390 });
    const { page, problems } = watched;
    const found: string[] = [];
    const look = async () => found.push(...(await accessibilityProblems(page)), ...((await sidewaysScroll(page)) > 0 ? ["too wide"] : []));
    await page.goto("/sign-up");
    await signUp(page, owner);
    await progress(page).getByText("1 of 5 done").waitFor();
    await addSite(page, "Atelier", "Shopify");
    await progress(page).getByText("2 of 5 done. Next: Connect your shop.").waitFor();
    await page.getByText("Waiting for the first event").waitFor();
    await look();
    const address = await page.getByLabel("Address for the shop").inputValue();
    const secret = "shpss_0123456789abcdef0123456789abcdef";
    await page.getByLabel("Shopify's signing secret").fill(secret);
    await page.getByRole("button", { name: "Save secret" }).click();
    await page.getByText("Stored: …cdef").waitFor();
    const shop = shopifyShop(address, secret, { retryMs: 10 });
    // Shopify's button "Send test notification" posts this.
    await shop.post("orders/create", shopBody("shopify-orders-create-guest"));

    await progress(page).getByText("3 of 5 done. Next: Choose your messages.").waitFor();
    await page.getByRole("combobox", { name: "Language" }).selectOption("de");
    await look();
    await page.getByRole("button", { name: "Set up 6 messages" }).click();
    await progress(page).getByText("4 of 5 done. Next: Place a test order.").waitFor();
    await page.getByText("An order of Shopify's test gateway is a test event").waitFor();
    expect(await page.getByRole("main").getByText("curl").count()).toBe(0);
    await look();

    const [ordered] = await shop.post("orders/create", shopBody("shopify-orders-create"));
    expect(ordered?.answer).toMatchObject({ event: "order.created", chat: "accepted" });
    const live = page.getByRole("region", { name: "Events as they come" });
    await live.getByText("Hallo Jürgen, wir haben Ihre Bestellung 1001 über EUR 74.80 erhalten.").waitFor();
    await live.getByRole("listitem").filter({ hasText: "+491712345678" }).filter({ hasText: "read" }).waitFor();
    await progress(page).getByText("5 of 5 done. Everything is set up").waitFor();
    await shop.post("fulfillments/create", shopBody("shopify-fulfillments-create"));
    await shop.post("refunds/create", shopBody("shopify-refunds-create"));
    await lead(page, "/phone?to=%2B491712345678");
    const phone = page.getByRole("log");
    await phone.getByText("Sendungsnummer: 00340434161094022115").waitFor();
    await phone.getByText("wir haben 19.95 EUR Ihrer Bestellung 1001 erstattet").waitFor();
    expect([...found, ...problems]).toEqual([]);
  });

  test("WooCommerce: the ping turns the light, and a checkout becomes a message in Spanish", async () => {
    const { token } = await opened().admin.signUp();
    await using watched = await openPage(browser, opened().admin.url, { token });
    const { page, problems } = watched;
    await page.goto("/sites");
    await page.getByRole("heading", { name: "Sites", exact: true }).waitFor();
    const clicks = countClicks(page);
    await page.getByRole("link", { name: "Add site" }).click();
    await addSite(page, "Laden", "WooCommerce");
    const secret = await page.getByRole("textbox", { name: "Secret for the shop" }).inputValue();
    const shop = wooCommerceShop(await page.getByLabel("Address for the shop").inputValue(), secret);
    await shop.ping();
    await page.getByText("The shop has found this address").waitFor();
    const order = shopBody("woocommerce-order-created");
    const another = wooCommerceShop(await page.getByLabel("Address for the shop").inputValue(), `${secret}x`);
    await another.post("order.created", order);
    const state = page.getByRole("status").filter({ hasText: "1 request refused" });
    await state.getByText("The secret in WooCommerce › Settings › Advanced › Webhooks is not this one.").waitFor();
    // Up to here nothing but the site is made; the language is chosen from a list, and the messages by one more click.
    expect(await clicks()).toBe(3);
    await page.getByRole("button", { name: "Copy Secret for the shop" }).click();
    await lead(page, "/getting-started");
    await progress(page).getByText("2 of 5 done. Next: Connect your shop.").waitFor();
    expect(await page.getByLabel("Secret for the shop").inputValue()).toBe(secret);
    await shop.post("customer.created", shopBody("woocommerce-customer-created"));
    await progress(page).getByText("3 of 5 done. Next: Choose your messages.").waitFor();
    await page.getByRole("combobox", { name: "Language" }).selectOption("es");
    await page.getByRole("button", { name: "Set up 6 messages" }).click();
    await progress(page).getByText("4 of 5 done. Next: Place a test order.").waitFor();
    const live = page.getByRole("region", { name: "Events as they come" });
    await live.getByText("user.signup arrived").waitFor();
    await shop.post("order.created", order);
    await live.getByText("hemos recibido tu pedido 2026-0727 por EUR 39.90").waitFor();
    await progress(page).getByText("5 of 5 done. Everything is set up").waitFor();
    await shop.post("order.updated", order.replace('"pending"', '"failed"'));
    await lead(page, "/phone");
    await page.getByRole("log").getByText("el pago de tu pedido 2026-0727 no se ha podido completar").waitFor();
    expect(shop.isActive()).toBe(true);

    await lead(page, "/events");
    await page.getByRole("link", { name: "payment.failed" }).click();
    await readWholeWay(page);
    expect(problems).toEqual([]);
  });
});

const progress = (page: Page) => page.getByRole("main").getByRole("status").filter({ hasText: "done" });

async function addSite(page: Page, name: string, type: string): Promise<void> {
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByRole("textbox", { name: "URL", exact: true }).fill(`https://${name.toLowerCase()}.example`);
  await page.getByRole("radio", { name: type }).click();
  await page.getByRole("button", { name: "Add site" }).last().click();
}

/** Looks at every step from the shop's raw body to the phone. */
async function readWholeWay(page: Page): Promise<void> {
  const event = page.getByRole("dialog");
  await event.getByText("order.updated:failed", { exact: true }).waitFor();
  const steps = event.getByRole("list", { name: "How it went" });
  await steps.getByText("The shop's signature is valid").waitFor();
  await steps.getByText("The topic order.updated:failed means payment.failed here").waitFor();
  await steps.getByText("WhatsApp accepted 1 message").waitFor();
  await event.getByRole("region", { name: "Message", exact: true }).getByText("el pago de tu pedido 2026-0727").waitFor();
  await event.getByRole("region", { name: "Status" }).getByText("Read").waitFor();
  const payload = event.getByRole("region", { name: "Payload" });
  await payload.getByRole("button", { name: /^Show all/ }).click();
  await payload.getByText("order_url_customer").waitFor();
  expect(await payload.getByText("_links").count()).toBe(0);
  const body = event.getByRole("region", { name: "Body from the shop" });
  await body.getByRole("button", { name: /^Show all/ }).click();
  await body.getByText("payment_url").waitFor();
}
