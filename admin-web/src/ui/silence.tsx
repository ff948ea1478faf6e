import { formatCountOf } from "../format.ts";
import type { Outputs } from "../trpc.ts";
import { Moment } from "./facts.tsx";

/** Why a site counts as silent, and where to look. */
export function Silence({ sourceType, lastEventAt, longestPauseHours }: Outputs["stats"]["silentSites"]["items"][number]) {
  return (
    <>
      {sourceType === "generic" ? "Last event" : "The shop posted last"}: <Moment at={lastEventAt} />. The longest pause in the week before
      was {formatCountOf(longestPauseHours, "hour")}. {advice[sourceType]}
    </>
  );
}

const advice = {
  generic: "Check that the site still posts events and that its key is valid.",
  shopify: "In the Shopify admin check under Settings, Notifications, Webhooks that the webhooks still exist and lead to this site.",
  woocommerce:
    "WooCommerce may have switched its webhooks off, as it does after five failures: under WooCommerce, Settings, Advanced, Webhooks set their status to Active again.",
};
