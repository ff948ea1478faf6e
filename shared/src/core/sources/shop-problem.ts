import type { SourceType } from "../site.ts";
import type { Write } from "../wording.ts";

/** Something in a shop's own pages that keeps its orders from being told of. */
export type ShopFault =
  /** A webhook posts in a form of which nothing can be read. */
  | { code: "legacy_api"; lastSeenAt: string }
  /** A binding waits for an event whose topic the shop has never posted. */
  | { code: "topic_missing"; event: string; topic: string };

/** The fault, and the step in the shop's own pages that mends it. */
export function describeShopFault(fault: ShopFault, sourceType: SourceType, t: Write): { text: string; action: string } {
  if (fault.code === "legacy_api")
    return {
      text: t("A webhook of the shop posts in the form of WooCommerce's legacy API, of which nothing can be read."),
      action: t(
        "In WordPress open WooCommerce, Settings, Advanced, Webhooks, and the webhook there. Choose the API version 3 in place of Legacy, and save it.",
      ),
    };
  const { event, topic } = fault;
  return {
    text: t("The event {event} of a binding never came: the shop has not posted {topic} yet.", { event, topic }),
    action:
      sourceType === "shopify"
        ? t("In the Shopify admin open Settings, Notifications, Webhooks, and create a webhook for {topic} like the others.", { topic })
        : t("In WordPress open WooCommerce, Settings, Advanced, Webhooks, and add a webhook for {topic} like the others.", { topic }),
  };
}
