import { Group, NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import type { ViewPeriod } from "shared/core/saved-view";
import { t } from "../language.ts";
import { bound } from "./fields.ts";
import { dayOf, daysBack } from "./search-params.ts";

interface Range {
  /** Days in the reader's time zone, YYYY-MM-DD, or ISO 8601 instants. */
  from?: string | undefined;
  to?: string | undefined;
}

const presets = [
  { value: "any", label: t("Any time"), days: null },
  { value: "today", label: t("Today"), days: [0, 0] },
  { value: "yesterday", label: t("Yesterday"), days: [1, 1] },
  { value: "week", label: t("Last 7 days"), days: [6, 0] },
  { value: "month", label: t("Last 30 days"), days: [29, 0] },
] as const;
const custom = { value: "custom", label: t("Custom range") };

/** The days of a period as they are now. */
export function rangeOf(period: ViewPeriod, now = new Date()): { from: string; to: string } {
  const [first, last] = presets.find(({ value }) => value === period)?.days ?? [0, 0];
  return { from: daysBack(first, now), to: daysBack(last, now) };
}

/** The preset that equals a range; one that ends today may also leave its end open. */
export function presetOf({ from, to }: Range, now = new Date()): string {
  if (from === undefined && to === undefined) return "any";
  const found = presets.find(
    ({ days }) =>
      days !== null && from === daysBack(days[0], now) && (to === daysBack(days[1], now) || (to === undefined && days[1] === 0)),
  );
  return found?.value ?? custom.value;
}

/** The name of a usual period; null for another. */
export const presetLabel = (range: Range): string | null => presets.find(({ value }) => value === presetOf(range))?.label ?? null;

/** A period: one of the usual ones, or from a day to a day. */
export function DateRange({ range, onChange }: { range: Range; onChange: (range: { from: string | null; to: string | null }) => void }) {
  const [isCustom, setCustom] = useState(false);
  const preset = presetOf(range);
  const shown = isCustom ? custom.value : preset;
  const choose = (value: string) => {
    setCustom(value === custom.value);
    if (value === "any") onChange({ from: null, to: null });
    else if (value !== custom.value) onChange(rangeOf(value as ViewPeriod));
  };
  const day = (name: "from" | "to", label: string) => (
    <TextInput
      type="date"
      label={label}
      {...bound(dayOf(range[name] ?? ""), (text) => onChange({ from: range.from ?? null, to: range.to ?? null, [name]: text || null }))}
    />
  );
  return (
    <>
      <NativeSelect
        label={t("Period")}
        data={[...presets, custom].map(({ value, label }) => ({ value, label }))}
        {...bound(shown, choose)}
      />
      {shown === custom.value && (
        <Group gap="sm" grow wrap="nowrap" align="start">
          {day("from", t("First day"))}
          {day("to", t("Last day"))}
        </Group>
      )}
    </>
  );
}
