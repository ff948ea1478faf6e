import { Group } from "@mantine/core";
import { paths } from "../../../paths.ts";
import { useSiteName } from "../../../pickers/use-site-name.ts";
import type { Outputs } from "../../../trpc.ts";
import { type Column, DataTable } from "../../../ui/data-table.tsx";
import { LabelBadge } from "../../../ui/label-badge.tsx";
import { Moment } from "../../../ui/moment.tsx";
import { TextLink } from "../../../ui/text-link.tsx";
import { changeEventsSearch } from "../events-search.ts";
import { EventBadges } from "./event-badges.tsx";
import { outcomeWords } from "./outcome-words.ts";

export type ListedEvent = Outputs["events"]["list"]["items"][number];

const columns = (siteName: (id: string) => string): Column<ListedEvent>[] => [
  { name: "Event", kind: "title", cell: (event) => <Name {...event} /> },
  { name: "Outcome", kind: "short", cell: (event) => <OutcomeBadge {...event} /> },
  { name: "Site", cell: ({ siteId }) => siteName(siteId) },
  { name: "Order", kind: "short", cell: ({ orderId }) => orderId !== null && <OrderLink orderId={orderId} /> },
  { name: "Received", kind: "short", cell: ({ receivedAt }) => <Moment at={receivedAt} seconds /> },
];

export function EventTable({ events }: { events: ListedEvent[] }) {
  return <DataTable label="Events" columns={columns(useSiteName())} rows={events} rowKey={({ id }) => id} />;
}

function Name({ id, name, test, dryRun }: ListedEvent) {
  return (
    <Group gap="xs">
      <TextLink to={paths.events} search={changeEventsSearch({ open: id })} resetScroll={false}>
        {name}
      </TextLink>
      <EventBadges test={test} dryRun={dryRun} />
    </Group>
  );
}

export function OutcomeBadge(event: Parameters<typeof outcomeWords>[0]) {
  const { text, color } = outcomeWords(event);
  return <LabelBadge color={color}>{text}</LabelBadge>;
}

export function OrderLink({ orderId }: { orderId: string }) {
  return (
    <TextLink to={paths.order} params={{ orderId }}>
      Timeline
    </TextLink>
  );
}
