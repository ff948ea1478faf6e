import { Checkbox, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { formatCount, formatMoment, formatParts } from "../../format.ts";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { cache, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { ConfirmForm } from "../../ui/dialogs.tsx";
import type { Endpoint } from "../../ui/endpoints.tsx";
import { bound, ticked } from "../../ui/fields.ts";
import { counting } from "../../ui/list-head.tsx";
import { useFollowOperation } from "../../ui/operations.tsx";
import { rich } from "../../ui/page.tsx";
import { daySpan, toLocalMinute } from "../../ui/search-params.ts";
import type { DeliveryFilters } from "./route.ts";

interface RetryDeliveriesProps {
  endpoints: Endpoint[];
  /** The list's: what it shows is chosen first. */
  filters: DeliveryFilters;
  onClose: () => void;
}

/** Repeats what endpoints have failed to take: says of each how many, and of one that is off that it gets none. */
export function RetryDeliveries({ endpoints, filters, onClose }: RetryDeliveriesProps) {
  const { type, siteId, webhookId, status } = filters;
  const span = daySpan(filters);
  const [since, setSince] = useState(() => toLocalMinute(span.from === undefined ? Date.now() - keptMs : Date.parse(span.from)));
  const [pending, setPending] = useState(status !== "failed");
  const [chosen, choose] = useState(() =>
    endpoints.filter((one) => one.enabled && one.id === (webhookId ?? one.id) && one.siteId === (siteId ?? one.siteId)).map(({ id }) => id),
  );
  const at = new Date(since);
  const isTime = !Number.isNaN(at.getTime());
  const { rows, isCounted } = useCounts(endpoints, { type, to: span.to, from: isTime ? at.toISOString() : undefined }, pending);
  const retried = rows.filter(({ id }) => chosen.includes(id));
  const count = Math.min(
    mostRetried,
    retried.reduce((sum, { total }) => sum + total, 0),
  );
  const retry = useRetry();
  const ids = retried.map(({ id }) => id);
  const which = ids.length === 1 ? { webhookId: ids[0] } : { webhookIds: ids };
  const narrowed = [
    ...(type === undefined ? [] : [type]),
    ...(span.to === undefined ? [] : [t("until {to}", { to: formatMoment(span.to) })]),
  ];
  return (
    <ConfirmForm
      action={count === 0 ? t("Retry deliveries") : t("Retry {count, plural, one {# delivery} other {# deliveries}}", { count })}
      isMild
      isAllowed={isTime && isCounted && count > 0}
      onClose={onClose}
      onConfirm={() => retry({ ...which, type, since: at.toISOString(), until: span.to, pending })}
    >
      <Stack>
        {isCounted && rows.length === 0 && <Text role="status">{t("No delivery has failed or waits since then.")}</Text>}
        <Checkbox.Group label={rows.length > 0 && t("Endpoints")} value={chosen} onChange={choose}>
          <Stack gap={8} mt={4}>
            {rows.map((row) => (
              <EndpointChoice key={row.id} {...row} />
            ))}
          </Stack>
        </Checkbox.Group>
        {narrowed.length > 0 && <Text>{t("As in the list, only: {filters}", { filters: formatParts(narrowed) })}</Text>}
        <TextInput
          label={t("Since")}
          description={t("In your time zone")}
          type="datetime-local"
          error={!isTime && t("Enter a date and a time")}
          {...bound(since, setSince)}
        />
        <Checkbox label={t("Also those that wait for their next attempt")} {...ticked(pending, setPending)} />
        <Text>
          {t(
            "Deliveries that failed for good since then are sent again now, the oldest first, at most 10,000 at a time. Each keeps its webhook-id, so the endpoint can recognise what it already has.",
          )}
        </Text>
      </Stack>
    </ConfirmForm>
  );
}

function useRetry() {
  const follow = useFollowOperation();
  return trpc.webhookDeliveries.replayFailed.useMutation({
    onSuccess: async ({ operation }) => {
      follow(operation.id);
      await cache.webhookDeliveries.invalidate();
    },
  }).mutateAsync;
}

type Counted = Endpoint & {
  total: number;
  /** True if `total` is a lower bound. */
  more: boolean;
};

const EndpointChoice = ({ id, url, enabled, total, more }: Counted) => (
  <Checkbox
    value={id}
    label={url}
    styles={{ label: { overflowWrap: "anywhere" } }}
    disabled={!enabled}
    description={
      <>
        {more
          ? t("{count}+ deliveries", { count: formatCount(total) })
          : t("{count, plural, one {# delivery} other {# deliveries}}", { count: total })}
        {!enabled &&
          rich(
            t(". The endpoint is off and gets none: <0>switch it on</0> first."),
            <TextLink to={paths.webhooks} search={{ tab: "endpoints" }} />,
          )}
      </>
    }
  />
);

/** The endpoints that have failed or waiting deliveries, with their number. */
function useCounts(endpoints: Endpoint[], filter: Omit<DeliveryFilters, "status">, pending: boolean) {
  const statuses = pending ? (["failed", "pending"] as const) : (["failed"] as const);
  const counts = trpc.useQueries((ask) =>
    endpoints.flatMap(({ id }) => statuses.map((status) => ask.webhookDeliveries.count({ ...filter, webhookId: id, status }, counting))),
  );
  const rows = endpoints.map((endpoint, index): Counted => {
    const own = counts.slice(index * statuses.length, (index + 1) * statuses.length).map(({ data }) => data);
    return { ...endpoint, total: own.reduce((sum, each) => sum + (each?.total ?? 0), 0), more: own.some((each) => each?.more === true) };
  });
  return { rows: rows.filter(({ total }) => total > 0), isCounted: counts.every(({ isSuccess }) => isSuccess) };
}

/** Deliveries are kept for 30 days. */
const keptMs = 30 * 86_400_000;
const mostRetried = 10_000;
