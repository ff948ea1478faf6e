import { Group, Stack, Switch, Text } from "@mantine/core";
import { useState } from "react";
import { PagedList } from "../../../ui/states/paged-list.tsx";
import type { EventFilters } from "../events-search.ts";
import { EventTable } from "./event-table.tsx";
import { NoEvents } from "./no-events.tsx";
import { useLiveEvents } from "./use-live-events.ts";

export function EventList({ filters }: { filters: EventFilters }) {
  const [isLive, setLive] = useState(true);
  const { events, isLost } = useLiveEvents(filters, isLive);
  return (
    <Stack gap="xs">
      <Group gap="sm" justify="flex-end">
        <Text size="sm" c="dimmed" role="status">
          {isLost && "The connection was lost. Trying again…"}
        </Text>
        <Switch label="Live" checked={isLive} onChange={(event) => setLive(event.currentTarget.checked)} />
      </Group>
      <PagedList query={events} what="the events" empty={<NoEvents filters={filters} />}>
        {(items) => <EventTable events={items} />}
      </PagedList>
    </Stack>
  );
}
