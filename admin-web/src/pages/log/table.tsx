import { Stack, Card, Skeleton, Text, Kbd } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type CSSProperties, useRef, useEffect, type KeyboardEvent, memo, type MouseEvent, type ReactNode } from "react";
import { isDropped } from "shared/core/message";
import { formatRelative } from "../../format.ts";
import { t, translated } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { TextLink } from "../../ui/buttons.tsx";
import { Moment } from "../../ui/facts.tsx";
import { toldExplanation, toldReason } from "../../ui/labels.ts";
import { LiveHead, NewRowsButton, useLive } from "../../ui/live-list.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { EmptyState } from "../../ui/paged-list.tsx";
import { useSiteName } from "../../ui/pickers.tsx";
import { Rich } from "../../ui/rich.tsx";
import { RowCheckbox, type Selection, ShownCheckbox, useSelection } from "../../ui/selection.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { LookElsewhere } from "./look-elsewhere.tsx";
import { SelectedMessages } from "./many-messages.tsx";
import { MessageDrawer } from "./message-drawer.tsx";
import { filtersOf, type LogSearch, changeLogSearch, type LogFilters } from "./route.ts";
import { useLog, useDrawnRows, type LogRow, useRowKeys } from "./use-log.ts";
import classes from "./log.module.css";

/** The matching messages, newest first, and the open one. */
export function LogList({ search }: { search: LogSearch }) {
  const { isLive, isReading, handlers, goUp, head } = useLive();
  const filters = filtersOf(search);
  const { rows, error, retry, older, news, look, isLost } = useLog(filters, { isLive, isReading });
  const selection = useSelection(rows ?? noRows, JSON.stringify(filters));
  const mayChange = useMay("operator");
  const showNews = () => {
    goUp();
    look();
  };
  return (
    <Stack gap="xs" pos="relative">
      <LiveHead {...head} isLost={isLost}>
        <RowKeysHint />
      </LiveHead>
      {rows === undefined && error === null && <LogSkeleton />}
      {rows?.length === 0 && <NoMessages filters={filters} />}
      <div {...handlers}>
        <NewRowsButton {...news} label={showNewMessages} onShow={showNews} />
        {rows !== undefined && rows.length > 0 && (
          <LogTable rows={rows} openId={search.open} older={older} selection={mayChange ? selection : undefined} />
        )}
      </div>
      {error !== null && <FailureNotice title={t("Could not load the messages")} error={error} onRetry={retry} />}
      {mayChange && <SelectedMessages selection={selection} filters={filters} isMoreThere={older.isThere} />}
      <MessageDrawer id={search.open} rows={rows ?? []} />
    </Stack>
  );
}

const noRows: LogRow[] = [];

/** Older messages load when fewer rows than this are left below. */
const fewLeft = 30;

interface LogTableProps {
  rows: LogRow[];
  openId: string | undefined;
  older: { isThere: boolean; isComing: boolean; load: () => void };
  /** Absent for people who may change nothing. */
  selection: Selection<LogRow> | undefined;
}

interface Column {
  /** By which the style sheet knows it; one without is shown on wide screens alone. */
  name?: string;
  label: string;
  /** On a wide screen and on a middling one; absent where it stands below the column before it. */
  widths?: [wide: string, middling: string];
  cell: (row: LogRow, site: string) => ReactNode;
  /** What a cell shows on hover; its text by default. */
  title?: (row: LogRow) => string;
}

const columns: Column[] = [
  { name: "time", label: t("Time"), widths: ["9rem", "7.5rem"], cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: "status", label: t("Status"), widths: ["7.25rem", "7.25rem"], cell: ({ status }) => <StatusBadge status={status} /> },
  {
    name: "to",
    label: t("To"),
    widths: ["8.75rem", "8.75rem"],
    cell: ({ id, toPhone }) => (
      <Link to={paths.log} search={changeLogSearch({ open: id })} resetScroll={false} tabIndex={-1} className={classes["link"]}>
        {toPhone}
      </Link>
    ),
  },
  { name: "event", label: t("Event"), widths: ["1fr", "0.9fr"], cell: ({ event }) => event },
  { name: "site", label: t("Site"), cell: (_, site) => site },
  {
    name: "template",
    label: t("Template"),
    widths: ["1.3fr", "1fr"],
    cell: ({ template, language }) => (
      <>
        {template} <span className={classes["quiet"]}>{language}</span>
      </>
    ),
    title: ({ template, language }) => `${template} (${language})`,
  },
  { name: "what", label: t("What happened"), widths: ["2.6fr", "2fr"], cell: describeWhat },
];

