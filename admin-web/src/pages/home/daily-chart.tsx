import { Tooltip } from "@mantine/core";
import type { CSSProperties } from "react";
import { formatCount, formatDay } from "../../format.ts";
import { t } from "../../language.ts";
import { type Day, niceTicks, series } from "./deliveries-data.ts";
import classes from "./daily-chart.module.css";

/** About this many days are named below the columns. */
const namedDays = 8;

/** One column a day, stacked by status. Screen readers get the table instead. */
export function DailyChart({ days }: { days: Day[] }) {
  const ticks = niceTicks(Math.max(...days.map(totalOf)));
  const top = ticks.at(-1) ?? 1;
  const step = Math.ceil(days.length / namedDays);
  return (
    <>
      <div role="img" aria-label={t("Messages per day. The table view has the same numbers.")} className={classes["chart"]}>
        {ticks.map((tick) => (
          <div key={tick} className={classes["tick"]} style={at(tick / top)}>
            {formatCount(tick)}
          </div>
        ))}
        <div className={classes["columns"]}>
          {days.map((day, index) => (
            <Column key={day.date} day={day} height={totalOf(day) / top} name={nameOf((days.length - 1 - index) / step)} />
          ))}
        </div>
      </div>
      <ul className={classes["legend"]} aria-hidden>
        {series.map(({ name, label, color }) => (
          <li key={name}>
            <Swatch color={color} />
            {label}
          </li>
        ))}
      </ul>
    </>
  );
}

/** A height as a share of the chart. */
const at = (height: number) => ({ "--height": height }) as CSSProperties;

const totalOf = (day: Day): number => series.reduce((sum, { name }) => sum + day[name], 0);

/** Whether a day is named; `second`: only where there is room. `steps`: from the last day. */
function nameOf(steps: number): "first" | "second" | null {
  if (!Number.isInteger(steps)) return null;
  return steps % 2 === 0 ? "first" : "second";
}

/** `height` is a share of the chart's. */
function Column({ day, height, name }: { day: Day; height: number; name: ReturnType<typeof nameOf> }) {
  return (
    <Tooltip label={<Counts day={day} />} classNames={{ tooltip: classes["counts"] ?? "" }} openDelay={100}>
      <div className={classes["column"]}>
        <div className={classes["bar"]} style={at(height)}>
          {series.map(({ name, color }) => day[name] > 0 && <div key={name} style={{ flexGrow: day[name], background: color }} />)}
        </div>
        <span className={classes["day"]} data-name={name}>
          {name !== null && formatDay(day.date)}
        </span>
      </div>
    </Tooltip>
  );
}

/** The column in numbers, in its order: the bottom last. */
function Counts({ day }: { day: Day }) {
  return (
    <>
      <strong>{formatDay(day.date)}</strong>
      {series.toReversed().map(({ name, label, color }) => (
        <div key={name} className={classes["count"]}>
          <span>
            <Swatch color={color} />
            {label}
          </span>
          <span>{formatCount(day[name])}</span>
        </div>
      ))}
    </>
  );
}

const Swatch = ({ color }: { color: string }) => <span className={classes["swatch"]} style={{ background: color }} />;
