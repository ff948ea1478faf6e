import type { SourceType } from "../site.ts";
import type { Write } from "../wording.ts";

/** The reasons why a shop's orders could not be fetched. */
export interface ShopProblemDetails {
  shop_unreachable: { cause: string };
  shop_timeout: { seconds: number };
  shop_address_private: object;
  shop_not_encrypted: object;
  shop_redirects: object;
  shop_refuses_key: { status: number };
  shop_without_orders: object;
  shop_failed: { status: number };
  shop_answer_too_large: { megabytes: number };
  shop_answer_unreadable: object;
  shop_has_too_many: { orders: number };
  shop_too_slow: object;
  shop_address_changed: object;
  shop_key_unreadable: object;
}

/** Each as a sentence. The orders of WooCommerce are the only ones that are fetched, so the advice names its pages. */
export const shopProblemSentences: { [Code in keyof ShopProblemDetails]: (details: ShopProblemDetails[Code], t: Write) => string } = {
  shop_unreachable: ({ cause }, t) =>
    t("The shop could not be reached ({cause}). Check the site's URL, and that the shop is online.", { cause }),
  shop_timeout: ({ seconds }, t) => t("The shop did not finish its answer within {seconds} seconds.", { seconds }),
  shop_address_private: (_, t) => t("The site's URL does not point to a public internet address."),
  shop_not_encrypted: (_, t) => t("The site's URL begins with http://, so others could read the key. Enter the shop's https:// address."),
  shop_redirects: (_, t) =>
    t("The shop redirects to another address, and the key is not sent there. Enter the final address as the site's URL."),
  shop_refuses_key: ({ status }, t) =>
    t(
      "The shop refuses the key (HTTP {status}). Create one with the permission Read under WooCommerce, Settings, Advanced, REST API, and enter it.",
      { status },
    ),
  shop_without_orders: (_, t) =>
    t("The shop has no REST API at the site's URL (HTTP 404). Check the URL, and check that permalinks in WordPress are not set to Plain."),
  shop_failed: ({ status }, t) => t("The shop answered HTTP {status} instead of its orders.", { status }),
  shop_answer_too_large: ({ megabytes }, t) => t("The shop's answer has more than {megabytes} MB.", { megabytes }),
  shop_answer_unreadable: (_, t) =>
    t("The shop did not answer with a list of orders. A plugin or a firewall in front of the shop may be the cause."),
  shop_has_too_many: ({ orders }, t) =>
    t("The shop has more changed orders than are fetched at once; only the last {orders} were checked.", { orders }),
  shop_too_slow: (_, t) => t("The shop answers so slowly that not all of its orders were checked."),
  shop_address_changed: (_, t) => t("The site's URL has changed since the key was entered. Enter the key again."),
  shop_key_unreadable: (_, t) => t("The stored key cannot be decrypted. Enter it again."),
};

/** Something in a shop's own pages that keeps its orders from being told of. */
export type ShopFault =
  /** A webhook posts in a form of which nothing can be read. */
  | { code: "legacy_api"; lastSeenAt: string }
  /** A binding waits for an event whose topic the shop has never posted. */
  | { code: "topic_missing"; event: string; topic: string };

/** The fault, and the step in the shop's own pages that mends it. */
export function describeShopFault(fault: ShopFault, sourceType: SourceType, t: Write): { text: string; action: string } {
  if (fault.code === "legacy_api") {
    return {
      text: t("A webhook of the shop posts in the form of WooCommerce's legacy API, of which nothing can be read."),
      action: t(
        "In WordPress open WooCommerce, Settings, Advanced, Webhooks, and the webhook there. Choose the API version 3 in place of Legacy, and save it.",
      ),
    };
  }
  const { event, topic } = fault;
  return {
    text: t("The event {event} of a binding never came: the shop has not posted {topic} yet.", { event, topic }),
    action:
      sourceType === "shopify"
        ? t("In the Shopify admin open Settings, Notifications, Webhooks, and create a webhook for {topic} like the others.", { topic })
        : t("In WordPress open WooCommerce, Settings, Advanced, Webhooks, and add a webhook for {topic} like the others.", { topic }),
  };
}
