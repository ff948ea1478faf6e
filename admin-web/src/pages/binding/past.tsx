import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatCount, formatMoment, formatTime } from "../../format.ts";
import { t } from "../../language.ts";
import { pages } from "../../paths.ts";
import { type Outputs, trpcClient } from "../../trpc.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { Dimmed, Pending } from "../../ui/base/page.tsx";
import { type Column, DataTable } from "../../ui/table/data-table.tsx";
import type { SavedBinding } from "./draft.ts";
import classes from "./binding.module.css";

interface Tried {
  input: SavedBinding;
  /** Absent for a new binding. */
  id: string | undefined;
}

const daysMs = 7 * 86_400_000;
const mostShown = 20;

/** Compares what the stored events of seven days would send with what they would if the form were saved. */
export function Past({ input: { siteId, ...input }, id }: Tried) {
  const [to] = useState(() => Date.now());
  const [from, before] = [new Date(to - daysMs).toISOString(), new Date(to).toISOString()];
  const bindings = [{ ...input, ...(id !== undefined && { id }) }];
  // Whoever closes the dialog ends the work.
  const plan = useQuery({
    queryKey: ["past", to],
    queryFn: ({ signal }) =>
      trpcClient.bindings.plan.mutate({ siteId, bindings, from, to: before, limit: mostShown, only: true }, { signal }),
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  });
  if (plan.data === undefined) return <Pending query={plan} what={t("the dry run")} failure={t("Could not try the binding")} />;
  return <Result plan={plan.data} event={input.event} />;
}

type Plan = Outputs["bindings"]["plan"];

function Result({ plan: { events, unread, messages, samples }, event }: { plan: Plan; event: string }) {
  return (
    <Stack gap="sm">
      <Text role="status">
        {t(
          "{events, plural, one {# event} other {# events}} of {event}: {same, plural, one {# message} other {# messages}} as now, {changed} changed, {added} new, {removed} no longer sent.",
          {
            events,
            event,
            same: messages.same,
            changed: formatCount(messages.changed),
            added: formatCount(messages.added),
            removed: formatCount(messages.removed),
          },
        )}
        {unread > 0 && ` ${t("{unread, plural, one {# event is} other {# events are}} left out: the payload is gone.", { unread })}`}
      </Text>
      <Dimmed>{t("Nothing is sent or stored. Limits for each customer, cancellations and restarts are not tried.")}</Dimmed>
      {samples.length > 0 && <DataTable label={t("Examples")} columns={columns} rows={samples} rowKey={keyOf} />}
    </Stack>
  );
}

type Sample = Plan["samples"][number];

const phoneOf = ({ before, after }: Sample) => (after ?? before)?.phone;

const keyOf = (sample: Sample): string => `${sample.eventId} ${phoneOf(sample)}`;

const columns: Column<Sample>[] = [
  { name: t("Event"), kind: "short", cell: ({ eventId, at }) => <TextLink {...pages.event(eventId)}>{formatTime(at)}</TextLink> },
  { name: t("Recipient"), kind: "short", cell: phoneOf },
  { name: t("Now"), cell: ({ before }) => <Side message={before} /> },
  { name: t("With this binding"), cell: ({ after }) => <Side message={after} /> },
];

function Side({ message }: { message: Sample["before"] }) {
  if (message === null) return <Dimmed inherit>{t("Nothing")}</Dimmed>;
  return (
    <>
      {message.dueAt !== null && <Text size="xs">{t("On {at}", { at: formatMoment(message.dueAt) })}</Text>}
      <Text lineClamp={6} title={message.template} className={classes["around"] ?? ""} style={{ whiteSpace: "pre-wrap" }}>
        {message.text}
      </Text>
    </>
  );
}
