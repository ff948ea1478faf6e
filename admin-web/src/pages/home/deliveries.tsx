import { Box, Card, Paper, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { useState, useSyncExternalStore } from "react";
import { notificationStatuses, reportedStatuses } from "shared/core/message";
import { formatCount, formatDay, formatPercent } from "../../format.ts";
import { t } from "../../language.ts";
import { trpc } from "../../trpc.ts";
import { onTick } from "../../ui/base/facts.tsx";
import { Awaiting, part } from "../../ui/base/later.tsx";
import { Columns, inColumns } from "../../ui/base/layout.tsx";
import { Dimmed, FailureNotice, Section, Small, EmptyState } from "../../ui/base/page.tsx";
import { CountedAt, type CountedSites } from "../../ui/list/backlog.tsx";
import { fewDays } from "../../ui/list/days.ts";
import { type Column, DataTable } from "../../ui/table/data-table.tsx";
import { dayBounds, type Day, series, type Counts, reached } from "./deliveries-data.ts";

const minuteMs = 60_000;
const options = { refetchInterval: 20_000, placeholderData: keepPreviousData };

export function Deliveries({ timezone, days, sites }: { timezone: string; days: number; sites: CountedSites }) {
  // A day may end while the page is open.
  const minute = useSyncExternalStore(onTick, () => Math.floor(Date.now() / minuteMs));
  const { before } = dayBounds(timezone, days, new Date(minute * minuteMs));
  const now = trpc.stats.overview.useQuery({ ...sites, days }, options);
  const earlier = trpc.stats.overview.useQuery({ ...sites, ...before }, { ...options, refetchInterval: false });
  const failure = <FailureNotice title={t("Could not load the figures")} of={now} />;
  if (now.data === undefined) return now.error === null ? <HomeSkeleton /> : failure;
  const known = (earlier.data?.days ?? []).filter((day) => notificationStatuses.some((status) => day[status] > 0));
  const few = fewDays(
    known.map(({ date }) => date),
    now.data.days[0]?.date ?? "",
    days,
  );
  return (
    <Stack gap="lg">
      {failure}
      <Figures totals={now.data.totals} before={earlier.data?.totals} few={few} days={days} />
      <CountedAt at={now.data.countedAt} />
      <DailyCounts sites={sites} days={now.data.days} timezone={timezone} />
    </Stack>
  );
}

/** A placeholder as high as the figures and the chart. */
export const HomeSkeleton = () => (
  <Stack gap="lg" role="status" aria-label={t("Loading the overview")}>
    <Columns least="9.5rem" gap="var(--mantine-spacing-md)">
      {reportedStatuses.map((figure) => (
        <Skeleton key={figure} height={104} />
      ))}
    </Columns>
    <Skeleton height={340} />
  </Stack>
);

/** `before`: the counts of as many days before, undefined while loading; `few`: the days of which there are some, where they are too few to compare with. */
function Figures({ totals, before, few, days }: { totals: Counts; before: Counts | undefined; few: number | null; days: number }) {
  const { sent, delivered, read, failed, deliveryRate, readRate, failureRate } = reached(totals);
  const underWay = totals.queued + totals.sending;
  const notes = [
    before && change(sent, reached(before).sent, days, few),
    underWay > 0 && t("{underWay} in progress", { underWay: formatCount(underWay) }),
  ];
  return (
    <Box
      component="dl"
      m={0}
      style={{ ...inColumns("9.5rem", "var(--mantine-spacing-md)"), alignItems: "stretch", gridAutoRows: "1fr" }}
      aria-label={t("The last {days} days", { days })}
    >
      <Figure label={t("Sent")} value={sent} note={notes.filter(Boolean).join(t(", "))} />
      <Figure label={t("Delivered")} value={delivered} note={rate(deliveryRate, t("of sent and failed"))} />
      <Figure label={t("Read")} value={read} note={rate(readRate, t("of delivered messages"))} />
      <Figure label={t("Failed")} value={failed} note={rate(failureRate, t("of sent and failed"))} />
    </Box>
  );
}

const Figure = ({ label, value, note }: { label: string; value: number; note: string }) => (
  <Paper withBorder p="md">
    <Dimmed component="dt">{label}</Dimmed>
    <Text component="dd" mt="0.15rem" fz={28} fw={600} lh={1.25} style={{ fontVariantNumeric: "tabular-nums" }}>
      {formatCount(value)}
    </Text>
    <Small component="dd">{note || "\u00A0"}</Small>
  </Paper>
);

const rate = (share: number | null, of: string): string => (share === null ? "" : `${formatPercent(share)} ${of}`);

function change(now: number, before: number, days: number, few: number | null): string {
  if (before === 0) return "";
  if (few !== null) return t("only {few, plural, one {# day} other {# days}} of data before", { few });
  if (now === before) return t("same as the previous {days} days", { days });
  const share = formatPercent(Math.abs(now - before) / before);
  return now > before
    ? t("{share} more than the previous {days} days", { share, days })
    : t("{share} fewer than the previous {days} days", { share, days });
}

const BarChart = part(async () => (await import("../../ui/base/bar-chart.tsx")).BarChart);

const views = [
  { value: "chart", label: t("Chart") },
  { value: "table", label: t("Table") },
];

/** Messages per day, as a chart or a table. */
function DailyCounts({ days, timezone, sites }: { days: Day[]; timezone: string; sites: CountedSites }) {
  const [view, setView] = useState("chart");
  const isEmpty = days.every((day) => series.every(({ name }) => day[name] === 0));
  return (
    <Section
      title={t("Messages per day")}
      lead={t("By delivery status. Days end at midnight in {timezone}.", { timezone })}
      actions={<SegmentedControl size="xs" aria-label={t("View")} data={views} value={view} onChange={setView} />}
    >
      {view === "table" && (
        <DataTable label={t("Messages per day")} columns={dayColumns} rows={days.toReversed()} rowKey={({ date }) => date} />
      )}
      {view === "chart" && isEmpty && (
        <EmptyState title={t("No messages in these days")}>
          {sites.siteMode !== "test" && t("Choose more days to look further back. Tests are not counted.")}
        </EmptyState>
      )}
      {view === "chart" && !isEmpty && (
        <Card>
          <Awaiting fallback={<Skeleton height={300} />}>
            <BarChart
              label={t("Messages per day. The table view has the same numbers.")}
              bars={days.map(({ date, ...counts }) => ({ key: date, name: formatDay(date), counts }))}
              series={series}
            />
          </Awaiting>
        </Card>
      )}
    </Section>
  );
}

const dayColumns: Column<Day>[] = [
  { name: t("Day"), kind: "title", cell: ({ date }) => formatDay(date) },
  ...series.map(({ name, label }): Column<Day> => ({ name: label, kind: "number", cell: (day) => formatCount(day[name]) })),
];