const widthsOf = (screen: 0 | 1): string => columns.flatMap(({ widths }) => widths?.[screen] ?? []).join(" ");
const widths = { "--wide": widthsOf(0), "--middling": widthsOf(1) } as CSSProperties;

/** Draws only the rows in sight, so that thousands of rows stay fast. */
function LogTable({ rows, openId, older, selection }: LogTableProps) {
  const siteName = useSiteName();
  const body = useRef<HTMLDivElement>(null);
  const { activeIndex, movedTo, onKeyDown, onRowFocus } = useRowKeys(rows, body);
  const { height, drawn, lastInSight } = useDrawnRows(body, { count: rows.length, activeIndex, movedTo });
  const isOlderWanted = older.isThere && !older.isComing && rows.length - lastInSight < fewLeft;
  useEffect(() => {
    if (isOlderWanted) older.load();
  }, [isOlderWanted, older]);
  return (
    <Card
      withBorder
      padding={0}
      className={classes["card"] ?? ""}
      style={widths}
      role="grid"
      aria-label={t("Messages")}
      aria-rowcount={older.isThere ? -1 : rows.length + 1}
      aria-multiselectable={selection !== undefined}
      data-choosable={selection !== undefined}
      onKeyDown={(event) => {
        if (selection !== undefined) chooseByKey(event, selection, rows, activeIndex);
        if (!event.defaultPrevented) onKeyDown(event);
      }}
    >
      <Headings selection={selection} />
      <div role="rowgroup" ref={body} className={classes["body"]} style={{ height }}>
        {drawn.map(({ index, top }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const isActive = index === activeIndex;
          const place = { index, top, isActive, isOpen: row.id === openId, site: siteName(row.siteId) };
          const choice = { isChosen: selection?.has(row.id), onChoose: selection?.toggle };
          return <LogTableRow key={row.id} row={row} {...place} {...choice} onFocus={onRowFocus} />;
        })}
      </div>
      {older.isThere && <LoadingOlder />}
    </Card>
  );
}

/** Space chooses the row, with Shift all rows since the last one; Shift and an arrow also the next row. */
function chooseByKey(event: KeyboardEvent, selection: Selection<LogRow>, rows: LogRow[], activeIndex: number): void {
  const [row, next] = [rows[activeIndex], rows[activeIndex + (event.key === "ArrowUp" ? -1 : 1)]];
  if (row === undefined || event.target instanceof HTMLInputElement) return;
  if (event.key === " ") {
    event.preventDefault();
    selection.toggle(row.id, event.shiftKey);
  } else if (event.shiftKey && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    for (const each of [row, next]) if (each !== undefined && !selection.has(each.id)) selection.toggle(each.id, false);
  }
}

function Headings({ selection }: Pick<LogTableProps, "selection">) {
  return (
    <div role="rowgroup" className={classes["heads"]}>
      <div role="row" aria-rowindex={1} className={classes["columns"]}>
        {selection !== undefined && (
          <div role="columnheader" data-column="select">
            <ShownCheckbox selection={selection} />
          </div>
        )}
        {columns.map(({ name, label }, index) => (
          <div key={index} role="columnheader" data-column={name}>
            {label}
          </div>
        ))}
      </div>
    </div>
  );
}

function LoadingOlder() {
  return (
    <div role="rowgroup">
      <Text size="sm" c="dimmed" p="sm" ta="center" component="div" role="row">
        <span role="gridcell">{t("Loading older messages…")}</span>
      </Text>
    </div>
  );
}

interface LogTableRowProps {
  row: LogRow;
  site: string;
  index: number;
  /** In pixels below the first row. */
  top: number;
  /** The row that Tab reaches. */
  isActive: boolean;
  isOpen: boolean;
  /** Undefined for people who may choose none. */
  isChosen: boolean | undefined;
  onChoose: ((id: string, isRange: boolean) => void) | undefined;
  onFocus: (id: string) => void;
}

/** A click anywhere on the row follows its link. */
const LogTableRow = memo(function LogTableRow({ row, site, index, top, isActive, isOpen, isChosen, onChoose, onFocus }: LogTableRowProps) {
  const { id, toPhone, status, resentAs } = row;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      aria-current={isOpen}
      data-failed={status === "failed" && resentAs === null}
      tabIndex={isActive ? 0 : -1}
      className={`${classes["columns"]} ${classes["row"]}`}
      style={{ transform: `translateY(${top}px)` }}
      onFocus={() => onFocus(id)}
      onClick={onClick}
      onKeyDown={onKeyDown}
    >
      {isChosen !== undefined && (
        <div role="gridcell" data-column="select">
          <RowCheckbox
            aria-label={t("Select message to {toPhone}", { toPhone })}
            tabIndex={-1}
            isChosen={isChosen}
            onChoose={(isRange) => onChoose?.(id, isRange)}
          />
        </div>
      )}
      {columns.map(({ name, cell, title }, index) => {
        const shown = cell(row, site);
        return (
          <div key={index} role="gridcell" data-column={name} title={title?.(row) ?? (typeof shown === "string" ? shown : undefined)}>
            {shown}
          </div>
        );
      })}
    </div>
  );
});

