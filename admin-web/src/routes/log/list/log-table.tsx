import { Card, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import { useSiteName } from "../../../pickers/use-site-name.ts";
import { LogTableRow } from "./log-table-row.tsx";
import { useDrawnRows } from "./use-drawn-rows.ts";
import type { LogRow } from "./use-log.ts";
import { useRowKeys } from "./use-row-keys.ts";
import classes from "./log-table.module.css";

const columns = ["Time", "Status", "To", "Event", "Site", "Template", "What happened"];
/** Older messages are fetched when so few rows are left below. */
const fewLeft = 30;

interface LogTableProps {
  rows: LogRow[];
  openId: string | undefined;
  older: { isThere: boolean; isComing: boolean; load: () => void };
}

/** Draws only the rows that are in sight, so that thousands stay as quick as a few. */
export function LogTable({ rows, openId, older }: LogTableProps) {
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
