import { Checkbox, Group, Popover, Stack, Text } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { getUntypedClient } from "@trpc/client";
import type { ReactNode } from "react";
import { formatCount } from "../../format.ts";
import { t } from "../../language.ts";
import { trpcClient } from "../../trpc.ts";
import { QuietButton } from "../base/buttons.tsx";
import type { Column, PagedQuery } from "../table/data-table.tsx";
import type { ListOf } from "./live-list.tsx";

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

/** A number of rows; `more`: there may be others. */
type Counted = { total: number; more: boolean };

const countAgainMs = 10_000;

/** How numbers are asked for that stand where others stood. */
export const counting = { placeholderData: keepPreviousData, refetchInterval: countAgainMs } as const;

/** `next`: by which the rest is counted; a server of an earlier version has none. `parts`: in how many calls. */
type CountedPart = Counted & { next?: string | null; listed?: Counted; parts?: number };

/** The most rows of a list that are counted, and how long a count goes on. */
const [mostCounted, mostCountedMs] = [10_000, 4_000];

function sumOf<Part extends CountedPart>(one: Part, rest: Part): Part {
  const total = one.total + rest.total;
  const listed = one.listed && rest.listed && { listed: sumOf(one.listed, rest.listed) };
  return { ...rest, ...listed, total: Math.min(total, mostCounted), more: rest.more || total > mostCounted };
}

type CountName = "notifications.count" | "notifications.scheduledCount" | "events.count" | "webhookDeliveries.count" | "audit.count";

/** How many rows a list has: the server counts as far as the time of one call allows, and is asked to go on. A long count is repeated less often. */
export function useCount<Name extends CountName>(name: Name, input: ListOf<Name>["input"], { enabled = true } = {}) {
  type Part = ListOf<Name>["answer"] & CountedPart;
  const queryKey = [name.split("."), { input, type: "query" }];
  return useQuery<Part>({
    queryKey,
    queryFn: ({ signal, client }) => {
      const [isNew, until] = [client.getQueryData(queryKey) === undefined, Date.now() + mostCountedMs];
      const goOn = async (before?: Part, parts = 1): Promise<Part> => {
        const asked = { ...(input as object), ...(before && { cursor: before.next }) };
        const part = (await getUntypedClient(trpcClient).query(name, asked, { signal })) as Part;
        const sum = { ...(before === undefined ? part : sumOf(before, part)), parts };
        if (sum.next == null || sum.total >= mostCounted || Date.now() > until) return sum;
        if (isNew) client.setQueryData(queryKey, sum);
        return goOn(sum, parts + 1);
      };
      return goOn();
    },
    enabled,
    refetchInterval: ({ state }) => countAgainMs * (state.data?.parts ?? 1),
  });
}

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
