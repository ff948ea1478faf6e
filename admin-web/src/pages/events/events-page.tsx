import { useSearch } from "@tanstack/react-router";
import { type EventOutcome, eventOutcomes } from "shared/core/event";
import { describeReason } from "shared/core/reason";
import { readUnreachedKey } from "shared/core/unreached";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { DialogButton } from "../../ui/base/dialogs.tsx";
import { tableOf } from "../../ui/base/labels.ts";
import { later, part } from "../../ui/base/later.tsx";
import { Page, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { useModeOf } from "../../ui/base/site-mode.ts";
import { useCount } from "../../ui/list/count.ts";
import { DetailDrawer } from "../../ui/list/detail-drawer.tsx";
import { type Filter, FilterBar } from "../../ui/list/filter-bar.tsx";
import { exactFirst, isFiltered, onlyFilter, typedFilter, useCommonFilters, useSoughtWords } from "../../ui/list/list-filters.tsx";
import { ListHead, matchesOf } from "../../ui/list/list-head.tsx";
import { LiveFrame, useTailedList } from "../../ui/list/live-list.tsx";
import { daySpan, searchOneOf } from "../../ui/list/search-params.ts";
import { tellState, useToday } from "../../ui/list/state-line.ts";
import { PagedList, GetStarted } from "../../ui/table/data-table.tsx";
import { useChooseLoaded, useSelection, type Selection, SelectionBar, type SelectionBarProps } from "../../ui/table/selection.tsx";
import { EventTable, type ListedEvent } from "./event-table.tsx";
import labels from "./labels.json";
import { type EventFilters, type EventsSearch, readEventsSearch } from "./route.ts";

const ResendForm = part(async () => (await import("../../ui/message/resend.tsx")).ResendForm);
const LookElsewhere = later(async () => (await import("../log/look-elsewhere.tsx")).LookElsewhere);
const EventDetail = part(async () => (await import("./event-drawer.tsx")).EventDetail);

export function EventsPage() {
  const search = useSearch({ from: `/signed-in${paths.events}` });
  const { open, ...filters } = search;
  return (
    <Page title={t("Events")} lead={useStateLine()}>
      <FilterBar search={search} read={readEventsSearch} placeholder={useSoughtWords()} filters={useFilters(search)} views="events" />
      <EventList filters={filters} open={open} />
    </Page>
  );
}

/** What came today, what of it no binding is for, and what reached nobody, at the sites that are shown. */
function useStateLine() {
  const today = useToday();
  const came = useCount("events.count", today).data;
  const unreached = useCount("events.count", { ...today, unreached: "any" }).data;
  const unbound = useCount("events.count", { ...today, outcome: "no_bindings" }).data;
  const isNone = came === undefined || unbound === undefined || came.total <= unbound.total;
  return tellState("events", { came, unbound, unreached: !isNone && unreached });
}

function useFilters({ unreached }: EventsSearch): Filter<EventsSearch>[] {
  const common = useCommonFilters<EventsSearch>();
  const reason = readUnreachedKey(unreached ?? "");
  return [
    common.site,
    common.event,
    { name: "outcome", label: t("Outcome"), options: eventOutcomes.map((value) => ({ value, label: outcomeLabels[value] })) },
    common.tests,
    onlyFilter("dryRun", t("Dry runs")),
    common.testSites,
    {
      name: "unreached",
      label: t("Without a recipient"),
      options: [
        { value: "any", label: t("For any reason") },
        ...(reason === null ? [] : [{ value: unreached ?? "", label: describeReason(reason, t) }]),
      ],
    },
    typedFilter("orderId", t("Order ID")),
    ...common.phone,
    common.period,
  ];
}

const outcomeLabels: Record<EventOutcome, string> = tableOf(labels);

const pageSize = 50;

function EventList({ filters: given, open }: { filters: EventFilters; open: string | undefined }) {
  const filters = useModeOf(given);
  const outcome = searchOneOf(eventOutcomes, filters.outcome);
  const input = { ...filters, ...daySpan(filters), outcome };
  const { query, frame } = useTailedList("events.list", { ...input, limit: pageSize }, { siteId: filters.siteId });
  const rows = exactFirst(query.data?.pages.flatMap(({ items }) => items) ?? [], filters.search);
  const counted = matchesOf(useCount("events.count", input).data, query, rows.length);
  const selection = useSelection(rows, JSON.stringify(filters));
  const all = useChooseLoaded(query, selection);
  const mayChange = useMay("operator");
  return (
    <>
      <LiveFrame frame={frame} head={rows.length > 0 && <ListHead count={counted} />}>
        <PagedList
          query={query}
          what={t("the events")}
          empty={<NoEvents />}
          filtered={isFiltered(given) && (filters.search === undefined ? null : <LookElsewhere filters={filters} from="events" />)}
        >
          {() => <EventTable events={rows} hasMore={query.hasNextPage} selection={mayChange ? selection : undefined} />}
        </PagedList>
      </LiveFrame>
      {mayChange && <SelectedEvents selection={selection} all={all} />}
      <DetailDrawer title={t("Event")} id={open} rows={rows}>
        {(id) => <EventDetail id={id} />}
      </DetailDrawer>
    </>
  );
}

const NoEvents = () => (
  <EmptyState title={t("No events yet")} action={<GetStarted />}>
    {t("Post a signed event to the gateway; it appears here at once with its result. Get started has code to copy, with your site's key.")}
  </EmptyState>
);

/** Resends the failed messages of the chosen events. */
const SelectedEvents = ({ selection, all }: Pick<SelectionBarProps, "all"> & { selection: Selection<ListedEvent> }) => (
  <SelectionBar selection={selection} what="event" all={all}>
    <DialogButton size="compact-sm" label={t("Resend failed messages…")} title={t("Resend failed messages")} isWide>
      {(close) => <ResendForm filter={{ eventIds: selection.ids }} onClose={close} />}
    </DialogButton>
  </SelectionBar>
);
