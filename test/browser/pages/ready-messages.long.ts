import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser, detail, type Opened } from "../support.ts";

describeInBrowser("ready messages of a site", (opened) => {
  test("one click submits templates and creates bindings; a second tab's click creates nothing twice", async () => {
    const { open, operator } = opened();
    const { site } = await operator.client.sites.create.mutate({
      name: "Tetera",
      url: "https://tetera.example",
      sourceType: "shopify",
      country: "AR",
    });
    await using watched = await open({ token: operator.token });
    await using other = await open({ token: operator.token });
    const { page, problems } = watched;
    for (const each of [page, other.page]) {
      await each.goto(`/sites/${site.id}?tab=messages`);
      await each.getByRole("button", { name: "Set up 6 messages" }).waitFor();
    }
    expect(await page.getByRole("combobox", { name: "Language" }).inputValue()).toBe("es");
    await rowOf(page, "Abandoned cart").getByText("An hour after a cart was left, unless it becomes an order.").waitFor();
    await page.getByRole("checkbox", { name: "Abandoned cart" }).check();
    await page.getByText("Marketing needs your customers' consent").waitFor();
    await page.getByRole("checkbox", { name: "Order cancelled" }).uncheck();
    await page.getByRole("button", { name: "Preview Order partly refunded" }).click();
    await page.getByText("hemos reembolsado 19.95 EUR de tu pedido 10042").waitFor();
    expect(await page.getByRole("list", { name: "Variables" }).getByRole("listitem").allInnerTexts()).toEqual([
      "customer.first_name, else “buenas”",
      "data.refund.amount",
      "data.refund.currency",
      "order.number",
    ]);
    await page.getByRole("button", { name: "Set up 6 messages" }).click();
    await page.getByText("6 messages set up.").waitFor();
    await other.page.getByRole("button", { name: "Set up 6 messages" }).click();
    await other.page.getByText("6 messages set up.").waitFor();
    await rowOf(page, "Abandoned cart").getByText("On", { exact: true }).waitFor();
    await rowOf(page, "Abandoned cart").getByRole("link", { name: "Open binding (Spanish)" }).waitFor();
    expect(await page.getByRole("checkbox", { name: "Abandoned cart" }).count()).toBe(0);
    expect((await boundOf(opened(), site.id)).map(({ event, template }) => `${event} ${template}`)).toEqual([
      "cart.updated abandoned_cart",
      "order.cancelled order_cancelled",
      "order.created order_confirmed",
      "order.refunded order_partly_refunded",
      "order.refunded order_refunded",
      "order.shipped order_shipped",
      "order.shipped order_shipped_tracking",
    ]);
    const { items } = await operator.client.templates.list.query({ limit: 200 });
    expect(items.filter(({ language }) => language === "es")).toHaveLength(7);
    // They are set up in another language, too. The page has not heard of what the other did.
    await page.reload();
    await page.getByRole("combobox", { name: "Language" }).selectOption("it");
    await rowOf(page, "Order shipped").getByRole("link", { name: "Open binding (Spanish)" }).waitFor();
    await page.getByRole("button", { name: "Set up messages" }).waitFor();
    expect([...problems, ...other.problems]).toEqual([]);
  });

  detail(
    "a binding waits for its template's approval and needs nobody's second visit; own texts are left alone; a refusal is told",
    async () => {
      const { open, operator, sql } = opened();
      const { sites, templates } = operator.client;
      const { site } = await sites.create.mutate({ name: "Fil", url: "https://fil.example", sourceType: "woocommerce", country: "FR" });
      await templates.create.mutate({ name: "order_shipped", language: "fr", category: "UTILITY", body: "Votre colis est parti." });
      await using watched = await open({ token: operator.token });
      const { page } = watched;
      await page.goto(`/sites/${site.id}?tab=messages`);
      await rowOf(page, "Order shipped").getByRole("link", { name: "Your template order_shipped has a different text" }).waitFor();
      for (const title of ["Order confirmed", "Order shipped, with tracking", "Order cancelled", "Payment failed"])
        await page.getByRole("checkbox", { name: title }).uncheck();
      await page.route("**/trpc/templates.submit*", (route) => route.abort());
      await page.getByRole("button", { name: "Set up 1 message" }).click();
      await page.getByRole("alert").filter({ hasText: "Not set up: Order partly refunded" }).waitFor();
      await page.unroute("**/trpc/templates.submit*");
      await page.getByRole("button", { name: "Set up 1 message" }).click();
      await rowOf(page, "Order partly refunded").getByText("On", { exact: true }).waitFor();

      const [binding] = await boundOf(opened(), site.id);
      await sql`update template set status = 'pending' where id = ${binding?.templateId ?? ""}`;
      await page.reload();
      await rowOf(page, "Order partly refunded").getByText("waiting for approval").waitFor();
      await page.getByText("1 message waits for WhatsApp's approval and starts by itself after it.").waitFor();
      await templates.sync.mutate();
      await rowOf(page, "Order partly refunded").getByText("On", { exact: true }).waitFor();
    },
  );
});

const rowOf = (page: Page, title: string) =>
  page
    .getByRole("list", { name: "Ready messages" })
    .getByRole("listitem")
    .filter({ has: page.getByText(title, { exact: true }) });

async function boundOf({ operator }: Opened, siteId: string) {
  const { items } = await operator.client.bindings.list.query({ siteId, limit: 200 });
  return items.toSorted((a, b) => (`${a.event} ${a.template}` < `${b.event} ${b.template}` ? -1 : 1));
}
