import { Box, Button, Stack, Text, Title } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { notificationStatuses, type Tone } from "shared/core/message";
import { queryClient } from "../src/trpc.ts";
import { type Column, DataTable, EmptyState, ListSkeleton, PagedList } from "../src/ui/data-table.tsx";
import { Due, Moment, Status, StatusBadge, toneColor } from "../src/ui/facts.tsx";
import { type Filter, FilterBar } from "../src/ui/filter-bar.tsx";
import { TextFilter } from "../src/ui/filters.tsx";
import { ListHead, useColumns } from "../src/ui/list-head.tsx";
import { FailureNotice } from "../src/ui/page.tsx";
import { ProblemCard } from "../src/ui/problem-card.tsx";
import { OperationProgress } from "../src/ui/progress.tsx";
import { searchOneOf, searchReader, searchText } from "../src/ui/search-params.ts";
import { SelectionBar, useSelection } from "../src/ui/selection.tsx";
import { ago, type ListedMessage, messages, operations, problems } from "./samples.ts";

const states = ["few", "empty", "loading", "failing", "many"] as const;

export const readPartsSearch = searchReader({
  search: searchText,
  status: (value) => searchOneOf(notificationStatuses, value),
  event: searchText,
  list: (value) => searchOneOf(states, value),
});
type PartsSearch = ReturnType<typeof readPartsSearch>;

queryClient.setQueryData([["views", "list"], { input: { list: "log", limit: 200 }, type: "query" }], {
  items: [
    { id: "1", list: "log", name: "Failed", filter: { status: "failed" } },
    { id: "2", list: "log", name: "Orders of the last 7 days", filter: { event: "order.created", period: "week" } },
  ],
  nextCursor: null,
});
queryClient.setDefaultOptions({ queries: { staleTime: Infinity, retry: false } });

/** Every shared part in every state. */
export function PartsPage() {
  return (
    <Box component="main" style={{ padding: "16px", maxWidth: "88rem", marginInline: "auto" }}>
      <Stack gap={32}>
        <Title order={1} fz={20}>
          {"Parts"}
        </Title>
        <Statuses />
        <Times />
        <Problems />
        <Operations />
        <List />
      </Stack>
    </Box>
  );
}

const Part = ({ name, children }: { name: string; children: ReactNode }) => (
  <Stack component="section" gap={12} aria-label={name}>
    <Title order={2} fz={14}>
      {name}
    </Title>
    {children}
  </Stack>
);

const tones: Tone[] = ["delivered", "read", "waiting", "attention", "failed"];

function Statuses() {
  return (
    <Part name="Status">
      <div style={{ display: "flex", flexWrap: "wrap", gap: "8px 24px" }}>
        {notificationStatuses.map((status) => (
          <StatusBadge key={status} status={status} />
        ))}
        {tones.map((tone) => (
          <Status key={tone} tone={tone}>
            {tone}
          </Status>
        ))}
      </div>
      <div role="img" aria-label="The five in a chart" style={{ display: "flex", gap: 1, height: 24, maxWidth: "30rem" }}>
        {tones.map((tone) => (
          <span key={tone} style={{ flex: 1, background: toneColor(tone) }} />
        ))}
      </div>
    </Part>
  );
}

function Times() {
  return (
    <Part name="Time">
      <div style={{ display: "flex", flexWrap: "wrap", gap: "8px 24px", fontSize: 13 }}>
        {[0, 4, 59, 60, 60 * 30, 60 * 24 * 400, -30, -60 * 26].map((minutes) => (
          <Moment key={minutes} at={ago(minutes)} />
        ))}
        <Moment at={ago(4)} seconds />
        <span>
          <Due at={ago(-40)} />
        </span>
      </div>
    </Part>
  );
}

