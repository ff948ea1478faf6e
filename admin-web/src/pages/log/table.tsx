import { Stack, Card, Skeleton, Text, Kbd } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useRef, useState, useEffect, type KeyboardEvent, memo, type MouseEvent } from "react";
import { formatRelative } from "../../format.ts";
import { paths } from "../../paths.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { Moment } from "../../ui/facts.tsx";
import { LiveHead, NewRowsButton, useIsReading } from "../../ui/live-list.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { EmptyState } from "../../ui/paged-list.tsx";
import { useSiteName } from "../../ui/pickers.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { MessageDrawer } from "./message-drawer.tsx";
import { filtersOf, type LogSearch, changeLogSearch, type LogFilters } from "./route.ts";
import { useLog, useDrawnRows, type LogRow, useRowKeys } from "./use-log.ts";
import classes from "./log.module.css";

/** The matching messages, newest first, and the open one. */
export function LogList({ search }: { search: LogSearch }) {
  const top = useRef<HTMLDivElement>(null);
  const [isLive, setLive] = useState(true);
  const { isReading, handlers } = useIsReading(top);
  const filters = filtersOf(search);
  const { rows, error, retry, older, news, look, isLost } = useLog(filters, { isLive, isReading });
  const showNews = () => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    top.current?.scrollIntoView({ block: "start" });
    look();
  };
  return (
    <Stack gap="xs" pos="relative">
      <LiveHead ref={top} isLive={isLive} onLive={setLive} isLost={isLost}>
        <RowKeysHint />
      </LiveHead>
      {rows === undefined && error === null && <LogSkeleton />}
      {rows?.length === 0 && <NoMessages filters={filters} />}
      <div {...handlers}>
        <NewRowsButton {...news} what="message" onShow={showNews} />
        {rows !== undefined && rows.length > 0 && <LogTable rows={rows} openId={search.open} older={older} />}
      </div>
      {error !== null && <FailureNotice title="Could not load the messages" error={error} onRetry={retry} />}
      <MessageDrawer id={search.open} rows={rows ?? []} />
    </Stack>
  );
}

const columns = ["Time", "Status", "To", "Event", "Site", "Template", "What happened"];
/** Older messages load when fewer rows than this are left below. */
const fewLeft = 30;

interface LogTableProps {
  rows: LogRow[];
  openId: string | undefined;
  older: { isThere: boolean; isComing: boolean; load: () => void };
}

/** Draws only the rows in sight, so that thousands of rows stay fast. */
function LogTable({ rows, openId, older }: LogTableProps) {
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
      role="grid"
      aria-label="Messages"
      aria-rowcount={older.isThere ? -1 : rows.length + 1}
      onKeyDown={onKeyDown}
    >
      <Headings />
      <div role="rowgroup" ref={body} className={classes["body"]} style={{ height }}>
        {drawn.map(({ index, top }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const isActive = index === activeIndex;
          const place = { index, top, isActive, isOpen: row.id === openId, site: siteName(row.siteId) };
          return <LogTableRow key={row.id} row={row} {...place} onFocus={onRowFocus} />;
        })}
      </div>
      {older.isThere && <LoadingOlder />}
    </Card>
  );
}

