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
export function matchesOf(
  counted: Counted | undefined,
  {
    data,
    hasNextPage: more,
    isPlaceholderData: isOfOther = false,
  }: Pick<PagedQuery<unknown>, "data" | "hasNextPage" | "isPlaceholderData">,
  total = data?.pages.reduce((sum, { items }) => sum + items.length, 0) ?? 0,
): Counted | undefined {
  if (data === undefined || isOfOther) return undefined;
  return counted !== undefined && counted.total >= total && (more || !counted.more) ? counted : { total, more };
}

/** A number of rows; `more`: there may be others. */
interface Counted {
  total: number;
  more: boolean;
}

const countAgainMs = 10_000;

/** How numbers are asked for that stand where others stood. */
export const counting = { placeholderData: keepPreviousData, refetchInterval: countAgainMs } as const;

/** `next`: by which the rest is counted; a server of an earlier version has none. `parts`: in how many calls. */
type CountedPart = Counted & { next?: string | null; listed?: Counted; parts?: number };

/** The most rows of a list that are counted, and how long a count goes on. */
const mostCounted = 10_000;
const mostCountedMs = 4_000;

const sumOf = (one: Counted, rest: Counted): Counted => {
  const total = one.total + rest.total;
  return { total: Math.min(total, mostCounted), more: rest.more || total > mostCounted };
};

/** How many rows a list has: the server counts as far as the time of one call allows, and is asked to go on. A long count is repeated less often. */
export function useCount<
  Name extends "notifications.count" | "notifications.scheduledCount" | "events.count" | "webhookDeliveries.count" | "audit.count",
>(name: Name, input: ListOf<Name>["input"], { enabled = true } = {}) {
  const queryKey = [name.split("."), { input, type: "query" }];
  return useQuery<ListOf<Name>["answer"] & CountedPart>({
    queryKey,
    queryFn: async ({ signal, client }) => {
      const ask = (rest: object) => getUntypedClient(trpcClient).query(name, { ...(input as object), ...rest }, { signal });
      const [isNew, until] = [client.getQueryData(queryKey) === undefined, Date.now() + mostCountedMs];
      const goOn = async (now: CountedPart, parts = 1): Promise<CountedPart> => {
        if (now.next == null || now.total >= mostCounted || Date.now() > until) return { ...now, parts };
        if (isNew) client.setQueryData(queryKey, now);
        const rest = (await ask({ cursor: now.next })) as CountedPart;
        const listed = now.listed && rest.listed && { listed: sumOf(now.listed, rest.listed) };
        return goOn({ ...rest, ...sumOf(now, rest), ...listed }, parts + 1);
      };
      return (await goOn((await ask({})) as CountedPart)) as ListOf<Name>["answer"] & CountedPart;
    },
    enabled,
    refetchInterval: ({ state }) => countAgainMs * (state.data?.parts ?? 1),
  });
}

/** From this number of columns on a reader chooses which to see. */
const many = 7;

/**
 * The columns that a reader wants to see of a list: those that its address names, where it names any, which a view keeps, else those that were chosen last on this device.
 * Titles and buttons are always there. `chooser`: the button that chooses; null where there are few columns.
 */
export function useColumns<Row>(list: string, all: Record<string, Column<Row>>, address?: { columns?: string | undefined }) {
  const navigate = useNavigate();
  const [kept, keep] = useLocalStorage<string>({ key: `columns-${list}`, defaultValue: usual(all), getInitialValueInEffect: false });
  const entries = Object.entries(all);
  if (entries.length < many) return { columns: Object.values(all), chooser: null };
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
