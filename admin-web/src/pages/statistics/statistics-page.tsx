import { Card, Stack, Text } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { ComponentProps, ReactNode } from "react";
import { type Grouping, groupings } from "shared/core/message";
import { formatClock, formatCount, formatDay, formatDuration, formatPercent } from "../../format.ts";
import { locale, t } from "../../language.ts";
import { pages, paths, statisticsCsv } from "../../paths.ts";
import { useMe } from "../../session.tsx";
import { type Inputs, type Outputs, trpc } from "../../trpc.ts";
import { type Bar, BarChart } from "../../ui/base/bar-chart.tsx";
import { TextLink } from "../../ui/base/buttons.tsx";
import { breakable, toneColor } from "../../ui/base/facts.tsx";
import { CsvButton } from "../../ui/base/files.tsx";
import { tableOf } from "../../ui/base/labels.ts";
import { Dimmed, Page, Section, Loaded, EmptyState } from "../../ui/base/page.tsx";
import { useModeOf } from "../../ui/base/site-mode.ts";
import { useSiteName } from "../../ui/base/site-names.tsx";
import { CountedAt } from "../../ui/list/backlog.tsx";
import { rangeOf } from "../../ui/list/date-range.tsx";
import { dayMs, fewDays, midnight } from "../../ui/list/days.ts";
import { FilterBar } from "../../ui/list/filter-bar.tsx";
import { periodFilter, useSiteFilter } from "../../ui/list/list-filters.tsx";
import { fileAddress } from "../../ui/list/search-params.ts";
import { type Column, DataTable, GetStarted } from "../../ui/table/data-table.tsx";
import { categoryName } from "../../ui/template/template-labels.tsx";
import texts from "./labels.json";
import { readStatisticsSearch, type StatisticsSearch } from "./route.ts";

const labels: Record<Grouping, string> = tableOf(texts.columns);

const titles: Record<Grouping, string> = tableOf(texts.titles);

export function StatisticsPage() {
  const search = useSearch({ from: `/signed-in${paths.statistics}` });
  const { siteId, siteMode } = useModeOf({ siteId: search.siteId });
  const { timezone: zone } = useMe();
  const usual = rangeOf("month", undefined, zone);
  const { by = "template", from = usual.from, to = usual.to } = search;
  const length = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  const input = { siteId, siteMode, from: midnight(from, 0, zone), to: midnight(to, 1, zone) };
  const query = trpc.stats.messages.useQuery(input, { placeholderData: keepPreviousData, retry: false });
  const earlier = trpc.stats.messages.useQuery(
    { ...input, from: midnight(from, -length, zone), to: input.from },
    { placeholderData: keepPreviousData, retry: false },
  );
  return (
    <Page
      title={t("Statistics")}
      lead={query.data && tellTotal(query.data.total)}
      actions={<CsvButton href={fileAddress(statisticsCsv, input)} />}
    >
      <FilterBar<StatisticsSearch>
        search={{ ...search, by, from, to }}
        read={readStatisticsSearch}
        filters={[
          { name: "by", label: t("By"), isKept: true, options: groupings.map((value) => ({ value, label: labels[value] })) },
          { ...periodFilter(zone), isKept: true },
          useSiteFilter(),
        ]}
        views="statistics"
        zone={zone}
      />
      <Loaded query={query} what={t("the figures")}>
        {(stats) => (
          <Figures
            {...{ from, to, by, stats }}
            before={earlier.data?.total}
            few={fewDays(earlier.data?.days.map(({ date }) => date) ?? [], from, length)}
          />
        )}
      </Loaded>
      <Prices input={input} />
    </Page>
  );
}

type Stats = Outputs["stats"]["messages"];
type Counts = Stats["total"];

const tellTotal = ({ total, sent, failed }: Counts) =>
  t("{total, plural, one {# message} other {# messages}}{rest, plural, =0 {} other {, # of them neither sent nor failed}}", {
    total,
    rest: total - sent - failed,
  });

interface Row extends Counts {
  key: string;
  /** The name as text, for the chart. */
  name: string;
  title: ReactNode;
}

/** So many bars are drawn, each with its name, but of days and hours all; the table has all. */
const mostBars = 10;

interface FiguresProps {
  /** Days of the account's time zone, YYYY-MM-DD; both included. */
  from: string;
  to: string;
  stats: Stats;
  /** The figures of as many days before; undefined while loading. */
  before: Counts | undefined;
  /** The days of which there are some, where they are too few to compare with. */
  few: number | null;
  by: Grouping;
}

