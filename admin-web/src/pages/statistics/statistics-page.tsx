import { Button, Card, Stack, Table, Text } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type Grouping, groupings } from "shared/core/message";
import { formatCount, formatDay, formatDuration, formatPercent } from "../../format.ts";
import { direction, locale, t } from "../../language.ts";
import { paths, statisticsCsv } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { type Outputs, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { periodFilter, useSiteFilter } from "../../ui/list-filters.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { EmptyState, ListSkeleton } from "../../ui/paged-list.tsx";
import { useSiteName } from "../../ui/pickers.tsx";
import { Rich } from "../../ui/rich.tsx";
import { daysBack, daySpan, fileAddress } from "../../ui/search-params.ts";
import { Prices } from "./prices.tsx";
import { readStatisticsSearch, type StatisticsSearch } from "./route.ts";
import classes from "./statistics.module.css";

const labels: Record<Grouping, string> = {
  template: t("Template"),
  binding: t("Binding"),
  site: t("Site"),
  hour: t("Hour of day"),
  day: t("Day"),
};

const titles: Record<Grouping, string> = {
  site: t("Messages by site"),
  binding: t("Messages by binding"),
  template: t("Messages by template"),
  hour: t("Messages by hour of day"),
  day: t("Messages by day"),
};

/** The number of days that are shown by default. */
const usualDays = 30;

export function StatisticsPage() {
  const search = useSearch({ from: `/signed-in${paths.statistics}` });
  const { siteId, by = "template", from = daysBack(usualDays - 1), to = daysBack(0) } = search;
  const span = daySpan({ from, to });
  // The API does not include the end.
  const input = { siteId, from: span.from ?? "", to: new Date(Date.parse(span.to ?? "") + 1).toISOString() };
  const query = trpc.stats.messages.useQuery(input, { placeholderData: keepPreviousData, retry: false });
  return (
    <Page title={t("Statistics")} lead={t("Messages by template, binding, site or time, and how long they took. Tests are not counted.")}>
      <FilterBar<StatisticsSearch>
        search={{ ...search, by, from, to }}
        read={readStatisticsSearch}
        filters={[
          { name: "by", label: t("By"), options: groupings.map((value) => ({ value, label: labels[value] })) },
          periodFilter(),
          useSiteFilter(),
        ]}
        views={{ list: "statistics", mayWrite: useMay("operator") }}
      />
      {query.error !== null && (
        <FailureNotice title={t("Could not load the figures")} error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.data === undefined && query.error === null && <ListSkeleton what={t("the figures")} />}
      {query.data !== undefined && query.error === null && <Figures stats={query.data} by={by} file={fileAddress(statisticsCsv, input)} />}
      <Prices input={input} />
    </Page>
  );
}

type Stats = Outputs["stats"]["messages"];
type Counts = Stats["total"];
interface Row extends Counts {
  key: string;
  /** The name as text, for the chart. */
  name: string;
  title: ReactNode;
}

function Figures({ stats, by, file }: { stats: Stats; by: Grouping; file: string }) {
  const siteName = useSiteName();
  const rows = rowsOf(stats, by, siteName);
  if (stats.total.total === 0)
    return (
      <Card withBorder>
        <EmptyState title={t("No messages in these days")}>{t("Choose other days, or all sites.")}</EmptyState>
      </Card>
    );
  const total: Row = { ...stats.total, key: "total", name: t("All"), title: t("All") };
  return (
    <Section
      title={titles[by]}
      lead={t("{total, plural, one {# message} other {# messages}}. Days and hours are those of {timezone}.", {
        total: stats.total.total,
        timezone: stats.timezone,
      })}
      actions={
        <Button component="a" href={file} download variant="default" size="xs">
          {t("Export as CSV")}
        </Button>
      }
    >
      <Stack gap="md">
        <Card withBorder padding="md">
          <BarChart label={t("{title}. The table below has the same numbers.", { title: titles[by] })} bars={rows} />
        </Card>
        <FigureTable title={titles[by]} first={labels[by]} rows={[...rows, total]} />
        <Text size="sm" c="dimmed">
          {t(
            "Median and 95th percentile of the time from the event until WhatsApp says so. WhatsApp tells whole seconds. Resends, and messages that waited for their time, are left out of them.",
          )}
        </Text>
      </Stack>
    </Section>
  );
}

function rowsOf({ templates, bindings, sites, hours, days }: Stats, by: Grouping, siteName: (id: string) => string): Row[] {
  const row = (counts: Counts, key: string, name = key, title: ReactNode = name): Row => ({ ...counts, key, name, title });
  switch (by) {
    case "template":
      return templates.map(({ template, ...counts }) =>
        row(
          counts,
          template,
          template,
          <TextLink to={paths.log} search={{ template }}>
            {template}
          </TextLink>,
        ),
      );
    case "binding":
      return bindings.map(({ bindingId, event, template, ...counts }) => {
        const name = event === null ? t("deleted, {bindingId}", { bindingId: bindingId.slice(0, 8) }) : `${event} → ${template ?? ""}`;
        if (event === null) return row(counts, bindingId, name);
        return row(
          counts,
          bindingId,
          name,
          <TextLink to={paths.binding} params={{ bindingId }}>
            {name}
          </TextLink>,
        );
      });
    case "site":
      return sites.map(({ siteId, ...counts }) =>
        row(
          counts,
          siteId,
          siteName(siteId),
          <TextLink to={paths.site} params={{ siteId }}>
            {siteName(siteId)}
          </TextLink>,
        ),
      );
    case "hour":
      return hours.map(({ hour, ...counts }) => row(counts, String(hour), `${String(hour).padStart(2, "0")}:00`));
    case "day":
      return days.map(({ date, ...counts }) => row(counts, date, formatDay(date)));
  }
}

const columns: [name: string, cell: (row: Row) => string][] = [
  [t("Messages"), ({ total }) => formatCount(total)],
  [t("Sent"), ({ sent }) => formatCount(sent)],
  [t("Delivered"), ({ delivered, sent, failed }) => withShare(delivered, sent + failed)],
  [t("Read"), ({ read, delivered }) => withShare(read, delivered)],
  [t("Failed"), ({ failed, sent }) => withShare(failed, sent + failed)],
  [t("Until sent"), ({ sentMs }) => took(sentMs)],
  [t("Until delivered"), ({ deliveredMs }) => took(deliveredMs)],
];

const withShare = (part: number, whole: number): string =>
  whole === 0 ? formatCount(part) : `${formatCount(part)} (${formatPercent(part / whole)})`;

const took = (times: Counts["sentMs"]): string => (times === null ? "–" : `${shortTime(times.p50)} / ${shortTime(times.p95)}`);

const shortTime = (ms: number): string =>
  ms < 60_000
    ? (ms / 1000).toLocaleString(locale, { style: "unit", unit: "second", unitDisplay: "narrow", maximumFractionDigits: 1 })
    : formatDuration(ms / 1000);

function FigureTable({ title, first, rows }: { title: string; first: string; rows: Row[] }) {
  return (
    <Card withBorder padding={0} className={classes["scroll"] ?? ""} tabIndex={0} role="region" aria-label={t("Figures")}>
      <Table aria-label={title} className={classes["table"] ?? ""} verticalSpacing={6} horizontalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            {[first, ...columns.map(([name]) => name)].map((name) => (
              <Table.Th key={name} scope="col">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.key}>
              <Table.Th scope="row">{row.title}</Table.Th>
              {columns.map(([name, cell]) => (
                <Table.Td key={name}>{cell(row)}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}

interface Bar {
  key: string;
  name: string;
  sent: number;
  failed: number;
}

/** The first bars are drawn; the table has all. */
const mostBars = 31;
const width = 1000;
const height = 220;
const foot = 22;

/** A bar for each name, with the sent messages and, on top, the failed ones. Screen readers get the table. */
function BarChart({ label, bars }: { label: string; bars: readonly Bar[] }) {
  const shown = bars.slice(0, mostBars);
  const most = Math.max(1, ...shown.map(({ sent, failed }) => sent + failed));
  const step = width / shown.length;
  const scale = (count: number): number => (count / most) * (height - foot - 12);
  return (
    <>
      <div className={classes["scroll"]} tabIndex={0} role="group" aria-label={t("Chart")}>
        <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label} className={classes["chart"]}>
          <line x1={0} x2={width} y1={height - foot} y2={height - foot} className={classes["axis"]} />
          {shown.map(({ key, name, sent, failed }, index) => {
            const [start, wide] = [index * step + step * 0.15, Math.min(step * 0.7, 60)];
            // Bars begin at the side where text begins.
            const x = direction === "rtl" ? width - start - wide : start;
            const base = height - foot;
            return (
              <g key={key}>
                <title>{t("{name}: {sent} sent, {failed} failed", { name, sent: formatCount(sent), failed: formatCount(failed) })}</title>
                <rect x={x} y={base - scale(sent)} width={wide} height={scale(sent)} className={classes["sent"]} />
                <rect x={x} y={base - scale(sent + failed)} width={wide} height={scale(failed)} className={classes["failed"]} />
                <text x={direction === "rtl" ? width - start : start} y={height - 6} className={classes["name"]}>
                  {shorten(name, step)}
                </text>
              </g>
            );
          })}
        </svg>
      </div>
      <p className={classes["legend"]} aria-hidden>
        <Rich
          text={t("<0/> Sent <1/> Failed{value}", {
            value: bars.length > mostBars && t(". The {mostBars} largest are drawn.", { mostBars }),
          })}
        >
          <span className={classes["sentSwatch"]} />
          <span className={classes["failedSwatch"]} />
        </Rich>
      </p>
    </>
  );
}

/** Cuts a name to the room below its bar. */
function shorten(name: string, room: number): string {
  const letters = Math.floor(room / 8);
  if (letters < 3) return "";
  return name.length <= letters ? name : `${name.slice(0, letters - 1)}…`;
}
