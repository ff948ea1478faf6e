import type { SourceType } from "shared/core/site";
import { t } from "../../language.ts";

/** What pages say of a source. */
export interface Guide {
  title: string;
  lead: string;
  steps: string[];
  /** How it reacts when it is refused again and again. */
  refused: string;
  /** Of the secret that the operator pastes; null where it signs with the site's own. */
  secret: { label: string; overlap: string } | null;
  /** Of the key by which its orders are fetched; null where they are not. */
  orders: { lead: string; key: string; secret: string; removal: string } | null;
  /** Of its orders that nobody pays, where it marks them; `phone` ends the sentence. */
  testOrders: ((phone: string) => string) | null;
}

export const guides: Readonly<Record<SourceType, Guide>> = {
  shopify: {
    title: t("Connect your shop"),
    lead: t("Shopify posts orders, shipments and refunds here by itself. No code is needed."),
    steps: [
      t("In the Shopify admin open Settings, Notifications, Webhooks."),
      t(
        "Create a webhook for each of: Order creation, Order payment, Fulfillment creation, Order cancellation, Refund create, Customer creation, Checkout creation, Checkout update. Choose the format JSON and paste the address above as URL.",
      ),
      t("Below the list Shopify shows the secret that your webhooks are signed with. Copy it and paste it below."),
      t("Press Send test notification, or place an order. The label above says connected within seconds."),
    ],
    refused: t("Shopify deletes a webhook that is refused again and again: you then have to create it again."),
    secret: { label: t("Shopify's signing secret"), overlap: t("Shopify itself takes an hour") },
    orders: null,
    testOrders: (value) =>
      t(
        "An order of Shopify's test gateway is a test event: its message goes only to the site's test phone{value}<0>Change the test phone</0>",
        { value },
      ),
  },
  woocommerce: {
    title: t("Connect your shop"),
    lead: t("WooCommerce posts orders and customers here by itself. No code is needed."),
    steps: [
      t("In WordPress open WooCommerce, Settings, Advanced, Webhooks, and press Add webhook."),
      t("Choose the status Active, the topic Order created and the API version 3. Paste the address above as Delivery URL."),
      t(
        "As Secret enter this site's webhook secret, which was shown when the site was added. If it is lost, rotate it under Key and secret.",
      ),
      t("Save. WooCommerce tries the address at once, which the label above shows. It says connected once an order has come."),
      t(
        "Add two more webhooks in the same way, for Order updated and Customer created. WooCommerce switches a webhook off after five failures: look here when nothing arrives.",
      ),
    ],
    refused: t("WooCommerce disables a webhook after five refusals in a row: you then have to switch it on again."),
    secret: null,
    orders: {
      lead: t(
        "WooCommerce never repeats a webhook that failed. With a key for its REST API, Tidings checks the orders of the last 48 hours every 10 minutes and fetches those that did not arrive, from the first run on. Create a key with the permission Read under WooCommerce, Settings, Advanced, REST API.",
      ),
      key: t("Begins with ck_"),
      secret: t("Begins with cs_. It is not shown again"),
      removal: t("Orders that do not arrive by themselves are no longer fetched. Delete the key in WooCommerce too."),
    },
    testOrders: null,
  },
  generic: {
    title: t("Connect another program"),
    lead: t(
      "A program that signs requests by Standard Webhooks can post here without a key. It sends the headers webhook-id, webhook-timestamp and webhook-signature.",
    ),
    steps: [
      t("Paste the address above where the program asks for an endpoint or a webhook URL."),
      t(
        "Its secret is this site's webhook secret, written as whsec_ and base64: sites.create and sites.rotateWebhookSecret return it as webhookSecretStandard.",
      ),
      t("The body names the event as type or as event."),
    ],
    refused: t("If the backend does not send these events again, they are lost."),
    secret: null,
    orders: null,
    testOrders: null,
  },
};
