import { BarChart } from "@mantine/charts";
import { formatCount, formatDay } from "../../format.ts";
import { type Day, niceTicks, series } from "./deliveries-data.ts";
import classes from "./home.module.css";
import "@mantine/charts/styles.css";

/** One column a day, stacked by status. Screen readers get the table instead. */
export function DailyChart({ days }: { days: Day[] }) {
  const ticks = niceTicks(Math.max(...days.map((day) => series.reduce((sum, { name }) => sum + day[name], 0))));
  const data = days.map((day) => ({ ...day, date: formatDay(day.date) }));
  return (
    <>
      <div role="img" aria-label="Messages per day. The table view has the same numbers.">
        <BarChart
          h={300}
          data={data}
          dataKey="date"
          type="stacked"
          series={series}
          valueFormatter={formatCount}
          gridAxis="x"
          tickLine="none"
          maxBarWidth={36}
          accessibilityLayer={false}
          yAxisProps={{ ticks, domain: [0, ticks.at(-1) ?? 1], width: 52 }}
        />
      </div>
      <ul className={classes["legend"]} aria-hidden>
        {series.map(({ name, label, color }) => (
          <li key={name}>
            <span className={classes["swatch"]} style={{ background: color }} />
            {label}
          </li>
        ))}
      </ul>
    </>
  );
}