function Figures({ from, to, stats, before, few, by }: FiguresProps) {
  const siteName = useSiteName();
  const rows = rowsOf(by === "day" ? { ...stats, days: everyDay(stats.days, from, to) } : stats, by, siteName);
  if (stats.total.total === 0)
    return (
      <EmptyState title={t("No messages in these days")} action={before?.total === 0 && <GetStarted />}>
        {before?.total === 0 ? t("Figures appear here with the first message.") : t("Choose other days, or all sites.")}
      </EmptyState>
    );
  const total: Row = { ...stats.total, key: "total", name: t("All"), title: t("All") };
  return (
    <Section title={titles[by]} lead={t("Days and hours are those of {timezone}. Tests are not counted.", { timezone: stats.timezone })}>
      <Stack>
        <CountedAt at={stats.countedAt} />
        {few !== null && (
          <Text>{t("Not compared with the period before: only {few, plural, one {# day} other {# days}} of data there.", { few })}</Text>
        )}
        {few === null && before !== undefined && before.total > 0 && (
          <Text>
            {t("Compared with the period before: {sent} sent, {delivered} delivered, {failed} failed", {
              sent: compared(stats.total.sent, before.sent),
              delivered: compared(stats.total.delivered, before.delivered),
              failed: compared(stats.total.failed, before.failed),
            })}
          </Text>
        )}
        <Card>
          <BarChart
            label={t("{title}. The table below has the same numbers.", { title: titles[by] })}
            bars={(by === "day" || by === "hour" ? rows : rows.slice(0, mostBars)).map(barOf)}
            series={series}
          />
        </Card>
        <DataTable label={titles[by]} columns={columnsOf(by)} rows={[...rows, total]} rowKey={({ key }) => key} />
        <Dimmed>
          {t(
            "Median and 95th percentile of the time from the event until WhatsApp says so, in each column of the messages that got so far: not all that are sent are delivered. WhatsApp tells whole seconds. Resends, and messages that waited for their time, are left out of them.",
          )}
        </Dimmed>
      </Stack>
    </Section>
  );
}

function rowsOf({ templates, bindings, sites, hours, days }: Stats, by: Grouping, siteName: (id: string) => string): Row[] {
  const row = (counts: Counts, key: string, name = key, title: ReactNode = name): Row => ({ ...counts, key, name, title });
  switch (by) {
    case "template":
      return templates.map(({ template, ...counts }) =>
        row(counts, template, template, link(template, { to: paths.log, search: { template } as never })),
      );
    case "binding":
      return bindings.map(({ bindingId, siteId, event, template, ...counts }) => {
        if (event === null) return row(counts, bindingId, t("Deleted binding"));
        const site = siteName(siteId ?? "");
        const name = `${site} · ${event} → ${template ?? ""}`;
        return row(counts, bindingId, `${event}\u00A0· ${site}`, link(name, pages.binding(bindingId) as never));
      });
    case "site":
      return sites.map(({ siteId, ...counts }) => {
        const name = siteName(siteId);
        return row(counts, siteId, name, link(name, pages.site(siteId) as never));
      });
    case "hour":
      return hours.map(({ hour, ...counts }) => row(counts, String(hour), formatClock(hour)));
    case "day":
      return days.map(({ date, ...counts }) => row(counts, date, formatDay(date)));
  }
}

const link = (name: string, place: ComponentProps<typeof TextLink>) => <TextLink {...place}>{breakable(name)}</TextLink>;

const withQuantiles = (name: string): string => `${name} (p50\u00A0· p95)`;

const columnsOf = (by: Grouping): Column<Row>[] => [
  { name: labels[by], kind: "title", isNarrow: true, cell: ({ title }) => title },
  { name: t("Messages"), kind: "number", cell: ({ total }) => formatCount(total) },
  { name: t("Sent"), kind: "number", cell: ({ sent }) => formatCount(sent) },
  { name: t("Delivered"), kind: "number", cell: ({ delivered, sent, failed }) => withShare(delivered, sent + failed) },
  { name: t("Read"), kind: "number", cell: ({ read, delivered }) => withShare(read, delivered) },
  { name: t("Failed"), kind: "number", cell: ({ failed, sent }) => withShare(failed, sent + failed) },
  { name: withQuantiles(t("Until sent")), kind: "number", cell: ({ sentMs }) => took(sentMs) },
  { name: withQuantiles(t("Until delivered")), kind: "number", cell: ({ deliveredMs }) => took(deliveredMs) },
];

