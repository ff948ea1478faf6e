import { Stack } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { formatWhen } from "../../format.ts";
import { t } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { ButtonLink, TextLink } from "../../ui/base/buttons.tsx";
import { Due, Moment, StatusBadge } from "../../ui/base/facts.tsx";
import { part } from "../../ui/base/later.tsx";
import { Page, rich, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { useModeOf } from "../../ui/base/site-mode.ts";
import { useSiteLabel } from "../../ui/base/site-names.tsx";
import { counting, useCount } from "../../ui/list/count.ts";
import { DetailDrawer, openHere } from "../../ui/list/detail-drawer.tsx";
import { FilterBar } from "../../ui/list/filter-bar.tsx";
import { isFiltered, onlyFilter, useCommonFilters, useSoughtWords } from "../../ui/list/list-filters.tsx";
import { useLiveList } from "../../ui/list/live-list.tsx";
import { PagedTable } from "../../ui/list/paged-table.tsx";
import { tellState } from "../../ui/list/state-line.ts";
import { Customer } from "../../ui/message/customer-link.tsx";
import { listedOf, usePausedSites } from "../../ui/message/use-hold.ts";
import { ManyWaitingButton, useManyWaiting, WaitingActions } from "../../ui/message/waiting-actions.tsx";
import { type Column, buttonsOf } from "../../ui/table/data-table.tsx";
import { allThatMatch, type SelectedProps, SelectionBar, useSelection } from "../../ui/table/selection.tsx";
import { readScheduledSearch, type ScheduledFilters } from "./route.ts";

export function ScheduledPage() {
  const search = useSearch({ from: `/signed-in${paths.scheduled}` });
  const { open, ...filters } = search;
  const { site, event, template, testSites, phone } = useCommonFilters<ScheduledFilters>();
  return (
    <Page title={t("Scheduled")} lead={useStateLine()}>
      <FilterBar<ScheduledFilters>
        search={search}
        read={readScheduledSearch}
        placeholder={useSoughtWords()}
        filters={[site, event, template, onlyFilter<ScheduledFilters>("due", t("Paused")), testSites, ...phone]}
        views="scheduled"
      />
      <WaitingList filters={filters} open={open} />
    </Page>
  );
}

/** How many wait, and when the next one leaves, at the sites that are shown. */
function useStateLine() {
  const sites = useModeOf({});
  const { scheduled, paused } = trpc.stats.backlog.useQuery(sites, counting).data ?? {};
  const at = trpc.notifications.scheduled.useQuery({ ...sites, due: false, limit: 1 }, counting).data?.items[0]?.dueAt;
  return tellState("scheduled", { scheduled, when: at && formatWhen(at), paused });
}

type WaitingMessage = Outputs["notifications"]["scheduled"]["items"][number];

const MessageDetail = part(async () => (await import("../log/message-drawer.tsx")).MessageDetail);

function WaitingList({ filters: given, open }: { filters: ScheduledFilters; open: string | undefined }) {
  const filters = useModeOf(given);
  const siteLabel = useSiteLabel();
  const mayChange = useMay("operator");
  const paused = usePausedSites().map(({ id }) => id);
  const list = useLiveList("notifications.scheduled", { ...filters, limit: 50 }, { keepsShown: true });
  const counted = useCount("notifications.scheduledCount", filters).data;
  const rows = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const selection = useSelection(rows, JSON.stringify(filters));
  const nameOf = ({ toPhone, template }: WaitingMessage) => t("{template} to {toPhone}", { template, toPhone });
  return (
    <Stack gap="sm">
      <PagedTable
        label={t("Scheduled messages")}
        query={list}
        what={t("the scheduled messages")}
        empty={
          <EmptyState title={t("No scheduled messages")} action={<ButtonLink to={paths.bindings}>{t("Show bindings")}</ButtonLink>}>
            {rich(
              t(
                "A message waits here when its binding has a delay, a date or hours, or when sending is paused for its site. The documentation explains <0>schedules</0>.",
              ),
              <TextLink {...pages.topic("schedules")} />,
            )}
          </EmptyState>
        }
        filtered={isFiltered(given) && null}
        counted={counted && { ...listedOf(counted), note: tellStuck(counted) }}
        columns={columnsOf(siteLabel, mayChange, paused)}
        rowLink={({ id }) => openHere(id)}
        choice={mayChange ? { selection, nameOf } : undefined}
      />
      {mayChange && <SelectedMessages selection={selection} filters={filters} isMoreThere={list.hasNextPage} />}
      <DetailDrawer title={t("Message")} id={open} rows={rows}>
        {(id) => <MessageDetail id={id} />}
      </DetailDrawer>
    </Stack>
  );
}

/** At a paused site resends and retries wait too, which are queued already. */
function tellStuck(count: Outputs["notifications"]["scheduledCount"]): string | undefined {
  const stuck = listedOf(count).total - count.total;
  if (stuck === 0) return undefined;
  return t("{stuck, plural, one {# is queued and cannot be cancelled} other {# are queued and cannot be cancelled}}", { stuck });
}

function SelectedMessages({ selection, filters: { search, ...filters }, isMoreThere }: SelectedProps<WaitingMessage, ScheduledFilters>) {
  const { ids, isAll } = selection;
  const [done, setDone] = useState<string | null>(null);
  const { cancel, send } = useManyWaiting();
  const all = useCount("notifications.scheduledCount", filters, { enabled: isAll });
  const count = isAll ? (all.data?.more === true ? null : all.data?.total) : ids.length;
  const change = (work: () => Promise<number>, tell: (count: number) => string) => async () => {
    setDone(tell(await work()));
    selection.clear();
  };
  return (
    <SelectionBar
      selection={selection}
      what="message"
      // What a text finds is chosen by hand.
      all={search === undefined ? allThatMatch(selection, isMoreThere) : undefined}
      done={done}
    >
      <ManyWaitingButton
        does="send"
        count={count}
        // Leaves out messages that are overdue because their site pauses: they cannot leave.
        onConfirm={change(() => send(isAll ? { ...filters, due: false } : { ids }), toldSent)}
      />
      <ManyWaitingButton
        does="cancel"
        count={count}
        onConfirm={change(() => cancel(isAll ? { ...filters, status: "scheduled" } : { ids }), toldCancelled)}
      />
    </SelectionBar>
  );
}

const toldSent = (count: number) => t("{count, plural, one {# message sent.} other {# messages sent.}}", { count });
const toldCancelled = (count: number) => t("{count, plural, one {# message cancelled.} other {# messages cancelled.}}", { count });

const columnsOf = (siteLabel: (id: string) => ReactNode, mayChange: boolean, paused: readonly string[]): Column<WaitingMessage>[] => [
  { name: t("Due"), kind: "short", cell: ({ dueAt }) => (dueAt === null ? <Due at={null} /> : <Moment at={dueAt} />) },
  { name: t("Customer"), kind: "title", cell: (message) => <Customer {...message} /> },
  { name: t("Order"), kind: "short", cell: ({ orderNumber }) => orderNumber },
  { name: t("Message"), cell: ({ template }) => template },
  { name: t("Event"), cell: ({ event }) => event },
  // At a paused site, messages that are queued or to be tried again wait too.
  { name: t("Status"), kind: "status", cell: ({ status }) => <StatusBadge status={status} /> },
  { name: t("Site"), kind: "short", cell: ({ siteId }) => siteLabel(siteId) },
  ...buttonsOf<WaitingMessage>(
    mayChange,
    (message) => message.status === "scheduled" && <WaitingActions {...message} isPaused={paused.includes(message.siteId)} />,
  ),
];
