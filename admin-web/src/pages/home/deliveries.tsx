import { Stack, Skeleton, Card, SegmentedControl, Table, Text } from "@mantine/core";
import { useInterval } from "@mantine/hooks";
import { keepPreviousData } from "@tanstack/react-query";
import { useState, lazy, Suspense } from "react";
import { reportedStatuses } from "shared/core/message";
import { formatCount, formatDay, formatPercent } from "../../format.ts";
import { paths } from "../../paths.ts";
import { trpc, type Outputs } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/paged-list.tsx";
import { dayBounds, type Day, series, type Counts, reached } from "./deliveries-data.ts";
import classes from "./home.module.css";

interface DeliveriesProps {
  timezone: string;
  days: number;
  siteId: string | undefined;
}

const options = { refetchInterval: 20_000, placeholderData: keepPreviousData };

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

/** As high as the figures and the chart. */
export function HomeSkeleton() {
  return (
    <Stack gap="lg" role="status" aria-label="Loading the overview">
      <div className={classes["figures"]}>
        {reportedStatuses.map((figure) => (
          <Skeleton key={figure} height={104} />
        ))}
      </div>
      <Skeleton height={340} />
    </Stack>
  );
}

interface FiguresProps {
  totals: Counts;
  /** Of the same number of days before; undefined while loading. */
  before: Counts | undefined;
  days: number;
}

function Figures({ totals, before, days }: FiguresProps) {
  const { sent, delivered, read, failed, deliveryRate, readRate, failureRate } = reached(totals);
  const underWay = totals.queued + totals.sending;
  const notes = [before && change(sent, reached(before).sent, days), underWay > 0 && `${formatCount(underWay)} in progress`];
  return (
    <dl className={classes["figures"]} aria-label={`The last ${days} days`}>
      <Figure label="Sent" value={sent} note={notes.filter(Boolean).join(", ")} />
      <Figure label="Delivered" value={delivered} note={rate(deliveryRate, "of all messages")} />
      <Figure label="Read" value={read} note={rate(readRate, "of delivered messages")} />
      <Figure label="Failed" value={failed} note={rate(failureRate, "of all messages")} />
    </dl>
  );
}

function Figure({ label, value, note }: { label: string; value: number; note: string }) {
  return (
    <div className={classes["figure"]}>
      <dt className={classes["label"]}>{label}</dt>
      <dd className={classes["value"]}>{formatCount(value)}</dd>
      <dd className={classes["note"]}>{note || "\u00A0"}</dd>
    </div>
  );
}

const rate = (share: number | null, of: string): string => (share === null ? "" : `${formatPercent(share)} ${of}`);

function change(now: number, before: number, days: number): string {
  if (before === 0) return "";
  if (now === before) return `same as the previous ${days} days`;
  const share = formatPercent(Math.abs(now - before) / before);
  return `${share} ${now > before ? "more" : "fewer"} than the previous ${days} days`;
}

const DailyChart = lazy(async () => ({ default: (await import("./daily-chart.tsx")).DailyChart }));

const views = [
  { value: "chart", label: "Chart" },
  { value: "table", label: "Table" },
];

/** Messages per day, as a chart or a table. */
function DailyCounts({ days, timezone }: { days: Day[]; timezone: string }) {
  const [view, setView] = useState("chart");
  const isEmpty = days.every((day) => series.every(({ name }) => day[name] === 0));
  return (
    <Section
      title="Messages per day"
      lead={`By delivery status. Days end at midnight in ${timezone}.`}
      actions={<SegmentedControl size="xs" aria-label="View" data={views} value={view} onChange={setView} />}
    >
      {view === "table" ? (
        <DayTable days={days} />
      ) : (
        <Card withBorder padding="md">
          {isEmpty ? (
            <EmptyState title="No messages in these days">Choose more days to look further back.</EmptyState>
          ) : (
            <Suspense fallback={<Skeleton height={300} />}>
              <DailyChart days={days} />
            </Suspense>
          )}
        </Card>
      )}
    </Section>
  );
}

/** Newest day first. */
function DayTable({ days }: { days: Day[] }) {
  return (
    <Card withBorder padding={0}>
      <Table aria-label="Messages per day" className={classes["table"]} verticalSpacing={6} horizontalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Day</Table.Th>
            {series.map(({ name, label }) => (
              <Table.Th key={name} scope="col">
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {days.toReversed().map((day) => (
            <Table.Tr key={day.date}>
              <Table.Th scope="row">{formatDay(day.date)}</Table.Th>
              {series.map(({ name }) => (
                <Table.Td key={name}>{formatCount(day[name])}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}

type Reason = Outputs["stats"]["overview"]["errors"][number];

interface FailuresProps {
  errors: Reason[];
  days: number;
  siteId: string | undefined;
}

/** Reasons by frequency, with advice. */
function Failures({ errors, days, siteId }: FailuresProps) {
  return (
    <Section title="Failures by reason">
      <Card withBorder padding={0}>
        {errors.length === 0 ? (
          <EmptyState title="No failures">No message failed in the last {days} days.</EmptyState>
        ) : (
          <ul className={classes["failuresList"]}>
            {errors.map((reason) => (
              <Failure key={reason.code} reason={reason} most={errors[0]?.count ?? 1} siteId={siteId} />
            ))}
          </ul>
        )}
      </Card>
    </Section>
  );
}

function Failure({ reason, most, siteId }: { reason: Reason; most: number; siteId: string | undefined }) {
  const { code, title, explanation, count } = reason;
  return (
    <li className={classes["failuresItem"]}>
      <div className={classes["count"]}>
        <TextLink to={paths.log} search={{ status: "failed", errorCode: code, siteId }} title="Show in the log">
          {formatCount(count)}
        </TextLink>
        <meter className={classes["meter"]} min={0} max={most} value={count} aria-hidden />
      </div>
      <div>
        <Text fw={600}>
          {title}{" "}
          <Text component="span" size="sm" c="dimmed" fw={400}>
            code {code}
          </Text>
        </Text>
        <Text size="sm" c="dimmed">
          {explanation.text}
        </Text>
        <Text size="sm">{explanation.action}</Text>
      </div>
    </li>
  );
}

/** The current time, at most a minute old: a day may end while the page is open. */
function useMinute(): Date {
  const [now, setNow] = useState(() => new Date());
  useInterval(() => setNow(new Date()), 60_000, { autoInvoke: true });
  return now;
}
