import { Stack } from "@mantine/core";
import { useRef, useState } from "react";
import { LiveHead } from "../../../ui/news/live-head.tsx";
import { NewsPill } from "../../../ui/news/news-pill.tsx";
import { useReading } from "../../../ui/news/use-reading.ts";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import { filtersOf } from "../log-filter.ts";
import type { LogSearch } from "../log-search.ts";
import { MessageDrawer } from "../message/message-drawer.tsx";
import { LogSkeleton } from "./log-skeleton.tsx";
import { LogTable } from "./log-table.tsx";
import { NoMessages } from "./no-messages.tsx";
import { RowKeysHint } from "./row-keys-hint.tsx";
import { useLog } from "./use-log.ts";

/** The messages that fit the filters, newest first, and the one that is open. */
export function LogList({ search }: { search: LogSearch }) {
  const top = useRef<HTMLDivElement>(null);
  const [isLive, setLive] = useState(true);
  const { isReading, handlers } = useReading(top);
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
      <NewsPill {...news} what="message" onShow={showNews} />
      {rows === undefined && error === null && <LogSkeleton />}
      {rows?.length === 0 && <NoMessages filters={filters} />}
      <div {...handlers}>{rows !== undefined && rows.length > 0 && <LogTable rows={rows} openId={search.open} older={older} />}</div>
      {error !== null && <FailureNotice title="Could not load the messages" error={error} onRetry={retry} />}
      <MessageDrawer id={search.open} rows={rows ?? []} />
    </Stack>
  );
}