/** Ignores clicks on the link itself, on the row's checkbox, and clicks that end a text selection. */
function onClick({ target, currentTarget }: MouseEvent<HTMLElement>): void {
  const isOnLink = target instanceof Element && target.closest("a, [data-column='select']") !== null;
  if (!isOnLink && window.getSelection()?.isCollapsed !== false) followLink(currentTarget);
}

function onKeyDown({ key, target, currentTarget }: KeyboardEvent<HTMLElement>): void {
  if (key === "Enter" && target === currentTarget) followLink(currentTarget);
}

const followLink = (row: HTMLElement) => row.querySelector("a")?.click();

/** The thing that a message waits for, or the reason why it was stopped. */
function describeWaiting({ status, dueAt, nextAttemptAt, tries, explanation, heldAt }: LogRow): string | null {
  if (heldAt !== null) return t("Held by WhatsApp");
  if (isDropped(status)) return explanation && toldExplanation(explanation);
  if (status === "scheduled")
    return dueAt === null ? t("waits until its site resumes sending") : t("due {dueAt}", { dueAt: formatRelative(dueAt) });
  return status === "queued" && nextAttemptAt !== null && tries.length > 0
    ? t("refused: {title}; next attempt {nextAttemptAt}", {
        title: translated(tries.at(-1)?.title ?? ""),
        nextAttemptAt: formatRelative(nextAttemptAt),
      })
    : null;
}

function describeWhat(row: LogRow): string {
  const { status, errorCode, explanation, noNews, resentAs, resendOf } = row;
  // Our own reasons name the variable or the template; the platform's codes are explained.
  const why = /^\d/u.test(errorCode ?? "") ? explanation && translated(explanation.text) : toldReason(row);
  const texts = [
    status === "failed" ? (why ?? errorCode) : describeWaiting(row),
    noNews ? t("No delivery report, probably dropped") : null,
  ];
  // A reason is a whole sentence, behind which these stand.
  const marks = [resendOf === null ? null : t("(Resend)"), resentAs === null ? null : t("(Resent)")];
  return [texts.filter((each) => each !== null).join("; "), ...marks].filter((each) => each !== null && each !== "").join(" ");
}

const rows = Array.from({ length: 12 }, (_, index) => index);

function LogSkeleton() {
  return (
    <Card withBorder padding={0} role="status" aria-label={t("Loading the messages")}>
      {rows.map((row) => (
        <div key={row} className={classes["placeholder"]}>
          <Skeleton height={12} />
        </div>
      ))}
    </Card>
  );
}

function NoMessages({ filters }: { filters: LogFilters }) {
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return <Card withBorder>{isFiltered ? <NothingFits filters={filters} /> : <HowToBegin />}</Card>;
}

function NothingFits({ filters }: { filters: LogFilters }) {
  return (
    <EmptyState title={t("No messages match these filters")}>
      {filters.search !== undefined && <LookElsewhere search={filters.search} filters={filters} from="log" />}
      <TextLink to={paths.log}>{t("Clear filters")}</TextLink>
    </EmptyState>
  );
}

function HowToBegin() {
  return (
    <EmptyState title={t("No messages yet")}>
      <Rich
        text={t(
          "Messages appear here once an event matches a binding that is switched on. <0>Get started</0> leads you there. <1>Events</1> lists events that sent nothing, with the reason.",
        )}
      >
        <TextLink to={paths.gettingStarted} />
        <TextLink to={paths.events} />
      </Rich>
    </EmptyState>
  );
}

function RowKeysHint() {
  return (
    <Text size="xs" c="dimmed" className={classes["keys"] ?? ""}>
      <Rich text={t("<0>J</0> <1>K</1> to move, <2>Enter</2> to open, <3>Space</3> to select, <4>Esc</4> to close")}>
        <Kbd size="xs" />
        <Kbd size="xs" />
        <Kbd size="xs" />
        <Kbd size="xs" />
        <Kbd size="xs" />
      </Rich>
    </Text>
  );
}

const showNewMessages = (count: number, more: boolean): string =>
  more ? t("Show {count}+ new messages", { count }) : t("{count, plural, one {Show # new message} other {Show # new messages}}", { count });
