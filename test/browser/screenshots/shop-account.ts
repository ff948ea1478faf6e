import { galleryMap, galleryTemplate } from "shared/core/gallery/entries";
import { shopifyShop } from "../../support/shop.ts";
import { shopBody } from "../../support/shops/bodies.ts";
import { waitFor } from "../../support/wait-for.ts";
import { owner, type Stack } from "../stack.ts";

/** An account whose shop posts by itself. */
export interface ShopAccount {
  shopToken: string;
  shopSiteId: string;
  shopEventId: string;
}

/** Posts Shopify's first order, of which one message is read and one waits for its template. */
export async function openShopAccount({ admin }: Stack): Promise<ShopAccount> {
  const { token } = await admin
    .client()
    .auth.signUp.mutate({ accountName: "Atelier", email: "shop@example.com", password: owner.password });
  const client = admin.client(token);
  await waitFor("the sandbox to be connected", async () => (await client.settings.get.query()).platform.configured);
  const sourceSecret = "shpss_0123456789abcdef";
  const { site } = await client.sites.create.mutate({
    name: "Atelier",
    url: "https://atelier.example",
    sourceType: "shopify",
    sourceSecret,
  });
  const bind = async (event: string, name: "order_confirmed" | "welcome") => {
    const { template } = await client.templates.create.mutate(galleryTemplate(name, "de"));
    const variableMap = galleryMap(name, "de");
    const recipient = { strategy: "customer" as const };
    await client.bindings.create.mutate({ siteId: site.id, event, templateId: template.id, recipient, variableMap });
    return template.id;
  };
  const id = await bind("order.created", "order_confirmed");
  await bind("user.signup", "welcome");
  await client.templates.submit.mutate({ id });
  await waitFor("the approval", async () => (await client.templates.get.query({ id })).template.status === "approved");
  const shop = shopifyShop(site.inboundUrl ?? "", sourceSecret);
  const [posted] = await shop.post("orders/create", shopBody("shopify-orders-create"));
  const eventId = String(posted?.answer?.["event_id"]);
  await waitFor("a message to be read", async () => (await client.notifications.list.query({ eventId })).items[0]?.status === "read");
  return { shopToken: token, shopSiteId: site.id, shopEventId: eventId };
}
