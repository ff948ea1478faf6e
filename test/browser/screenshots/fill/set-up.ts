import type { AdminClient } from "../../../support/admin/open-admin.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { templates } from "./templates.ts";

const field = (path: string, fallback?: string) => ({ source: "field" as const, path, ...(fallback !== undefined && { fallback }) });
const name = field("customer.first_name", "there");

/** Sites, templates and bindings of a small roastery. */
export async function setUp(client: AdminClient) {
  await client.settings.update.mutate({ timezone: "Europe/Berlin" });
  const shop = await client.sites.create.mutate({
    name: "Bean & Leaf shop",
    url: "https://beanandleaf.example",
    sourceType: "woocommerce",
    testPhone: "+4915112345699",
  });
  const wholesale = await client.sites.create.mutate({
    name: "Wholesale",
    url: "https://wholesale.beanandleaf.example",
    sourceType: "shopify",
  });
  const kiosk = await client.sites.create.mutate({ name: "Market kiosk", url: "https://kiosk.beanandleaf.example", sourceType: "generic" });
  await client.sites.update.mutate({ id: kiosk.site.id, enabled: false });
  for (const [label, phone] of Object.entries({ "Roasting floor": "+4915112345690", "Anna, sales": "+4915112345691" }))
    await client.recipients.add.mutate({ siteId: shop.site.id, phone, label });
  const ids = await makeTemplates(client);
  const bind = (siteId: string, event: string, templateId: string, rest: object = {}) =>
    client.bindings.create.mutate({
      siteId,
      event,
      templateId,
      recipient: { strategy: "customer" },
      variableMap: { body: { "1": name } },
      ...rest,
    });
  const bound = await bind(shop.site.id, "order.created", ids["confirmation"] ?? "", {
    variableMap: {
      header: { "1": field("order.number") },
      body: {
        "1": name,
        "2": { source: "expression", expr: "total.with_currency" },
        "3": { source: "expression", expr: "items.summary_short" },
      },
      button_url: { "1": field("order.order_url_customer") },
    },
  });
  await bind(shop.site.id, "order.shipped", ids["shipped"] ?? "", {
    variableMap: { body: { "1": name, "2": field("order.number") }, button_url: { "1": field("order.tracking_number") } },
  });
  await bind(shop.site.id, "cart.abandoned", ids["offer"] ?? "", { enabled: false });
  await bind(wholesale.site.id, "order.created", ids["bestaetigung"] ?? "", { recipient: { strategy: "site_recipients" } });
  return { shop, templateIds: ids, bindingId: bound.binding.id };
}

async function makeTemplates(client: AdminClient): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const [key, input] of Object.entries(templates)) {
    const { template } = await client.templates.create.mutate(input);
    ids[key] = template.id;
    if (key !== "draft") await client.templates.submit.mutate({ id: template.id });
  }
  await waitFor("the templates to be reviewed", async () => {
    await client.templates.sync.mutate();
    return (await client.templates.list.query({ status: "pending" })).items.length === 0;
  });
  return ids;
}
