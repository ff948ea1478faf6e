import { Group, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import type { ViewPeriod } from "shared/core/saved-view";
import { t } from "../../language.ts";
import { QuietButton } from "../base/buttons.tsx";
import { bound } from "../base/fields.ts";
import { dayOf, daysBack } from "./days.ts";

interface Range {
  /** Days, YYYY-MM-DD, or ISO 8601 instants. */
  from?: string | undefined;
  to?: string | undefined;
}

/** From how many days ago to how many; `weekday`: how many days ago Monday was. */
type Days = readonly [first: number, last: number];

const periods: Record<ViewPeriod, { label: string; days: (weekday: number) => Days }> = {
  today: { label: t("Today"), days: () => [0, 0] },
  yesterday: { label: t("Yesterday"), days: () => [1, 1] },
  lastWeek: { label: t("Last week (Monday to Sunday)"), days: (weekday) => [weekday + 7, weekday + 1] },
  week: { label: t("Last 7 days"), days: () => [6, 0] },
  month: { label: t("Last 30 days"), days: () => [29, 0] },
  quarter: { label: t("Last 90 days"), days: () => [89, 0] },
};
const names = Object.keys(periods) as ViewPeriod[];

/** The days of a period as they are now. `zone`: that of the days, the reader's unless given. */
export function rangeOf(period: ViewPeriod, now = new Date(), zone?: string): { from: string; to: string } {
  const weekday = (new Date(daysBack(0, now, zone)).getUTCDay() + 6) % 7;
  const [first, last] = periods[period].days(weekday);
  return { from: daysBack(first, now, zone), to: daysBack(last, now, zone) };
}

/** The usual period that a range is; one that ends today may also leave its end open. */
export const presetOf = ({ from, to }: Range, now = new Date(), zone?: string): ViewPeriod | undefined =>
  names.find((name) => {
    const range = rangeOf(name, now, zone);
    return from === range.from && (to === range.to || (to === undefined && range.to === daysBack(0, now, zone)));
  });

/** The name of a usual period; null for another. */
export function presetLabel(range: Range, zone?: string): string | null {
  const preset = presetOf(range, undefined, zone);
  return preset === undefined ? null : periods[preset].label;
}

interface DateRangeProps {
  range: Range;
  /** The zone of the days. */
  zone: string | undefined;
  onChange: (range: { from: string | null; to: string | null }) => void;
}

/** A period: one of the usual ones, which ends the choice, or from a day to a day. */
export function DateRange({ range, zone, onChange }: DateRangeProps) {
  const preset = presetOf(range, undefined, zone);
  const [isCustom, setCustom] = useState(preset === undefined && (range.from ?? range.to) !== undefined);
  const day = (name: "from" | "to", label: string) => (
    <TextInput
      type="date"
      label={label}
      {...bound(dayOf(range[name] ?? "", zone), (text) =>
        onChange({ from: range.from ?? null, to: range.to ?? null, [name]: text || null }),
      )}
    />
  );
  const look = { fz: 13, justify: "start" } as const;
  return (
    <Stack gap={4} role="group" aria-label={t("Period")}>
      {names.map((name) => (
        <QuietButton
          key={name}
          type="submit"
          {...look}
          variant={name === preset ? "light" : "subtle"}
          aria-pressed={name === preset}
          onClick={() => onChange(rangeOf(name, undefined, zone))}
        >
          {periods[name].label}
        </QuietButton>
      ))}
      <QuietButton {...look} variant={isCustom ? "light" : "subtle"} aria-expanded={isCustom} onClick={() => setCustom(!isCustom)}>
        {t("Custom range")}
      </QuietButton>
      {isCustom && (
        <Group gap="sm" grow wrap="nowrap" align="start">
          {day("from", t("First day"))}
          {day("to", t("Last day"))}
        </Group>
      )}
    </Stack>
  );
}
