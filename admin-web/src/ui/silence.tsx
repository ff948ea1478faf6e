import { formatCountOf } from "../format.ts";
import type { Outputs } from "../trpc.ts";
import { Moment } from "./facts.tsx";

/** Why a site counts as silent, and where to look. */
export function Silence({ sourceType, lastEventAt, longestPauseHours }: Outputs["stats"]["silentSites"]["items"][number]) {
  return (
    <>
      {sourceType === "generic" ? "Last event" : "The shop posted last"}: <Moment at={lastEventAt} />.{" "}
      {longestPauseHours !== null && `The longest pause in the week before was ${formatCountOf(longestPauseHours, "hour")}. `}
      {advice[sourceType]}
    </>
  );
}

const advice = {
  generic: "Check that the site still posts events and that its key is valid.",
  shopify:
    "Shopify removes a webhook after repeated failures: in the Shopify admin look under Settings, Notifications, Webhooks, and create those that are missing.",
  woocommerce:
    "WooCommerce switches a webhook off after five failed deliveries: in WordPress look under WooCommerce, Settings, Advanced, Webhooks, and set the status to Active again.",
};
