import { Group } from "@mantine/core";
import { formatCountOf } from "../../format.ts";
import { paths } from "../../paths.ts";
import type { Outputs } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Moment } from "../../ui/facts.tsx";
import { useSiteName } from "../../ui/pickers.tsx";
import { LabelBadge } from "../../ui/status-badge.tsx";
import { changeEventsSearch } from "./route.ts";

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

export function OutcomeBadge(event: Parameters<typeof describeOutcome>[0]) {
  const { text, color } = describeOutcome(event);
  return <LabelBadge color={color}>{text}</LabelBadge>;
}

export function OrderLink({ orderId }: { orderId: string }) {
  return (
    <TextLink to={paths.order} params={{ orderId }}>
      Order timeline
    </TextLink>
  );
}

/** Marks tests and dry runs. */
export function EventBadges({ test, dryRun }: { test: boolean; dryRun: boolean }) {
  if (!test && !dryRun) return null;
  return (
    <Group component="span" gap={4} display="inline-flex">
      {test && <LabelBadge color="yellow">test</LabelBadge>}
      {dryRun && <LabelBadge color="violet">dry run</LabelBadge>}
    </Group>
  );
}

interface Answered {
  chat: string | null;
  dryRun: boolean;
  recipientsSent: number;
  recipientsFailed: number;
  /** Those that wait for their time now. */
  recipientsScheduled: number;
}

export interface Outcome {
  text: string;
  color: "teal" | "red" | "yellow" | "gray" | "violet";
}

/** What became of an event that was answered while all its messages waited. */
function describeScheduled({ dryRun, recipientsSent: sent, recipientsFailed: failed, recipientsScheduled: waiting }: Answered): Outcome {
  if (dryRun) return { text: "Would be scheduled", color: "violet" };
  if (waiting > 0) return { text: `${formatCountOf(waiting, "message")} scheduled`, color: "violet" };
  if (sent > 0)
    return {
      text: failed > 0 ? `${sent} of ${sent + failed} sent` : `${formatCountOf(sent, "message")} sent`,
      color: failed > 0 ? "yellow" : "teal",
    };
  return failed > 0 ? { text: "Failed", color: "red" } : { text: "Was scheduled", color: "gray" };
}

export function describeOutcome(event: Answered): Outcome {
  const { chat, dryRun, recipientsSent: sent, recipientsFailed: failed } = event;
  switch (chat) {
    case null:
      return { text: "In progress", color: "gray" };
    case "no_bindings":
      return { text: "No binding matches", color: "gray" };
    case "skipped_conditions":
      return { text: "No binding fired", color: "gray" };
    case "skipped_no_config":
      return { text: "WhatsApp not connected", color: "yellow" };
    case "skipped_no_phone":
      return { text: "No valid phone number", color: "yellow" };
    case "accepted":
      return { text: dryRun ? "Would be queued" : "Queued", color: "gray" };
    case "scheduled":
      return describeScheduled(event);
    case "sent":
      return { text: dryRun ? "Would be sent" : `${formatCountOf(sent, "message")} sent`, color: "teal" };
    case "partial":
      return { text: dryRun ? "Would be partly sent" : `${sent} of ${sent + failed} sent`, color: "yellow" };
    case "failed":
      return { text: dryRun ? "Would fail" : "Failed", color: "red" };
    default:
      return { text: chat, color: "gray" };
  }
}
