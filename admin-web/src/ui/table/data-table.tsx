import { Card, Table, Button, Skeleton, Stack, VisuallyHidden } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { Link, type LinkProps, useLocation, useNavigate } from "@tanstack/react-router";
import { type ComponentPropsWithRef, type MouseEvent, type ReactNode, type Ref, useRef } from "react";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { ButtonLink, SecondaryButton, TextLink } from "../base/buttons.tsx";
import { breakable } from "../base/facts.tsx";
import { Awaiting, part } from "../base/later.tsx";
import { EmptyState, FailureNotice } from "../base/page.tsx";
import { useRowSteps } from "./row-steps.ts";
import { RowCheckbox, type Selection, ShownCheckbox } from "./selection.tsx";
import classes from "./data-table.module.css";

export interface Column<Row> {
  /** The heading; a label before the value in narrow windows; only read out for buttons. */
  name: string;
  cell: (row: Row) => ReactNode;
  /**
   * `title`: the one that names the row. `short`: never wraps. `long`: gets the most room. `number`: the same as `short`, one below the other. `status`: the same, and beside the title in narrow windows. `buttons`: in a list of links shown
   * while the row is pointed at or has the focus.
   */
  kind?: "title" | "short" | "long" | "number" | "status" | "buttons";
  /** True for a title, or a short cell, that leaves its room to the other columns. */
  isNarrow?: true;
  /** True for one that is not shown until a reader chooses it. */
  isExtra?: true;
}

/** The column of buttons of those who may change the rows. */
export const buttonsOf = <Row,>(mayChange: boolean, cell: Column<Row>["cell"]): Column<Row>[] =>
  mayChange ? [{ name: t("Actions"), kind: "buttons", cell }] : [];

export interface DataTableProps<Row> {
  /** The label for screen readers. */
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  /** How many rows the list has, loaded or not; -1 where that is not known. Those that are loaded unless given. */
  count?: number;
  rowKey: (row: Row) => string;
  /**
   * Makes each row a link, which is one line of 44 pixels: a click anywhere on it opens it, and Enter on its title. The title's cell then holds no link of its own.
   * The arrow keys, J and K move among the rows, Space chooses.
   */
  rowLink?: ((row: Row) => Pick<LinkProps, "to" | "params" | "search" | "resetScroll">) | undefined;
  /** Loads more of a long list of links, whose end is near. */
  onEnd?: () => void;
  /** Lets rows be chosen, each by the name that is read out. */
  choice?: { selection: Pick<Selection<unknown>, "shown" | "toggleShown" | "has" | "toggle">; nameOf: (row: Row) => string } | undefined;
}

/** They come with the first list, which is drawn once it can be used: rows that stand there before would lose a click or a key. */
const ListRows = part(async () => (await import("./list-rows.tsx")).ListRows);

