import { Box, Button, Checkbox, Group, Paper, Text, type CheckboxProps } from "@mantine/core";
import { type ChangeEvent, type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { mostNamed } from "shared/core/operation";
import { t, translated } from "../../language.ts";
import words from "./selection-labels.json";

type Known = { id: string };

interface Chosen<Row> {
  /** The list that the selection belongs to: other filters begin with an empty one. */
  of: string;
  /** The chosen rows by id, in the order of the choice; they stay while other pages load. */
  rows: ReadonlyMap<string, Row>;
  /** The row where a range begins. */
  anchor: string | null;
  /** True if every row that matches the filters is chosen, shown or not. */
  isAll: boolean;
}

export interface Selection<Row> {
  /** The chosen rows that are still shown, with their current values. */
  rows: Row[];
  ids: string[];
  isAll: boolean;
  /** How many of the shown rows are chosen. */
  shown: "none" | "some" | "all";
  has: (id: string) => boolean;
  /** `isRange`: also chooses all rows between this one and the one chosen before. Stable. */
  toggle: (id: string, isRange: boolean) => void;
  toggleShown: () => void;
  choose: (rows: readonly Row[]) => void;
  chooseAll: () => void;
  /** Lets go what is chosen, but for rows that were chosen since: an action on many may end after the next choice. */
  clear: () => void;
}

const nothing = <Row,>(of: string): Chosen<Row> => ({ of, rows: new Map(), anchor: null, isAll: false });

/** The rows of a list that somebody has chosen. `of` names the list, by its filters. */
export function useSelection<Row extends Known>(list: readonly Row[], of: string): Selection<Row> {
  const [state, setState] = useState<Chosen<Row>>(() => nothing(of));
  if (state.of !== of) setState(nothing(of));
  const latest = useRef(list);
  useEffect(() => {
    latest.current = list;
  }, [list]);
  const toggle = useCallback((id: string, isRange: boolean) => setState((now) => toggled(now, latest.current, { id, isRange })), []);
  const current = new Map(list.map((row) => [row.id, row]));
  const rows = [...state.rows].map(([id, row]) => current.get(id) ?? row);
  const count = state.isAll ? list.length : list.filter(({ id }) => state.rows.has(id)).length;
  const shown = count === 0 ? "none" : count === list.length ? "all" : "some";
  const choose = (chosen: readonly Row[]) => setState({ ...nothing(of), rows: new Map(chosen.map((row) => [row.id, row])) });
  return {
    rows: state.isAll ? [...list] : rows,
    ids: state.isAll ? [...current.keys()] : rows.map(({ id }) => id),
    isAll: state.isAll,
    shown,
    has: (id) => state.isAll || state.rows.has(id),
    toggle,
    toggleShown: () => (shown === "all" ? setState(nothing(of)) : setState((now) => added(now, list))),
    choose,
    chooseAll: () => setState({ ...nothing<Row>(of), isAll: true }),
    clear: () => setState((now) => released(now, state)),
  };
}

/** The choice without what was chosen `then`. */
export function released<Row extends Known>(now: Chosen<Row>, then: Chosen<Row>): Chosen<Row> {
  if (now.of !== then.of) return now;
  const isAll = now.isAll || then.isAll;
  return { ...nothing<Row>(now.of), rows: new Map(isAll ? [] : [...now.rows].filter(([id]) => !then.rows.has(id))) };
}

function added<Row extends Known>(now: Chosen<Row>, more: readonly Row[]): Chosen<Row> {
  return { ...now, isAll: false, rows: new Map([...now.rows, ...more.map((row) => [row.id, row] as const)]) };
}

/** A range follows its last row: if that was not chosen, the whole range is, else nothing of it. After "all that match", the shown rows stay chosen. */
export function toggled<Row extends Known>(now: Chosen<Row>, list: readonly Row[], { id, isRange }: { id: string; isRange: boolean }) {
  const chosen = now.isAll ? added(now, list) : now;
  const to = list.findIndex((row) => row.id === id);
  const from = isRange ? list.findIndex((row) => row.id === now.anchor) : -1;
  const touched = from === -1 ? list.slice(to, to + 1) : list.slice(Math.min(from, to), Math.max(from, to) + 1);
  if (!chosen.rows.has(id)) return { ...added(chosen, touched), anchor: id };
  const rows = new Map(chosen.rows);
  for (const row of touched) rows.delete(row.id);
  return { ...chosen, rows, anchor: id };
}

interface RowCheckboxProps extends Omit<CheckboxProps, "onChange"> {
  isChosen: boolean;
  /** `isRange`: the shift key was held. */
  onChoose: (isRange: boolean) => void;
}

export function RowCheckbox({ isChosen, onChoose, ...props }: RowCheckboxProps) {
  const change = ({ nativeEvent }: ChangeEvent<HTMLInputElement>) => onChoose("shiftKey" in nativeEvent && nativeEvent.shiftKey === true);
  return <Checkbox size="sm" checked={isChosen} onChange={change} {...props} />;
}

/** Chooses every row that is shown, or none. */
export const ShownCheckbox = ({ selection }: { selection: Pick<Selection<unknown>, "shown" | "toggleShown"> }) => (
  <Checkbox
    size="sm"
    aria-label={t("Select all shown")}
    checked={selection.shown === "all"}
    indeterminate={selection.shown === "some"}
    onChange={selection.toggleShown}
  />
);

export interface SelectionBarProps {
  selection: Pick<Selection<unknown>, "ids" | "isAll" | "clear">;
  /** The kind of the rows, such as `binding`. */
  what: keyof typeof words;
  /** Chooses matching rows beyond the shown ones; absent if all are shown. */
  all?: { label: string; isComing?: boolean; onChoose: () => void } | undefined;
  /** The result of the last action, shown once nothing is chosen. */
  done?: string | null;
  /** Further results of the last action. */
  notice?: ReactNode;
  /** The buttons of the actions that fit. */
  children: ReactNode;
}

/** The selection and its actions, at the lower edge of the window. The status element is always there, so that screen readers hear its changes. */
export function SelectionBar({ selection, what, all, done = null, notice, children }: SelectionBarProps) {
  const { ids, isAll } = selection;
  const isEmpty = ids.length === 0;
  const isTooMany = !isAll && ids.length > mostNamed;
  return (
    // Above what scrolls, below dialogs.
    <Box data-screen pos="sticky" bottom="var(--mantine-spacing-sm)" style={{ zIndex: 4 }}>
      {notice}
      <Paper {...(!isEmpty && { withBorder: true, p: "sm", role: "region", "aria-label": t("Selection") })}>
        <Group gap="sm">
          <Text fw={600} role="status">
            {isEmpty ? done : translated(words[what][isAll ? "all" : "some"], { count: ids.length })}
            {isTooMany ? t(". Select at most {mostNamed}.", { mostNamed }) : !isAll && ids.length === mostNamed && t(", the most at once")}
          </Text>
          {!isEmpty && (
            <>
              {all !== undefined && !isAll && (
                <Button variant="subtle" size="compact-sm" loading={all.isComing === true} onClick={all.onChoose}>
                  {all.label}
                </Button>
              )}
              <Button variant="subtle" size="compact-sm" onClick={selection.clear}>
                {t("Clear selection")}
              </Button>
              <Group gap="xs" ms="auto">
                {!isTooMany && children}
              </Group>
            </>
          )}
        </Group>
      </Paper>
    </Box>
  );
}

/** What the actions on the chosen rows of a list take. */
export interface SelectedProps<Row, Filters> {
  selection: Selection<Row>;
  filters: Filters;
  /** Whether more rows match than are loaded. */
  isMoreThere: boolean;
}

/** Chooses all that match, shown or not; undefined where all are shown and chosen. */
export const allThatMatch = (
  { shown, chooseAll }: Pick<Selection<never>, "shown" | "chooseAll">,
  isMoreThere: boolean,
): SelectionBarProps["all"] => (isMoreThere || shown !== "all" ? { label: t("Select all that match"), onChoose: chooseAll } : undefined);

interface Loaded<Row> {
  data: { pages: { items: Row[] }[] } | undefined;
  hasNextPage: boolean;
  isFetchNextPageError: boolean;
}

interface LoadedQuery<Row> extends Loaded<Row> {
  fetchNextPage: () => Promise<Loaded<Row>>;
}

/** Loads page after page until all matching rows are chosen, up to the number that one call takes. */
export function useChooseLoaded<Row extends Known>(query: LoadedQuery<Row>, selection: Selection<Row>): SelectionBarProps["all"] {
  const [isComing, setComing] = useState(false);
  const { hasNextPage, fetchNextPage } = query;
  const load = async () => {
    setComing(true);
    let now: Loaded<Row> = query;
    while (now.hasNextPage && !now.isFetchNextPageError && rowsOf(now).length < mostNamed) now = await fetchNextPage();
    selection.choose(rowsOf(now).slice(0, mostNamed));
    setComing(false);
  };
  if (!hasNextPage && selection.shown === "all") return undefined;
  return { label: hasNextPage ? t("Select all that match") : t("Select all shown"), isComing, onChoose: () => void load() };
}

const rowsOf = <Row,>({ data }: Loaded<Row>): Row[] => data?.pages.flatMap(({ items }) => items) ?? [];
