import { Stack } from "@mantine/core";
import { useInterval } from "@mantine/hooks";
import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../../../trpc.ts";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import { dayBounds } from "../day-bounds.ts";
import { HomeSkeleton } from "../home-skeleton.tsx";
import { DailyCounts } from "./daily-counts.tsx";
import { Failures } from "./failures.tsx";
import { Figures } from "./figures.tsx";

interface DeliveriesProps {
  timezone: string;
  days: number;
  siteId: string | undefined;
}

const options = { refetchInterval: 20_000, placeholderData: keepPreviousData };

/** How far the messages of a span came. */
export function Deliveries({ timezone, days, siteId }: DeliveriesProps) {
  const { before, ...span } = dayBounds(timezone, days, useMinute());
  const now = trpc.stats.overview.useQuery({ siteId, ...span }, options);
  const earlier = trpc.stats.overview.useQuery({ siteId, ...before }, { ...options, refetchInterval: false });
  const failure = now.error !== null && (
    <FailureNotice title="Could not load the figures" error={now.error} onRetry={() => void now.refetch()} />
  );
  if (now.data === undefined) return failure || <HomeSkeleton />;
  return (
    <Stack gap="lg">
      {failure}
      <Figures totals={now.data.totals} before={earlier.data?.totals} days={days} />
      <DailyCounts days={now.data.days} timezone={timezone} />
      <Failures errors={now.data.errors} days={days} siteId={siteId} />
    </Stack>
  );
}

/** The time, a minute old at most: days end while the page is open. */
function useMinute(): Date {
  const [now, setNow] = useState(() => new Date());
  useInterval(() => setNow(new Date()), 60_000, { autoInvoke: true });
  return now;
}