function Problems() {
  const [told, tell] = useState("");
  const changes = (id: string) => ({
    acknowledge: async () => tell(`acknowledge ${id}`),
    snooze: async (until: string) => tell(`snooze ${id} ${until}`),
    note: async (text: string) => tell(`note ${id} ${text}`),
    resolve: () => Promise.reject(new Error("Somebody else has resolved it.")),
  });
  return (
    <Part name="Problem card">
      <Stack gap={8}>
        {problems.map(({ problem, site, isViewer }) => (
          <ProblemCard
            key={problem.id}
            problem={problem}
            site={site}
            {...(isViewer !== true && { changes: changes(problem.id), onAct: ({ kind }) => tell(`${kind} ${problem.id}`) })}
          />
        ))}
      </Stack>
      <Text fz={13} id="told">
        {told}
      </Text>
    </Part>
  );
}

function Operations() {
  return (
    <Part name="Progress">
      <Stack gap={8}>
        {operations.map(({ operation, title }) => (
          <OperationProgress
            key={operation.id}
            operation={operation}
            title={title}
            messages={operation.id === "changed" ? undefined : { to: "/log", search: { operationId: operation.id } }}
            onStop={() => undefined}
          />
        ))}
      </Stack>
    </Part>
  );
}

const filters: Filter<PartsSearch>[] = [
  { name: "status", label: "Status", options: notificationStatuses.map((value) => ({ value, label: value })) },
  {
    name: "event",
    label: "Event",
    tell: ({ event }) => event ?? "",
    edit: ({ event }, change) => (
      <TextFilter label="Event" placeholder="order.created" value={event} onChange={(typed) => change({ event: typed })} />
    ),
  },
  { name: "list", label: "State of the list", options: states.map((value) => ({ value, label: value })) },
];

function List() {
  const search = useSearch({ strict: false }) as PartsSearch;
  const state = search.list ?? "few";
  const rows = state === "empty" ? [] : messages.slice(0, state === "many" ? 200 : 5);
  const shown = rows.filter(({ status }) => search.status === undefined || search.status === status);
  const selection = useSelection(shown, JSON.stringify(search));
  const { columns, chooser } = useColumns("parts", allColumns);
  const query = {
    data: state === "loading" || state === "failing" ? undefined : { pages: [{ items: shown }] },
    error: state === "failing" ? { message: "failed to fetch" } : null,
    hasNextPage: state === "many",
    isFetchingNextPage: false,
    isFetchNextPageError: false,
    refetch: () => undefined,
    fetchNextPage: () => undefined,
  };
  return (
    <Part name="Filter bar and list">
      <FilterBar
        search={search}
        read={readPartsSearch}
        placeholder="Order, name or phone number"
        filters={filters}
        views={{ list: "log", mayWrite: true }}
      />
      <ListHead count={query.data === undefined ? undefined : shown.length} more={state === "many"}>
        {chooser}
      </ListHead>
      <PagedList query={query} what="the messages" empty={<EmptyState title="No messages">{"They come with the first event."}</EmptyState>}>
        {(items) => (
          <DataTable
            label="Messages"
            columns={columns}
            rows={items}
            rowKey={({ id }) => id}
            rowLink={({ id }) => ({ to: "/log", search: { open: id } as never })}
            choice={{ selection, nameOf: ({ phone }) => phone }}
          />
        )}
      </PagedList>
      <SelectionBar selection={selection} what="message">
        <Button size="compact-sm" variant="default">
          {"Resend"}
        </Button>
      </SelectionBar>
      <ListSkeleton what="the messages" />
      <FailureNotice title="Could not load the messages" error={{ message: "failed to fetch" }} onRetry={() => undefined} />
    </Part>
  );
}

const allColumns: Record<string, Column<ListedMessage>> = {
  to: { name: "To", kind: "title", cell: ({ phone }) => phone },
  status: { name: "Status", kind: "short", cell: ({ status }) => <StatusBadge status={status} /> },
  event: { name: "Event", cell: ({ event }) => event },
  template: { name: "Template", cell: ({ template }) => template },
  site: { name: "Site", cell: ({ site }) => site },
  reason: { name: "What happened", cell: ({ reason }) => reason },
  time: { name: "Time", kind: "short", cell: ({ at }) => <Moment at={at} /> },
  actions: {
    name: "Actions",
    kind: "buttons",
    cell: ({ phone }) => (
      <Button size="compact-sm" variant="default" aria-label={`Resend to ${phone}`}>
        {"Resend"}
      </Button>
    ),
  },
};
