import { Card, SegmentedControl, Skeleton } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { Section } from "../../../ui/page/section.tsx";
import { EmptyState } from "../../../ui/states/empty-state.tsx";
import { DayTable } from "./day-table.tsx";
import type { Day } from "./day.ts";
import { series } from "./series.ts";
import "./series.css";

const DailyChart = lazy(async () => ({ default: (await import("./daily-chart.tsx")).DailyChart }));

const views = [
  { value: "chart", label: "Chart" },
  { value: "table", label: "Table" },
];

/** The messages day by day, as columns or, for whoever cannot see or wants the numbers, as a table. */
export function DailyCounts({ days, timezone }: { days: Day[]; timezone: string }) {
  const [view, setView] = useState("chart");
  const isEmpty = days.every((day) => series.every(({ name }) => day[name] === 0));
  return (
    <Section
      title="Day by day"
      lead={`How far the messages of each day have come. Days end at midnight in ${timezone}.`}
      actions={<SegmentedControl size="xs" aria-label="Shown as" data={views} value={view} onChange={setView} />}
    >
      {view === "table" ? (
        <DayTable days={days} />
      ) : (
        <Card withBorder padding="md">
          {isEmpty ? (
            <EmptyState title="No message in these days">Choose a longer span to look further back.</EmptyState>
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
