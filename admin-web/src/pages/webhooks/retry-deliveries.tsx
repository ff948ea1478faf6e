import { Checkbox, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { formatCount, formatParts } from "../../format.ts";
import { t } from "../../language.ts";
import { pages } from "../../paths.ts";
import { cache, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { ConfirmForm } from "../../ui/base/dialogs.tsx";
import { ticked } from "../../ui/base/fields.ts";
import { Loading, rich } from "../../ui/base/page.tsx";
import { counting } from "../../ui/list/list-head.tsx";
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

/** Repeats what endpoints have failed to take: says of each how many, and of one that is off that it gets none. */
export function RetryDeliveries({ endpoints, filters, narrowed, onClose }: RetryDeliveriesProps) {
  const { siteId, webhookId, status, ...rest } = filters;
  const { from: since, to: until } = daySpan(filters);
  const failed = status !== "pending";
  const [pending, setPending] = useState(status !== "failed");
  const offered = endpoints.filter((one) => one.id === (webhookId ?? one.id) && one.siteId === (siteId ?? one.siteId));
  const [chosen, choose] = useState(() => offered.filter(({ enabled }) => enabled).map(({ id }) => id));
  const { rows, isCounted } = useCounts(offered, { ...rest, from: since, to: until }, [
    ...(failed ? (["failed"] as const) : []),
    ...(pending ? (["pending"] as const) : []),
  ]);
  const retried = rows.filter(({ id, total }) => total > 0 && chosen.includes(id));
  const total = retried.reduce((sum, row) => sum + row.total, 0);
  const which = retried.length === 1 ? { webhookId: retried[0]?.id } : { webhookIds: retried.map(({ id }) => id) };
  const follow = useFollowOperation();
  const replay = trpc.webhookDeliveries.replayFailed.useMutation({
    onSuccess: async ({ operation }) => {
      follow(operation.id);
      await cache.webhookDeliveries.invalidate();
    },
  });
  const { from: _, to: __, ...about } = rest;
  return (
    <ConfirmForm
      action={t("Retry {count, plural, =0 {deliveries} one {#{more} delivery} other {#{more} deliveries}}", {
        count: Math.min(mostRetried, total),
        more: total < mostRetried && retried.some(({ more }) => more) && "+",
      })}
      isMild
      isCounting={!isCounted}
      isAllowed={total > 0}
      onClose={onClose}
      onConfirm={() => replay.mutateAsync({ ...which, ...about, since, until, failed, pending })}
    >
      <Stack>
        {!isCounted && <Loading what={t("the count")} />}
        {isCounted && rows.length === 0 && <Text role="status">{t("No delivery has failed or waits.")}</Text>}
        <Checkbox.Group label={isCounted && rows.length > 0 && t("Endpoints")} value={chosen} onChange={choose}>
          <Stack gap={8} mt={4}>
            {(isCounted ? rows : []).map((row) => (
              <EndpointChoice key={row.id} {...row} />
            ))}
          </Stack>
        </Checkbox.Group>
        {failed && <Checkbox label={t("Also those that wait for their next attempt")} {...ticked(pending, setPending)} />}
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
      </Stack>
    </ConfirmForm>
  );
}

/** `more`: the total is a lower bound. `gone`: what the rest would say is no longer kept. */
const EndpointChoice = ({ id, url, enabled, total, more, gone }: Endpoint & { total: number; more: boolean; gone: number }) => (
  <Checkbox
    value={id}
    label={url}
    styles={{ label: { overflowWrap: "anywhere" } }}
    disabled={!enabled || total === 0}
    description={
      <>
        {more
          ? t("{count, plural, one {At least # delivery} other {At least # deliveries}}", { count: total })
          : t("{count, plural, one {# delivery} other {# deliveries}}", { count: total })}
        {gone > 0 && `. ${t("{count} cannot be retried: their text is no longer kept", { count: formatCount(gone) })}`}
        {!enabled && rich(t(". The endpoint is off and gets none: <0>switch it on</0> first."), <TextLink {...pages.endpoint(id)} />)}
      </>
    }
  />
);

/** The endpoints that have failed or waiting deliveries, with the number of those that can be sent again, and of the others. */
function useCounts(endpoints: Endpoint[], filter: DeliveryFilters, statuses: ("failed" | "pending")[]) {
  const counts = trpc.useQueries((ask) =>
    endpoints.flatMap(({ id }) =>
      [true, false].flatMap((kept) =>
        statuses.map((status) => ask.webhookDeliveries.count({ ...filter, webhookId: id, status, kept }, counting)),
      ),
    ),
  );
  const each = statuses.length;
  const rows = endpoints.map((endpoint, index) => {
    const sum = (from: number) => {
      const own = counts.slice(from, from + each).map(({ data }) => data);
      return { total: own.reduce((all, count) => all + (count?.total ?? 0), 0), more: own.some((count) => count?.more) };
    };
    return { ...endpoint, ...sum(2 * index * each), gone: sum((2 * index + 1) * each).total };
  });
  return { rows: rows.filter(({ total, gone }) => total + gone > 0), isCounted: counts.every(({ isSuccess }) => isSuccess) };
}

const mostRetried = 10_000;
