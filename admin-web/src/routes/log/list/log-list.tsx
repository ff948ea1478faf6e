import { Stack } from "@mantine/core";
import { useRef, useState } from "react";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import { filtersOf } from "../log-filter.ts";
import type { LogSearch } from "../log-search.ts";
import { MessageDrawer } from "../message/message-drawer.tsx";
import { ListHead } from "./list-head.tsx";
import { LogSkeleton } from "./log-skeleton.tsx";
import { LogTable } from "./log-table.tsx";
import { NewsPill } from "./news-pill.tsx";
import { NoMessages } from "./no-messages.tsx";
import { useLog } from "./use-log.ts";
import { useScrolledPast } from "./use-scrolled-past.ts";

/** The messages that fit the filters, newest first, and the one that is open. */
export function LogList({ search }: { search: LogSearch }) {
  const top = useRef<HTMLDivElement>(null);
  const [isLive, setLive] = useState(true);
  const [isRowFocused, setRowFocused] = useState(false);
  const isReading = useScrolledPast(top) || isRowFocused;
  const filters = filtersOf(search);
  const { rows, error, retry, older, news, look, isLost } = useLog(filters, { isLive, isReading });
  const showNews = () => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    top.current?.scrollIntoView({ block: "start" });
    look();
  };
  return (
    <Stack gap="xs" pos="relative">
      <ListHead ref={top} isLive={isLive} onLive={setLive} isLost={isLost} />
      <NewsPill {...news} onShow={showNews} />
      {rows === undefined && error === null && <LogSkeleton />}
      {rows?.length === 0 && <NoMessages filters={filters} />}
      {rows !== undefined && rows.length > 0 && <LogTable rows={rows} openId={search.open} older={older} onReading={setRowFocused} />}
      {error !== null && <FailureNotice title="Could not load the messages" error={error} onRetry={retry} />}
      <MessageDrawer id={search.open} rows={rows ?? []} />
    </Stack>
  );
}
