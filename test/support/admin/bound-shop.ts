import type { VariableMap } from "shared/core/variables";
import type { OpenResources, ResourceCaller } from "./open-resources.ts";

/** Fills every slot of the shop's template. */
export const variableMap: VariableMap = {
  header: { "1": { source: "field", path: "order.number" } },
  body: { "1": { source: "expression", expr: "customer.full_name", fallback: "there" }, "2": { source: "field", path: "order.id" } },
  button_url: { "1": { source: "field", path: "order.tracking_number" } },
};

/** A site with a test phone. */
export const addSite = async (api: ResourceCaller): Promise<string> =>
  (await api.sites.create({ name: "Shop", url: "https://shop.example", sourceType: "generic", testPhone: "+491700000000" })).site.id;

/** An account with a site and a draft that has two body slots, one in the header and one in a button; `base`: the input of a binding of both. */
export async function openBoundShop(resources: OpenResources) {
  const { api, as, accountId } = await resources.account();
  const siteId = await addSite(api);
  const { template } = await api.templates.create({
    name: "order_shipped",
    language: "en_US",
    category: "UTILITY",
    header: { format: "TEXT", text: "Order {{1}}" },
    body: "Hello {{1}}, your order {{2}} is on its way.",
    footer: "Example Shop",
    buttons: [{ type: "URL", text: "Track", url: "https://shop.example/t/{{1}}" }],
    examples: { header: ["1"], body: ["Ada", "1"], buttonUrl: ["1"] },
  });
  const recipient = { strategy: "customer" } as const;
  const base = { siteId, event: "order.shipped", templateId: template.id, recipient, variableMap };
  return { api, as, accountId, siteId, templateId: template.id, base };
}
