import { Checkbox, Group, Popover, Stack, Text } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { formatCount } from "../../format.ts";
import { t } from "../../language.ts";
import { QuietButton } from "../base/buttons.tsx";
import type { Column, PagedQuery } from "../table/data-table.tsx";
import type { Counted } from "./count.ts";

interface ListHeadProps {
  /** How many rows match the filters, or at least so many; undefined while that is not known. */
  count: Counted | undefined;
  /** What is to be said of some of them. */
  note?: string | undefined;
  /** What stands at the end of the line, such as the choice of columns. */
  children?: ReactNode;
}

/** The line above a list: how many match, which screen readers hear when it changes. */
export const ListHead = ({ count, note, children }: ListHeadProps) => (
  <Group gap={12} mih={28} flex={1} justify="space-between" wrap="nowrap">
    <Text size="md" fz={13} c="dimmed" role="status">
      {count !== undefined && (count.total > 0 || !count.more) && [matchWords(count), note].filter(Boolean).join(" · ")}
    </Text>
    {children}
  </Group>
);

const matchWords = ({ total: count, more }: Counted): string =>
  more
    ? t("{count}+ matches", { count: formatCount(count) })
    : t("{count, plural, =0 {No matches} one {# match} other {# matches}}", { count });

/** How many rows match: as many as are loaded while they are not counted, and where the count is older than they are, or ended before the list. */
export function matchesOf(counted: Counted | undefined, list: Listed, loaded?: number): Counted | undefined {
  if (list.data === undefined || list.isPlaceholderData === true) return undefined;
  const { hasNextPage: more, data } = list;
  const total = loaded ?? data.pages.reduce((sum, { items }) => sum + items.length, 0);
  return counted !== undefined && counted.total >= total && (more || !counted.more) ? counted : { total, more };
}

type Listed = Pick<PagedQuery<unknown>, "data" | "hasNextPage" | "isPlaceholderData">;

/**
 * The columns that a reader wants to see of a list: those that its address names, where it names any, which a view keeps, else those that were chosen last on this device.
 * Titles and buttons are always there. `chooser`: the button that chooses; null where there are six columns or fewer.
 */
export function useColumns<Row>(list: string, all: Record<string, Column<Row>>, address?: { columns?: string | undefined }) {
  const navigate = useNavigate();
  const [kept, keep] = useLocalStorage<string>({ key: `columns-${list}`, defaultValue: usual(all), getInitialValueInEffect: false });
  const entries = Object.entries(all);
  if (entries.length <= 6) return { columns: Object.values(all), chooser: null };
  const shown = (address?.columns ?? kept).split(".");
  const choose = (value: string[]) => {
    const columns = Object.keys(all)
      .filter((name) => value.includes(name))
      .join(".");
    keep(columns);
    if (address !== undefined)
      void navigate({ to: ".", search: (now: object) => ({ ...now, columns }) as never, replace: true, resetScroll: false });
  };
  const columns = entries.filter(([name, column]) => !isOptional(column) || shown.includes(name)).map(([, column]) => column);
  const chooser = (
    <Popover position="bottom-end" trapFocus returnFocus withinPortal={false} transitionProps={{ duration: 0 }}>
      <Popover.Target>
        <QuietButton flex="none">{t("Columns")}</QuietButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("Columns")} mah="60vh" style={{ overflowY: "auto" }}>
        <Checkbox.Group value={shown} onChange={choose} aria-label={t("Columns")}>
          <Stack gap={8}>
            {entries
              .filter(([, column]) => isOptional(column))
              .map(([name, column]) => (
                <Checkbox key={name} size="sm" value={name} label={column.name} />
              ))}
          </Stack>
        </Checkbox.Group>
      </Popover.Dropdown>
    </Popover>
  );
  return { columns, chooser };
}

const isOptional = <Row,>({ kind }: Column<Row>): boolean => kind !== "title" && kind !== "buttons";

const usual = <Row,>(all: Record<string, Column<Row>>): string =>
  Object.entries(all)
    .filter(([, { isExtra }]) => isExtra !== true)
    .map(([name]) => name)
    .join(".");
