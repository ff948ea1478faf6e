import { Button, NativeSelect, TextInput, Stack } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import IconX from "@tabler/icons-react/dist/esm/icons/IconX.mjs";
import { useSearch, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type EventOutcome, eventOutcomes } from "shared/core/event";
import { describeReason } from "shared/core/reason";
import { readUnreachedKey } from "shared/core/unreached";
import { isUuid } from "shared/core/uuid";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { TextLink } from "../../ui/buttons.tsx";
import { DateRange } from "../../ui/date-range.tsx";
import { Dialog } from "../../ui/dialogs.tsx";
import { TextFilter, useTypedFilter } from "../../ui/filters.tsx";
import { LiveHead, NewRowsButton, useEventTail, useList, useLive, onePage, useNewRows } from "../../ui/live-list.tsx";
import { useFollowOperation } from "../../ui/operations.tsx";
import { Page } from "../../ui/page.tsx";
import { PagedList, EmptyState, type PagedQuery } from "../../ui/paged-list.tsx";
import { SiteSelect } from "../../ui/pickers.tsx";
import { ResendForm } from "../../ui/resend.tsx";
import { Rich } from "../../ui/rich.tsx";
import { SavedViews } from "../../ui/saved-views.tsx";
import { daySpan, searchOneOf } from "../../ui/search-params.ts";
import { useChooseLoaded, useSelection, type Selection, SelectionBar, type SelectionBarProps } from "../../ui/selection.tsx";
import { SuggestedFilter } from "../../ui/suggested-filter.tsx";
import { LookElsewhere } from "../log/look-elsewhere.tsx";
import { EventDrawer } from "./event-drawer.tsx";
import { EventTable, type ListedEvent } from "./event-table.tsx";
import { changeEventsSearch, type EventFilters as Filters, type EventFilters } from "./route.ts";
import classes from "./events.module.css";

export function EventsPage() {
  const { open, ...filters } = useSearch({ from: `/signed-in${paths.events}` });
  return (
    <Page title={t("Events")} lead={t("Events from your sites and their results, including tests and dry runs.")}>
      <SavedViews list="events" search={filters} mayWrite={useMay("operator")} />
      <EventFilterBar filters={filters} />
      <EventList filters={filters} />
      <EventDrawer id={open} />
    </Page>
  );
}

const kinds = {
  any: { label: t("Any kind"), flags: {} },
  live: { label: t("Live"), flags: { test: false, dryRun: false } },
  unreached: { label: t("Live, without a recipient"), flags: { unreached: "any" } },
  test: { label: t("Tests"), flags: { test: true } },
  dryRun: { label: t("Dry runs"), flags: { dryRun: true } },
} satisfies Record<string, { label: string; flags: Flags }>;

/** The choices; if the address names a reason why there is no recipient, they include it. */
function kindChoices({ unreached }: EventFilters) {
  const reason = readUnreachedKey(unreached ?? "");
  return Object.entries(kinds).map(([value, { label }]) => ({
    value,
    label: value === "unreached" && reason !== null ? describeReason(reason, t) : label,
  }));
}

/** The filters are kept in the address, so that a view can be shared and reloaded. */
function EventFilterBar({ filters }: { filters: Filters }) {
  const navigate = useNavigate();
  const change = (changes: Parameters<typeof changeEventsSearch>[0]) =>
    void navigate({ to: paths.events, search: changeEventsSearch(changes), replace: true, resetScroll: false });
  const seesPhones = useMay("seePhones");
  return (
    <search aria-label={t("Filters")} className={classes["filters"]}>
      <TextFilter
        label={t("Search")}
        placeholder={seesPhones ? t("Order, name, phone or value") : t("Order or value")}
        value={filters.search}
        onChange={(search) => change({ search })}
      />
      <SiteSelect placeholder={t("Any site")} clearable value={filters.siteId ?? null} onChange={(siteId) => change({ siteId })} />
      <SuggestedFilter
        label={t("Event")}
        placeholder={t("Any event")}
        field="event"
        within={{ siteId: filters.siteId }}
        value={filters.event}
        onChange={(event) => change({ event })}
      />
      <NativeSelect
        label={t("Kind")}
        data={kindChoices(filters)}
        value={kindOf(filters)}
        onChange={(event) => change({ test: null, dryRun: null, unreached: null, ...kinds[event.currentTarget.value as Kind].flags })}
      />
      <NativeSelect
        label={t("Outcome")}
        data={[{ value: "", label: t("Any outcome") }, ...eventOutcomes.map((value) => ({ value, label: outcomeLabels[value] }))]}
        value={filters.outcome ?? ""}
        onChange={(event) => change({ outcome: event.currentTarget.value || null })}
      />
      <OrderFilter orderId={filters.orderId} onChange={(orderId) => change({ orderId })} />
      <DateRange range={filters} onChange={change} />
      {filters.phone !== undefined && (
        <Button variant="default" mt={24} rightSection={<IconX size={14} aria-hidden />} onClick={() => change({ phone: null })}>
          {t("Phone {phone}", { phone: filters.phone })}
        </Button>
      )}
    </search>
  );
}

const outcomeLabels: Record<EventOutcome, string> = {
  sent: t("Sent"),
  partial: t("Some messages failed"),
  failed: t("Failed"),
  scheduled: t("Scheduled"),
  accepted: t("Waiting to be sent"),
  no_bindings: t("No binding matches"),
  skipped_conditions: t("No binding fired"),
  skipped_no_config: t("WhatsApp not connected"),
  skipped_no_phone: t("No valid phone number"),
};

