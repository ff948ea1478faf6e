import type { ReactNode } from "react";
import { isDropped, type NotificationStatus, statusFacts, statusRank, type Tone } from "shared/core/message";
import { formatParts, formatTime } from "../../format.ts";
import { t, translated } from "../../language.ts";
import type { Outputs } from "../../trpc.ts";
import { breakable, Moment, LabelBadge, Status } from "../../ui/base/facts.tsx";
import { useSiteLabel } from "../../ui/base/site-names.tsx";
import { openHere } from "../../ui/list/detail-drawer.tsx";
import { type Column, DataTable } from "../../ui/table/data-table.tsx";
import type { Selection } from "../../ui/table/selection.tsx";
import labels from "./labels.json";
import classes from "../../ui/base/ui.module.css";

export type ListedEvent = Outputs["events"]["list"]["items"][number];

const columns = (siteLabel: (id: string) => ReactNode): Column<ListedEvent>[] => [
  { name: t("Time"), kind: "short", cell: ({ receivedAt }) => <Moment at={receivedAt} /> },
  {
    name: t("Event"),
    kind: "title",
    isNarrow: true,
    cell: (event) => (
      <span className={classes["named"]} title={formatParts([event.name, event.test && t("test"), event.dryRun && t("dry run")], " ")}>
        <span>{breakable(event.name)}</span> <EventBadges {...event} />
      </span>
    ),
  },
  { name: t("Outcome"), kind: "status", cell: (event) => <OutcomeBadge {...event} /> },
  { name: t("Person"), cell: recipientOf },
  { name: t("Order"), kind: "short", cell: ({ orderNumber }) => orderNumber },
  { name: t("Site"), kind: "short", cell: ({ siteId }) => siteLabel(siteId) },
];

interface EventTableProps {
  events: ListedEvent[];
  hasMore: boolean;
  /** Absent for people who may change nothing. */
  selection?: Selection<ListedEvent> | undefined;
}

export function EventTable({ events, hasMore, selection }: EventTableProps) {
  const nameOf = ({ name, receivedAt }: ListedEvent) => t("{name} of {receivedAt}", { name, receivedAt: formatTime(receivedAt) });
  return (
    <DataTable
      label={t("Events")}
      columns={columns(useSiteLabel())}
      rows={events}
      {...(hasMore && { count: -1 })}
      rowKey={({ id }) => id}
      rowLink={({ id }) => openHere(id)}
      choice={selection && { selection, nameOf }}
    />
  );
}

export function OutcomeBadge(event: Parameters<typeof describeOutcome>[0]) {
  const { text, tone } = describeOutcome(event);
  return <Status tone={tone}>{text}</Status>;
}

type Recipients = Pick<ListedEvent, "customer" | "recipient" | "recipients" | "isToCustomer">;

/** The person of the event: the customer, and the phone that gets the message, which stands beside the name only where it is theirs. */
export function recipientOf({ customer, recipient, recipients, isToCustomer }: Recipients): string {
  const shown = customer === null || isToCustomer !== false ? recipient : null;
  const value = recipients - Number(shown !== null);
  if (shown === null && value > 0) return formatParts([customer, t("to {value, plural, one {# other} other {# others}}", { value })]);
  return formatParts([customer, shown, value > 0 && t("and {value, plural, one {# other} other {# others}}", { value })], " ");
}

/** Marks tests and dry runs. */
export const EventBadges = ({ test, dryRun }: { test: boolean; dryRun: boolean }) => (
  <>
    {test && <LabelBadge>{t("test")}</LabelBadge>} {dryRun && <LabelBadge>{t("dry run")}</LabelBadge>}
  </>
);

/** `recipientsScheduled`: the messages that wait for their time now. */
type Answered = Pick<ListedEvent, "chat" | "dryRun" | "recipientsSent" | "recipientsFailed" | "recipientsScheduled"> & {
  /** Those of its messages; a server of an earlier version does not tell them. */
  statuses?: readonly NotificationStatus[];
};

export type Outcome = { text: string; tone: Tone };

/** The result of an event that was answered while all its messages waited. */
function describeScheduled({ dryRun, recipientsSent: sent, recipientsFailed: failed, recipientsScheduled: waiting }: Answered): Outcome {
  if (dryRun) return { text: t("Would be scheduled"), tone: "waiting" };
  if (waiting > 0) return { text: t("{waiting, plural, one {# message} other {# messages}} scheduled", { waiting }), tone: "waiting" };
  if (sent > 0)
    return {
      text:
        failed > 0
          ? t("{sent} of {value} sent", { sent, value: sent + failed })
          : t("{sent, plural, one {# message} other {# messages}} sent", { sent }),
      tone: failed > 0 ? "attention" : statusFacts.sent.tone,
    };
  return failed > 0 ? { text: t("Failed"), tone: "failed" } : { text: t("Was scheduled"), tone: "waiting" };
}

/** How the event was answered, in the tone of what its messages have reached since; in words where all have reached the same. */
export function describeOutcome(event: Answered): Outcome {
  const told = describeAnswer(event);
  const reached = (event.statuses ?? [])
    .filter((status) => !isDropped(status))
    .toSorted((one, other) => statusRank(one) - statusRank(other));
  const [least] = reached;
  if (least === undefined || event.dryRun || event.recipientsSent === 0 || event.recipientsScheduled > 0) return told;
  if (reached.length > 1) return { ...told, tone: reached.includes("failed") ? "attention" : statusFacts[least].tone };
  return { text: least === "sent" ? told.text : `${told.text} · ${translated(least)}`, tone: statusFacts[least].tone };
}

function describeAnswer(event: Answered): Outcome {
  const { chat, dryRun, recipientsSent: sent, recipientsFailed: failed } = event;
  if (chat === null) return { text: t("In progress"), tone: "waiting" };
  if (chat === "scheduled") return describeScheduled(event);
  const lessSent = t("{sent} of {value} sent", { sent, value: sent + failed });
  const answers: Partial<Record<string, [text: string, ofDryRun: string, tone: Tone]>> = {
    accepted: [t("Queued"), t("Would be queued"), "waiting"],
    sent: [t("{sent, plural, one {# message} other {# messages}} sent", { sent }), t("Would be sent"), statusFacts.sent.tone],
    partial: [lessSent, t("Would be partly sent"), "attention"],
    failed: [t("Failed"), t("Would fail"), "failed"],
  };
  const [text, ofDryRun, tone] = answers[chat] ?? skipped(chat);
  return { text: dryRun ? ofDryRun : text, tone };
}

/** Why it sends nothing, live or not. */
function skipped(chat: string): [string, string, Tone] {
  const text = translated((labels as Partial<Record<string, string>>)[chat] ?? chat);
  return [text, text, chat === "skipped_no_config" || chat === "skipped_no_phone" ? "attention" : "waiting"];
}
