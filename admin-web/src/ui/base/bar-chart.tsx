import { Box, Group, Popover, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type CSSProperties, useState } from "react";
import { formatCount } from "../../format.ts";
import classes from "./bar-chart.module.css";

export interface Series<Name extends string> {
  name: Name;
  label: string;
  color: string;
}

export interface Bar<Name extends string> {
  key: string;
  /** The name below the bar and in its tooltip. */
  name: string;
  counts: Record<Name, number>;
}

interface BarChartProps<Name extends string> {
  /** The name for screen readers, which get a table instead. */
  label: string;
  bars: readonly Bar<Name>[];
  /** From the bottom up. */
  series: readonly Series<Name>[];
}

/** About this many bars are named below the axis; words of more letters need more room than so many have in a narrow chart. */
const [namedBars, shortWord] = [10, 8];

/** Stacked bars over a zero line, with an axis and a legend that takes series away. */
export function BarChart<Name extends string>({ label, bars, series }: BarChartProps<Name>) {
  const [hidden, hide] = useState<readonly Name[]>([]);
  const shown = series.filter(({ name }) => !hidden.includes(name));
  const totalOf = ({ counts }: Bar<Name>): number => shown.reduce((sum, { name }) => sum + counts[name], 0);
  const ticks = niceTicks(Math.max(...bars.map(totalOf)));
  const top = ticks.at(-1) ?? 1;
  const step = Math.ceil(bars.length / namedBars);
  const isWide = bars.length > namedBars / 2 && bars.some(({ name }) => name.split(/[\s._]/u).some(({ length }) => length > shortWord));
  const placeAt = (index: number) => placeOf((isWide ? index : bars.length - 1 - index) / step);
  return (
    <>
      <div role="img" aria-label={label} className={classes["chart"]}>
        {ticks.map((tick) => (
          <div key={tick} className={classes["tick"]} style={at(tick / top)}>
            {formatCount(tick)}
          </div>
        ))}
        <div
          className={classes["columns"]}
          style={{ "--step": step } as CSSProperties}
          data-few={step === 1 || undefined}
          data-wide={isWide || undefined}
        >
          {bars.map((bar, index) => (
            <Column key={bar.key} bar={bar} series={shown} height={totalOf(bar) / top} placed={placeAt(index)} />
          ))}
        </div>
      </div>
      <Group gap="0.25rem var(--mantine-spacing-md)" justify="flex-end" mt="xs" c="dimmed">
        {series.map(({ name, label: words, color }) => (
          <UnstyledButton
            key={name}
            fz="xs"
            aria-pressed={!hidden.includes(name)}
            onClick={() => hide(hidden.includes(name) ? hidden.filter((each) => each !== name) : [...hidden, name])}
          >
            <Swatch color={hidden.includes(name) ? "transparent" : color} />
            {words}
          </UnstyledButton>
        ))}
      </Group>
    </>
  );
}

/** A height as a share of the chart. */
const at = (height: number) => ({ "--height": height }) as CSSProperties;

/** Whether a bar is named; `second` and `third`: only where there is room. `steps`: from the first bar, or of days and hours from the last. */
function placeOf(steps: number): "first" | "second" | "third" | null {
  if (!Number.isInteger(steps)) return null;
  return steps % 4 === 0 ? "first" : steps % 2 === 0 ? "second" : "third";
}

interface ColumnProps<Name extends string> {
  bar: Bar<Name>;
  series: readonly Series<Name>[];
  /** A share of the chart's. */
  height: number;
  placed: ReturnType<typeof placeOf>;
}

function Column<Name extends string>({ bar: { name, counts }, series, height, placed }: ColumnProps<Name>) {
  const [isOver, { open, close }] = useDisclosure(false);
  const told = (
    <>
      <strong>{name}</strong>
      {series.toReversed().map(({ name: each, label, color }) => (
        <Group key={each} justify="space-between" gap="lg" wrap="nowrap">
          <span>
            <Swatch color={color} />
            {label}
          </span>
          <span>{formatCount(counts[each])}</span>
        </Group>
      ))}
    </>
  );
  return (
    <Popover opened={isOver} position="top" withRoles={false} transitionProps={{ duration: 0 }}>
      <Popover.Target>
        <Box flex={1} miw={0} className={classes["column"] ?? ""} onMouseEnter={open} onMouseLeave={close}>
          <div className={classes["bar"]} style={at(height)}>
            {series.map(
              ({ name: each, color }) => counts[each] > 0 && <div key={each} style={{ flexGrow: counts[each], background: color }} />,
            )}
          </div>
          <div className={classes["day"]} data-name={placed}>
            {placed !== null && <bdi>{name.replaceAll(/[._]/gu, "$&\u200B")}</bdi>}
          </div>
        </Box>
      </Popover.Target>
      <Popover.Dropdown px="sm" py="xs" style={{ fontVariantNumeric: "tabular-nums" }}>
        {told}
      </Popover.Dropdown>
    </Popover>
  );
}

const Swatch = ({ color }: { color: string }) => (
  <Box component="span" display="inline-block" w="0.65rem" h="0.65rem" me="0.4rem" bdrs="0.15rem" bg={color} />
);

const fewest = 4;
const niceSteps = [1, 2, 5, 10];

/** Round whole numbers from 0 to at least `most`. */
export function niceTicks(most: number): number[] {
  const wanted = Math.max(most / fewest, 1);
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = power * (niceSteps.find((each) => each * power >= wanted) ?? 10);
  return Array.from({ length: Math.max(Math.ceil(most / step), 1) + 1 }, (_, index) => index * step);
}