function Headings() {
  return (
    <div role="rowgroup" className={classes["heads"]}>
      <div role="row" aria-rowindex={1} className={classes["columns"]}>
        {columns.map((name) => (
          <div key={name} role="columnheader" data-column={name}>
            {name}
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
        <span role="gridcell">Loading older messages…</span>
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
  onFocus: (id: string) => void;
}

/** A click anywhere on the row follows its link. */
const LogTableRow = memo(function LogTableRow({ row, site, index, top, isActive, isOpen, onFocus }: LogTableRowProps) {
  const { id, createdAt, status, toPhone, event, template, language } = row;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isOpen}
      tabIndex={isActive ? 0 : -1}
      className={`${classes["columns"]} ${classes["row"]}`}
      style={{ transform: `translateY(${top}px)` }}
      onFocus={() => onFocus(id)}
      onClick={onClick}
      onKeyDown={onKeyDown}
    >
      <div role="gridcell" data-column="Time">
        <Moment at={createdAt} seconds />
      </div>
      <div role="gridcell" data-column="Status">
        <StatusBadge status={status} />
      </div>
      <div role="gridcell" data-column="To">
        <Link to={paths.log} search={changeLogSearch({ open: id })} resetScroll={false} tabIndex={-1} className={classes["link"]}>
          {toPhone}
        </Link>
      </div>
      <div role="gridcell" data-column="Event" title={event}>
        {event}
      </div>
      <div role="gridcell" data-column="Site" title={site}>
        {site}
      </div>
      <div role="gridcell" data-column="Template" title={`${template} (${language})`}>
        {template} <span className={classes["quiet"]}>{language}</span>
      </div>
      <WhatHappened {...row} />
    </div>
  );
});

/** Ignores clicks on the link itself and clicks that end a text selection. */
function onClick({ target, currentTarget }: MouseEvent<HTMLElement>): void {
  const isOnLink = target instanceof Element && target.closest("a") !== null;
  if (!isOnLink && window.getSelection()?.isCollapsed !== false) followLink(currentTarget);
}

function onKeyDown({ key, target, currentTarget }: KeyboardEvent<HTMLElement>): void {
  if (key === "Enter" && target === currentTarget) followLink(currentTarget);
}

const followLink = (row: HTMLElement) => row.querySelector("a")?.click();

/** What a message waits for, or what stopped it. */
function describeWaiting({ status, dueAt, nextAttemptAt, tries, explanation }: LogRow): string | null {
  if (status === "cancelled") return explanation?.text ?? null;
  if (status === "scheduled") return dueAt === null ? "waits until its site sends again" : `due ${formatRelative(dueAt)}`;
  return status === "queued" && nextAttemptAt !== null && tries.length > 0
    ? `refused: ${tries.at(-1)?.title}; next try ${formatRelative(nextAttemptAt)}`
    : null;
}

function WhatHappened(row: LogRow) {
  const { status, errorReason, errorCode, explanation, noNews, resentAs, resendOf } = row;
  // Our own reasons name the variable or the template; the platform's are explained.
  const why = /^\d/u.test(errorCode ?? "") ? explanation?.text : errorReason;
  const texts = [
    status === "failed" ? (why ?? errorCode) : describeWaiting(row),
    noNews ? "no delivery report, probably dropped" : null,
    resendOf === null ? null : "a resend",
    resentAs === null ? null : "resent",
  ];
  const text = texts.filter((each) => each !== null).join("; ");
  return (
    <div role="gridcell" data-column="What happened" data-failed={status === "failed" && resentAs === null} title={text}>
      {text}
    </div>
  );
}

const rows = Array.from({ length: 12 }, (_, index) => index);

function LogSkeleton() {
  return (
    <Card withBorder padding={0} role="status" aria-label="Loading the messages">
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
  return <Card withBorder>{isFiltered ? <NothingFits hasSearch={filters.search !== undefined} /> : <HowToBegin />}</Card>;
}

function NothingFits({ hasSearch }: { hasSearch: boolean }) {
  return (
    <EmptyState title="No messages match these filters">
      {hasSearch && "Search by a full phone number, a WhatsApp message ID, or the ID of a message, an event or an order. "}
      <TextLink to={paths.log}>Clear filters</TextLink>
    </EmptyState>
  );
}

function HowToBegin() {
  return (
    <EmptyState title="No messages yet">
      Messages show here once an event matches a binding that is switched on. <TextLink to={paths.gettingStarted}>Get started</TextLink>{" "}
      leads you there. <TextLink to={paths.events}>Events</TextLink> lists events that sent nothing, with the reason.
    </EmptyState>
  );
}

function RowKeysHint() {
  return (
    <Text size="xs" c="dimmed" className={classes["keys"] ?? ""}>
      <Kbd size="xs">J</Kbd> <Kbd size="xs">K</Kbd> to move, <Kbd size="xs">Enter</Kbd> to open, <Kbd size="xs">Esc</Kbd> to close
    </Text>
  );
}