/** A table whose rows become cards in narrow windows; a column that is empty in all rows leaves its room to the others. With `rowLink` it is the list of the desk: one line a row, headings that stay in sight, and of a long list only the rows in sight are drawn. */
export function DataTable<Row>({ label, columns: all, rows, count = rows.length, rowKey, rowLink, onEnd, choice }: DataTableProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const isList = rowLink !== undefined;
  const columns = all.filter(({ kind, cell }) => kind === "title" || kind === "buttons" || rows.some((row) => !nothing.has(cell(row))));
  const draw = (index: number, ref: Ref<HTMLTableRowElement> = null) => {
    const row = rows[index];
    if (row === undefined) return null;
    const place = { ref, "data-index": index, "aria-rowindex": index + 2 };
    return <DataRow key={rowKey(row)} id={rowKey(row)} {...{ row, columns, rowLink, choice, place }} />;
  };
  return (
    <Card padding={0} className={classes["card"] ?? ""}>
      {/* Some screen readers ignore a table with another display value unless its parts have roles. */}
      <Table
        role="table"
        aria-label={label}
        aria-rowcount={count < 0 ? count : count + 1}
        className={classes["table"]}
        verticalSpacing="sm"
        horizontalSpacing="md"
        data-links={isList || undefined}
        onMouseOver={tellWhole}
      >
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {choice !== undefined && (
              <Table.Th role="columnheader" scope="col" className={classes["choice"]}>
                <ShownCheckbox selection={choice.selection} />
              </Table.Th>
            )}
            {columns.map(({ name, kind, isNarrow }) => (
              <Table.Th key={name} role="columnheader" scope="col" data-kind={kind} data-narrow={isNarrow}>
                {kind === "buttons" ? <VisuallyHidden>{name}</VisuallyHidden> : name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup" ref={body}>
          {isList ? (
            <Awaiting fallback={<ComingRow />}>
              <ListRows body={body} ids={rows.map(rowKey)} selection={choice?.selection} onEnd={onEnd} draw={draw} />
            </Awaiting>
          ) : (
            rows.map((_, index) => draw(index))
          )}
        </Table.Tbody>
      </Table>
    </Card>
  );
}

/** A cell that is cut off where it is pointed at has its whole text as its tooltip, unless what is pointed at has its own. */
function tellWhole({ target }: MouseEvent<HTMLElement>): void {
  const cell = target instanceof Element && target.closest("td");
  if (cell) cell.title = [cell, ...cell.querySelectorAll("*")].some((one) => one.scrollWidth > one.clientWidth) ? cell.innerText : "";
}

/** What a cell without content holds. */
const nothing: ReadonlySet<ReactNode> = new Set(["", null, undefined, false]);

/** In place of rows that are about to be drawn. */
const ComingRow = () => (
  <tr aria-hidden>
    <td colSpan={99}>
      <Skeleton height={20} />
    </td>
  </tr>
);

interface DataRowProps<Row> extends Pick<DataTableProps<Row>, "columns" | "rowLink" | "choice"> {
  row: Row;
  id: string;
  place: ComponentPropsWithRef<"tr">;
}

const DataRow = <Row,>({ row, id, columns, rowLink, choice, place }: DataRowProps<Row>) => (
  <Table.Tr
    role="row"
    data-chosen={choice?.selection.has(id)}
    {...(rowLink !== undefined && { ...place, onClick: openRow, onAuxClick: openRow })}
  >
    {choice !== undefined && (
      <Table.Td role="cell" data-kind="choice">
        <RowCheckbox
          aria-label={t("Select {row}", { row: choice.nameOf(row) })}
          isChosen={choice.selection.has(id)}
          onChoose={(isRange) => choice.selection.toggle(id, isRange)}
        />
      </Table.Td>
    )}
    {columns.map(({ name, cell, kind, isNarrow }) => {
      const shown = cell(row);
      return (
        <Table.Td
          key={name}
          role="cell"
          data-label={kind === "title" || kind === "status" || kind === "buttons" ? undefined : name}
          data-kind={kind}
          data-narrow={isNarrow}
        >
          {kind === "title" && rowLink !== undefined ? (
            <Link {...(rowLink(row) as LinkProps)} className={classes["rowLink"]}>
              {breakable(shown)}
            </Link>
          ) : (
            breakable(shown)
          )}
        </Table.Td>
      );
    })}
  </Table.Tr>
);

const own = "a, button, input, label, [data-kind='choice'], [data-kind='buttons']";

/**
 * Follows the row's link, also into another tab as the browser's own links do. What has a use of its own is left to it, as is a click that ends a text selection.
 */
function openRow(event: MouseEvent<HTMLElement>): void {
  const { target, currentTarget, button, ctrlKey, metaKey, shiftKey } = event;
  const isOnOwn = target instanceof Element && target.closest(own) !== null;
  if (isOnOwn || button > 1 || window.getSelection()?.isCollapsed === false) return;
  const link = currentTarget.querySelector<HTMLAnchorElement>("a");
  if (button === 1) window.open(link?.href, "_blank", "noopener");
  else link?.dispatchEvent(new window.MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }));
}

/** How a list is asked for: it stays until that of another filter is there. */
export const byPage = {
  getNextPageParam: ({ nextCursor }: { nextCursor: string | null }) => nextCursor,
  placeholderData: keepPreviousData,
};

/** An infinite query of a list. */
export interface PagedQuery<Item> {
  data: { pages: { items: Item[] }[] } | undefined;
  error: { message: string } | null;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  /** True while the rows are those of another filter. */
  isPlaceholderData?: boolean;
  refetch: () => unknown;
  fetchNextPage: () => unknown;
}

export interface PagedListProps<Item> {
  query: PagedQuery<Item>;
  /** The list's name in messages, such as `the people`. */
  what: string;
  /** Shown for an empty list. */
  empty: ReactNode;
  /** What to show for a list that filters have left empty, beside the link that clears them; absent while none is set. */
  filtered?: ReactNode | false;
  children: (items: Item[]) => ReactNode;
}

/** A list with its states: loading, failed, empty, more to load; its rows are led through by keys. Loaded items stay when a refetch fails. */
export function PagedList<Item>({ query, what, empty, filtered = false, children }: PagedListProps<Item>) {
  useRowSteps();
  const items = query.data?.pages.flatMap((page) => page.items);
  const retry = () => void (query.isFetchNextPageError ? query.fetchNextPage() : query.refetch());
  return (
    <Stack gap="sm">
      <FailureNotice title={t("Could not load {what}", { what })} error={query.error} onRetry={retry} />
      {items === undefined && query.error === null && <ListSkeleton what={what} />}
      {items?.length === 0 && (
        <>
          {query.hasNextPage && <EmptyState title={t("Nothing matches among the newest")}>{t("Older ones may: show more.")}</EmptyState>}
          {!query.hasNextPage && (filtered === false ? empty : <NoMatches>{filtered}</NoMatches>)}
        </>
      )}
      {items !== undefined && items.length > 0 && children(items)}
      <ShowMore query={query}>{t("Show more")}</ShowMore>
    </Stack>
  );
}

type Pages = Pick<PagedQuery<never>, "hasNextPage" | "isFetchingNextPage" | "fetchNextPage">;

/** Loads the next page of a list, while there is one. */
export const ShowMore = ({ query, children }: { query: Pages; children: string }) =>
  query.hasNextPage && (
    <SecondaryButton loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
      {children}
    </SecondaryButton>
  );

const NoMatches = ({ children }: { children: ReactNode }) => (
  <EmptyState title={t("Nothing matches these filters")}>
    {/* First: what comes later moves no link that is about to be clicked. */}
    <TextLink to="." search={(({ tab }: { tab?: string }) => ({ tab })) as never}>
      {t("Clear filters")}
    </TextLink>
    {children}
  </EmptyState>
);

/** The one button of a list that the first message fills. */
export const GetStarted = () => <ButtonLink to={paths.gettingStarted}>{t("Get started")}</ButtonLink>;

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** The lists of the page that are shown whole. */
    whole?: string[] | undefined;
  }
}

/** The first items of a list, and the button below it that shows the others too: its place in the history keeps that, so that the way back leads to the same list. */
export function useFirst<Item>(items: readonly Item[], first: number, list: string, more: string) {
  const navigate = useNavigate();
  const whole = useLocation({ select: ({ state }) => state.whole }) ?? [];
  const isWhole = whole.includes(list);
  const others = whole.filter((each) => each !== list);
  const setWhole = (isOpen: boolean) =>
    void navigate({
      to: ".",
      search: true,
      hash: true,
      replace: true,
      resetScroll: false,
      state: (now) => ({ ...now, whole: isOpen ? [...others, list] : others }),
    });
  return {
    shown: isWhole ? items : items.slice(0, first),
    button: items.length > first && (
      <Button variant="subtle" size="xs" mt="xs" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
        {isWhole ? t("Show fewer") : more}
      </Button>
    ),
  };
}

const rows = [0, 1, 2];

/** A placeholder as high as three rows. */
export const ListSkeleton = ({ what }: { what: string }) => (
  <Card role="status" aria-label={t("Loading {what}", { what })}>
    <Stack gap="lg">
      {rows.map((row) => (
        <Skeleton key={row} height={20} />
      ))}
    </Stack>
  </Card>
);