/** A message is counted once, in the last that it reached. */
const series = [
  { name: "read", label: t("Read"), color: toneColor("read") },
  { name: "delivered", label: t("Delivered, not read"), color: toneColor("delivered") },
  { name: "sent", label: t("Sent, not confirmed"), color: toneColor("waiting") },
  { name: "failed", label: t("Failed"), color: toneColor("failed") },
] as const;

const barOf = ({ key, name, sent, delivered, read, failed }: Row): Bar<(typeof series)[number]["name"]> => ({
  key,
  name,
  counts: { read, delivered: Math.max(0, delivered - read), sent: Math.max(0, sent - delivered), failed },
});

/** Every day of a period, also those without messages. */
function everyDay(days: Stats["days"], from: string, to: string): Stats["days"] {
  const byDate = new Map(days.map((day) => [day.date, day]));
  const known = [...byDate.keys(), from, to].map((day) => Date.parse(day));
  const first = Math.min(...known);
  return Array.from({ length: (Math.max(...known) - first) / dayMs + 1 }, (_, at) => {
    const date = new Date(first + at * dayMs).toISOString().slice(0, 10);
    return byDate.get(date) ?? { ...none, date };
  });
}

const none: Counts = { total: 0, sent: 0, delivered: 0, read: 0, failed: 0, sentMs: null, deliveredMs: null };

/** How a number stands to that of as many days before. */
function compared(now: number, before: number): string {
  if (before === 0) return formatCount(now);
  const share = formatPercent(Math.abs(now - before) / before);
  return t("{now} ({change}, was {before})", {
    now: formatCount(now),
    change: `${now < before ? "−" : "+"}${share}`,
    before: formatCount(before),
  });
}

const withShare = (part: number, whole: number): string =>
  whole === 0 ? formatCount(part) : `${formatCount(part)} (${formatPercent(part / whole)})`;

/** The median, then the 95th percentile. */
const took = (ms: Counts["sentMs"]): string =>
  ms === null ? "–" : [ms.p50, ms.p95].map((each) => shortTime(each).replaceAll(" ", "\u00A0")).join("\u00A0· ");

const shortTime = (ms: number): string =>
  ms < 60_000
    ? (ms / 1000).toLocaleString(locale, { style: "unit", unit: "second", unitDisplay: "narrow", maximumFractionDigits: 1 })
    : formatDuration(ms / 1000);

type Priced = Outputs["stats"]["pricing"]["items"][number];

/** How many messages WhatsApp charged, by category and month; nothing before it has told of one. */
function Prices({ input }: { input: Inputs["stats"]["pricing"] }) {
  const { data } = trpc.stats.pricing.useQuery(input, { retry: false });
  const rows = monthly(data?.items ?? []);
  if (rows.length === 0) return null;
  return (
    <Section title={t("Charged messages")} lead={t("As WhatsApp reported them. Prices depend on category and country.")}>
      <DataTable
        label={t("Charged messages")}
        columns={priceColumns}
        rows={rows}
        rowKey={({ month, category }) => `${month} ${category}`}
      />
    </Section>
  );
}

const priceColumns: Column<PriceRow>[] = [
  { name: t("Month"), kind: "title", cell: ({ month }) => monthName(month) },
  { name: t("Category"), kind: "short", cell: ({ category }) => categoryName(category.toUpperCase()) },
  { name: t("Charged"), kind: "number", cell: ({ billable }) => formatCount(billable) },
  { name: t("Free"), kind: "number", cell: ({ free }) => formatCount(free) },
  {
    name: t("Countries"),
    kind: "long",
    cell: ({ countries }) => countries.map(([country, count]) => `${country} ${formatCount(count)}`).join(t(", ")),
  },
];

const monthName = (month: string): string =>
  new Date(`${month}-01T00:00:00Z`).toLocaleDateString(locale, { month: "long", year: "numeric", timeZone: "UTC" });

interface PriceRow extends Omit<Priced, "country"> {
  /** The charged messages of each, most first. */
  countries: [country: string, count: number][];
}

/** One row a month and category, the newest first. */
function monthly(items: readonly Priced[]): PriceRow[] {
  const rows = new Map<string, PriceRow>();
  for (const { month, category, country, billable, free } of items) {
    const key = `${month} ${category}`;
    const row = rows.get(key) ?? { month, category, billable: 0, free: 0, countries: [] };
    row.billable += billable;
    row.free += free;
    if (billable > 0) row.countries.push([country ?? t("unknown"), billable]);
    rows.set(key, row);
  }
  for (const { countries } of rows.values()) countries.sort(([, a], [, b]) => b - a);
  return [...rows.values()].toSorted((a, b) => b.month.localeCompare(a.month) || b.billable - a.billable);
}
