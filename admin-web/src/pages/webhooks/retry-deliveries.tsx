import { Stack, Text } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { formatCount, formatParts } from "../../format.ts";
import { t } from "../../language.ts";
import { cache, trpcClient } from "../../trpc.ts";
import { ConfirmForm } from "../../ui/base/dialogs.tsx";
import { counting, countOf } from "../../ui/list/count.ts";
import { daySpan } from "../../ui/list/search-params.ts";
import { useFollowOperation } from "../../ui/operation/operations.tsx";
import type { Endpoint } from "../../ui/site/endpoints.tsx";
import type { DeliveryFilters } from "./route.ts";

interface RetryDeliveriesProps {
  endpoints: Endpoint[];
  /** The list's, within which deliveries are sent again. */
  filters: DeliveryFilters;
  /** Those of the filters that narrow an endpoint's deliveries, in words. */
  narrowed: readonly string[];
  onClose: () => void;
}

/** Repeats what the endpoints of the list have failed to take: one that is off gets none. */
export function RetryDeliveries({ endpoints, filters, narrowed, onClose }: RetryDeliveriesProps) {
  const { siteId, webhookId, status, from: _, to: __, ...about } = filters;
  const { from: since, to: until } = daySpan(filters);
  const [failed, pending] = [status !== "pending", status !== "failed"];
  const meant = endpoints.filter((one) => one.id === (webhookId ?? one.id) && one.siteId === (siteId ?? one.siteId));
  const webhookIds = meant.filter(({ enabled }) => enabled).map(({ id }) => id);
  const off = meant.filter(({ enabled }) => !enabled).map(({ url }) => url);
  const statuses = [...(failed ? (["failed"] as const) : []), ...(pending ? (["pending"] as const) : [])];
  const sent = useCount(webhookIds, { ...about, from: since, to: until, kept: true }, statuses);
  const gone = useCount(webhookIds, { ...about, from: since, to: until, kept: false }, statuses);
  const follow = useFollowOperation();
  const replay = async () => {
    const asked = { webhookIds, ...about, since, until, failed, pending };
    follow((await trpcClient.webhookDeliveries.replayFailed.mutate(asked)).operation.id);
    await cache.webhookDeliveries.invalidate();
  };
  return (
    <ConfirmForm
      action={t("Retry {count, plural, =0 {deliveries} one {#{more} delivery} other {#{more} deliveries}}", {
        count: Math.min(mostRetried, sent.total),
        more: sent.total < mostRetried && sent.more && "+",
      })}
      isMild
      isCounting={!sent.isCounted}
      isAllowed={sent.total > 0}
      onClose={onClose}
      onConfirm={replay}
    >
      <Stack>
        {sent.isCounted && sent.total === 0 && <Text role="status">{t("No delivery has failed or waits.")}</Text>}
        <Text>
          {!failed
            ? t("Deliveries that wait for their next attempt are sent now.")
            : pending
              ? t("Deliveries that failed for good, and those that wait for their next attempt, are sent now.")
              : t("Deliveries that failed for good are sent again now.")}{" "}
          {t(
            "The oldest come first, at most 10,000 at a time. Each keeps its webhook-id, so the endpoint can recognise what it already has.",
          )}{" "}
          {narrowed.length > 0 && t("As in the list, only: {filters}", { filters: formatParts(narrowed) })}
        </Text>
        {gone.total > 0 && <Text>{t("{count} cannot be retried: their text is no longer kept", { count: formatCount(gone.total) })}</Text>}
        {off.length > 0 && <Text>{t("Off, and gets none: {endpoints}", { endpoints: formatParts(off) })}</Text>}
      </Stack>
    </ConfirmForm>
  );
}

type CountFilter = Omit<DeliveryFilters, "siteId" | "webhookId" | "status"> & { kept: boolean };

/** How many deliveries the endpoints have in all. */
function useCount(webhookIds: readonly string[], filter: CountFilter, statuses: readonly ("failed" | "pending")[]) {
  const counts = useQueries({
    queries: webhookIds.flatMap((webhookId) =>
      statuses.map((status) => ({ ...countOf("webhookDeliveries.count", { ...filter, webhookId, status }), ...counting })),
    ),
  });
  return {
    total: counts.reduce((sum, { data }) => sum + (data?.total ?? 0), 0),
    more: counts.some(({ data }) => data?.more === true),
    isCounted: counts.every(({ isSuccess }) => isSuccess),
  };
}

const mostRetried = 10_000;
