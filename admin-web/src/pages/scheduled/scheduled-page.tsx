import { Autocomplete, type AutocompleteProps, Stack, Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { type Outputs, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Due } from "../../ui/facts.tsx";
import { useTypedFilter } from "../../ui/filters.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, PagedList } from "../../ui/paged-list.tsx";
import { EventNameInput, SiteSelect, useAllTemplates, useSiteName } from "../../ui/pickers.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { WaitingActions } from "../../ui/waiting-actions.tsx";
import { CancelManyButton } from "./cancel-many.tsx";
import { changeScheduledSearch, type ScheduledFilters } from "./route.ts";
import classes from "./scheduled.module.css";

export function ScheduledPage() {
  const filters = useSearch({ from: `/signed-in${paths.scheduled}` });
  const mayChange = useMay("operator");
  return (
    <Page
      title="Scheduled"
      lead="Messages that wait for their time, the next one first."
      actions={mayChange && <CancelManyButton filters={filters} />}
    >
      <Filters filters={filters} />
      <WaitingList filters={filters} />
    </Page>
  );
}

const longestText = 500;

/** They stand in the address, so that a view can be shared and reloaded. */
function Filters({ filters }: { filters: ScheduledFilters }) {
  const navigate = useNavigate();
  const seesPhones = useMay("operator");
  const change = (changes: Parameters<typeof changeScheduledSearch>[0]) =>
    void navigate({ to: paths.scheduled, search: changeScheduledSearch(changes), replace: true, resetScroll: false });
  const [event, typeEvent] = useTypedFilter(filters.event, (typed) => change({ event: typed }));
  const { templates } = useAllTemplates();
  return (
    <search className={classes["filters"]} aria-label="Filters">
      <SiteSelect
        placeholder="Any site"
        value={filters.siteId ?? null}
        onChange={(siteId) => change({ siteId })}
        clearable
        clearButtonProps={{ "aria-label": "Any site" }}
      />
      <EventNameInput siteId={filters.siteId ?? ""} maxLength={longestText} value={event} onChange={typeEvent} />
      <TypedFilter
        label="Template"
        placeholder="Any template"
        data={[...new Set(templates.map(({ name }) => name))]}
        typed={filters.template}
        onType={(template) => change({ template })}
      />
      {seesPhones && <TypedFilter label="Phone" placeholder="+491701234567" typed={filters.phone} onType={(phone) => change({ phone })} />}
    </search>
  );
}

interface TypedFilterProps extends Omit<AutocompleteProps, "value" | "onChange"> {
  typed: string | undefined;
  onType: (text: string) => void;
}

function TypedFilter({ typed, onType, ...props }: TypedFilterProps) {
  const [text, type] = useTypedFilter(typed, onType);
  return <Autocomplete maxLength={longestText} value={text} onChange={type} {...props} />;
}

type WaitingMessage = Outputs["notifications"]["scheduled"]["items"][number];

const lookEveryMs = 10_000;

function WaitingList({ filters }: { filters: ScheduledFilters }) {
  const siteName = useSiteName();
  const mayChange = useMay("operator");
  const list = trpc.notifications.scheduled.useInfiniteQuery(
    { ...filters, limit: 50 },
    { getNextPageParam: (page) => page.nextCursor, placeholderData: (shown) => shown, refetchInterval: lookEveryMs },
  );
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <PagedList query={list} what="the scheduled messages" empty={isFiltered ? <NothingFits /> : <HowToBegin />}>
      {(items) => <DataTable label="Scheduled messages" columns={columnsOf(siteName, mayChange)} rows={items} rowKey={({ id }) => id} />}
    </PagedList>
  );
}

const columnsOf = (siteName: (id: string) => string, mayChange: boolean): Column<WaitingMessage>[] => [
  { name: "To", kind: "title", cell: (message) => <Recipient {...message} /> },
  { name: "Due", cell: (message) => <DueCell {...message} /> },
  { name: "Message", cell: (message) => <Message {...message} /> },
  { name: "Site", cell: ({ siteId }) => siteName(siteId) },
  ...(mayChange
    ? [
        {
          name: "Actions",
          kind: "buttons" as const,
          cell: (message: WaitingMessage) => message.status === "scheduled" && <WaitingActions message={message} />,
        },
      ]
    : []),
];

const Recipient = ({ id, toPhone }: WaitingMessage) => (
  <TextLink to={paths.log} search={{ open: id }}>
    {toPhone}
  </TextLink>
);

/** At a held site also what was queued, or is to be tried again, waits. */
function DueCell({ status, dueAt }: WaitingMessage) {
  return (
    <Stack gap={4} align="flex-start">
      <span>
        <Due at={dueAt} />
      </span>
      {status !== "scheduled" && <StatusBadge status={status} />}
    </Stack>
  );
}

function Message({ bindingId, event, template, language }: WaitingMessage) {
  return (
    <div>
      <TextLink to={paths.binding} params={{ bindingId }}>
        {event} → {template}
      </TextLink>{" "}
      <Text span size="sm" c="dimmed">
        {language}
      </Text>
    </div>
  );
}

const NothingFits = () => (
  <EmptyState title="No scheduled messages match these filters">
    <TextLink to={paths.scheduled}>Clear filters</TextLink>
  </EmptyState>
);

const HowToBegin = () => (
  <EmptyState title="Nothing waits">
    A message waits here when its <TextLink to={paths.bindings}>binding</TextLink> has a delay, a date or hours, or when its site pauses
    sending. The documentation explains{" "}
    <TextLink to={paths.topic} params={{ topic: "schedules" }}>
      schedules
    </TextLink>
    .
  </EmptyState>
);
