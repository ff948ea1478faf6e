import { Stack } from "@mantine/core";
import { useRef, useState } from "react";
import { LiveHead } from "../../../ui/news/live-head.tsx";
import { NewsPill } from "../../../ui/news/news-pill.tsx";
import { useReading } from "../../../ui/news/use-reading.ts";
import { PagedList } from "../../../ui/states/paged-list.tsx";
import type { EventFilters } from "../events-search.ts";
import { EventTable } from "./event-table.tsx";
import { NoEvents } from "./no-events.tsx";
import { useLiveEvents } from "./use-live-events.ts";

export function EventList({ filters }: { filters: EventFilters }) {
  const top = useRef<HTMLDivElement>(null);
  const [isLive, setLive] = useState(true);
  const { isReading, handlers } = useReading(top);
  const { events, news, look, isLost } = useLiveEvents(filters, { isLive, isReading });
  const showNews = () => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    top.current?.scrollIntoView({ block: "start" });
    look();
  };
  return (
    <Stack gap="xs" pos="relative">
      <LiveHead ref={top} isLive={isLive} onLive={setLive} isLost={isLost} />
      <NewsPill {...news} what="event" onShow={showNews} />
      <div {...handlers}>
        <PagedList query={events} what="the events" empty={<NoEvents filters={filters} />}>
          {(items) => <EventTable events={items} />}
        </PagedList>
      </div>
    </Stack>
  );
}