type Flags = Pick<EventFilters, "test" | "dryRun" | "unreached">;

type Kind = keyof typeof kinds;

function kindOf({ test, dryRun, unreached }: Flags): Kind {
  if (unreached !== undefined) return "unreached";
  if (dryRun === true) return "dryRun";
  if (test === true) return "test";
  return test === false || dryRun === false ? "live" : "any";
}

/** An invalid id shows an error and does not filter. */
function OrderFilter({ orderId, onChange }: { orderId: string | undefined; onChange: (orderId: string | null) => void }) {
  const [text, type] = useTypedFilter(orderId, (typed) => onChange(isUuid(typed.trim()) ? typed.trim() : null));
  const isWrong = text.trim() !== "" && !isUuid(text.trim());
  return (
    <TextInput
      label={t("Order ID")}
      placeholder={t("Any order")}
      value={text}
      error={isWrong && t("Enter the order_id from the ingest answer")}
      onChange={(event) => type(event.currentTarget.value)}
    />
  );
}

function EventList({ filters }: { filters: EventFilters }) {
  const { isLive, isReading, handlers, goUp, head } = useLive();
  const { events, news, look, isLost } = useLiveEvents(filters, { isLive, isReading });
  const selection = useSelection(events.data?.pages.flatMap(({ items }) => items) ?? [], JSON.stringify(filters));
  const all = useChooseLoaded(events, selection);
  const mayChange = useMay("operator");
  const showNews = () => {
    goUp();
    look();
  };
  return (
    <Stack gap="xs" pos="relative">
      <LiveHead {...head} isLost={isLost} />
      <div {...handlers}>
        <NewRowsButton {...news} label={showNewEvents} onShow={showNews} />
        <PagedList query={events} what={t("the events")} empty={<NoEvents filters={filters} />}>
          {(items) => <EventTable events={items} selection={mayChange ? selection : undefined} />}
        </PagedList>
      </div>
      {mayChange && <SelectedEvents selection={selection} all={all} />}
    </Stack>
  );
}

function NoEvents({ filters }: { filters: EventFilters }) {
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  if (isFiltered) {
    return (
      <EmptyState title={t("No events match these filters")}>
        {filters.search !== undefined && <LookElsewhere search={filters.search} filters={filters} from="events" />}
        <TextLink to={paths.events} search={{}}>
          {t("Clear filters")}
        </TextLink>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={t("No events yet")}>
      <Rich
        text={t(
          "Post a signed event to the gateway; it appears here at once with its result. <0>Get started</0> has code to copy, with your site's key.",
        )}
      >
        <TextLink to={paths.gettingStarted} />
      </Rich>
    </EmptyState>
  );
}

const pageSize = 50;
/** One refetch for events that arrive together. */
const together = { delay: 150, maxWait: 1000 };

interface LiveEventsOptions {
  isLive: boolean;
  /** True while the rows must not move. */
  isReading: boolean;
}

interface LiveEvents {
  events: Parameters<typeof useChooseLoaded<ListedEvent>>[0] & PagedQuery<ListedEvent>;
  /** New events that are not shown yet. */
  news: { count: number; more: boolean };
  look: () => void;
  /** True while the connection for new events is lost. */
  isLost: boolean;
}

/** The matching events, newest first; new ones are added while it is live. */
function useLiveEvents(filters: EventFilters, { isLive, isReading }: LiveEventsOptions): LiveEvents {
  const outcome = searchOneOf(eventOutcomes, filters.outcome);
  const input = { ...filters, ...daySpan(filters), outcome, limit: pageSize };
  const { loaded: events, newest, show } = useList("events.list", input, { every: false, focus: isLive });
  const lookSoon = useDebouncedCallback(() => void newest.refetch(), together);
  const { isLost } = useEventTail({ siteId: filters.siteId, isLive, onEvents: lookSoon });

  const shown = events.data && onePage(events.data.pages);
  const { waiting, take } = useNewRows({ shown, newest: newest.data, isHeld: isReading, show });
  const look = () => {
    take();
    void newest.refetch();
  };
  return { events, news: waiting, look, isLost };
}

const showNewEvents = (count: number, more: boolean): string =>
  more ? t("Show {count}+ new events", { count }) : t("{count, plural, one {Show # new event} other {Show # new events}}", { count });

interface SelectedEventsProps extends Pick<SelectionBarProps, "all"> {
  selection: Selection<ListedEvent>;
}

/** Resends the failed messages of the chosen events. */
function SelectedEvents({ selection, all }: SelectedEventsProps) {
  const [isOpen, setOpen] = useState(false);
  const follow = useFollowOperation();
  const close = () => setOpen(false);
  return (
    <>
      <SelectionBar selection={selection} what="event" all={all}>
        <Button variant="default" size="compact-sm" onClick={() => setOpen(true)}>
          {t("Resend failed messages…")}
        </Button>
      </SelectionBar>
      <Dialog size="lg" title={t("Resend failed messages")} opened={isOpen} onClose={close}>
        <ResendForm filter={{ eventIds: selection.ids }} onClose={close} onStarted={follow} />
      </Dialog>
    </>
  );
}
