import type { SourceType } from "shared/core/site";
import { t } from "../../language.ts";
import { tableOf } from "../../ui/base/labels.ts";
import labels from "./labels.json";

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

const told = tableOf(labels.guides);

export const guides: Readonly<Record<SourceType, Guide>> = {
  shopify: {
    ...told.shopify,
    testOrders: (value) =>
      t(
        "An order of Shopify's test gateway is a test event: its message goes only to the site's test phone{value}<0>Change the test phone</0>",
        { value },
      ),
  },
  woocommerce: { ...told.woocommerce, testOrders: null },
  generic: { ...told.generic, testOrders: null },
};
