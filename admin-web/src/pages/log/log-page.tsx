import { Group } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { notificationStatuses, isDropped } from "shared/core/message";
import { formatParts, formatRelative } from "../../format.ts";
import { t, translated } from "../../language.ts";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { between, Moment, StatusBadge } from "../../ui/base/facts.tsx";
import { CsvButton } from "../../ui/base/files.tsx";
import { namedReason, toldExplanation, toldReason } from "../../ui/base/labels.ts";
import { later, part } from "../../ui/base/later.tsx";
import { MoreActions } from "../../ui/base/more-actions.tsx";
import { Page, rich, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { useModeOf } from "../../ui/base/site-mode.ts";
import { useSiteLabel } from "../../ui/base/site-names.tsx";
import { useCount } from "../../ui/list/count.ts";
import { DetailDrawer, openHere } from "../../ui/list/detail-drawer.tsx";
import { type Filter, FilterBar } from "../../ui/list/filter-bar.tsx";
import {
  dayOrMoment,
  exactFirst,
  isFiltered,
  suggestedFilter,
  typedFilter,
  useCommonFilters,
  useOperationFilter,
} from "../../ui/list/list-filters.tsx";
import { ListHead, matchesOf, useColumns } from "../../ui/list/list-head.tsx";
import { LiveFrame, useTailedList } from "../../ui/list/live-list.tsx";
import { tellState, useToday } from "../../ui/list/state-line.ts";
import { Customer } from "../../ui/message/customer-link.tsx";
import { lookAgain } from "../../ui/message/waiting-actions.tsx";
import { useOperationsAdvance } from "../../ui/operation/operations.tsx";
import { type Column, DataTable, GetStarted, PagedList } from "../../ui/table/data-table.tsx";
import { useSelection } from "../../ui/table/selection.tsx";
import { ResendButton, SelectedMessages } from "./many-messages.tsx";
import { csvAddress, filtersOf, logFilter, type LogSearch, readLogSearch } from "./route.ts";
import { bringsResend, type LogRow, lookAgainIn, withoutResent } from "./use-log.ts";

export function LogPage() {
  const search = useSearch({ from: `/signed-in${paths.log}` });
  const [isOperator, seesPhones] = [useMay("operator"), useMay("seePhones")];
  const filters = useModeOf(filtersOf(search));
  useOperationsAdvance(() => void lookAgain());
  const { data: counted, isLoadingError } = useCount("notifications.count", logFilter(filters));
  return (
    <Page
      title={t("Messages")}
      lead={useStateLine()}
      actions={
        !isLoadingError &&
        (counted?.total !== 0 || counted.more) && (
          <Group gap="sm" wrap="nowrap">
            {isOperator && <ResendButton label={t("Resend failed messages…")} ids={null} filters={filters} />}
            <MoreActions>
              <CsvButton href={csvAddress(filters)} />
            </MoreActions>
          </Group>
        )
      }
    >
      <FilterBar
        search={search}
        read={readLogSearch}
        placeholder={seesPhones ? t("Order, name, phone number, value or ID") : t("Order, value or ID")}
        filters={useFilters(search)}
        views="log"
      />
      <LogList search={search} />
    </Page>
  );
}

/** What of today has failed, at the sites that are shown. */
function useStateLine() {
  const today = useToday();
  const made = useCount("notifications.count", today).data;
  const failed = useCount("notifications.count", { ...today, status: "failed" }).data;
  return tellState("log", { made, failed: made !== undefined && made.total > 0 && failed });
}

function useFilters(search: LogSearch): Filter<LogSearch>[] {
  const common = useCommonFilters<LogSearch>();
  const names = useNames(search);
  /** Those that only links set. */
  const linked: Filter<LogSearch>[] = [
    { ...typedFilter("templateId", t("Template")), tell: () => names.template },
    { ...typedFilter("bindingId", t("Binding")), tell: () => names.binding },
    useOperationFilter(search),
    typedFilter("errorCodes", t("Error code")),
    { ...typedFilter("failedFrom", t("Failed since")), tell: ({ failedFrom }) => dayOrMoment(failedFrom ?? "") },
  ];
  return [
    { name: "status", label: t("Status"), options: notificationStatuses.map((value) => ({ value, label: translated(value) })) },
    common.site,
    common.event,
    common.template,
    ...common.phone,
    suggestedFilter("errorCode", t("Error code")),
    common.period,
    common.tests,
    common.testSites,
    typedFilter("eventId", t("Event ID")),
    ...linked.filter(({ name }) => search[name as keyof LogSearch] !== undefined),
  ];
}

/** The names of what a link has filtered by: an ID tells nobody anything. */
function useNames({ templateId, bindingId }: LogSearch) {
  const template = trpc.templates.get.useQuery({ id: templateId ?? "" }, { enabled: templateId !== undefined }).data?.template;
  const binding = trpc.bindings.get.useQuery({ id: bindingId ?? "" }, { enabled: bindingId !== undefined }).data?.binding;
  return {
    template: template?.name ?? "…",
    binding: binding === undefined ? "…" : `${binding.event} → ${binding.template}`,
  };
}

const LookElsewhere = later(async () => (await import("./look-elsewhere.tsx")).LookElsewhere);
const WithoutMessage = later(async () => (await import("./look-elsewhere.tsx")).WithoutMessage);
const MessageDetail = part(async () => (await import("./message-drawer.tsx")).MessageDetail);

const pageSize = 50;

/** The matching messages, newest first, and the open one. */
function LogList({ search }: { search: LogSearch }) {
  const given = filtersOf(search);
  const filters = useModeOf(given);
  const filter = logFilter(filters);
  const { query, newest, frame } = useTailedList(
    "notifications.list",
    { ...filter, limit: pageSize },
    { siteId: filters.siteId, every: lookAgainIn, brings: bringsResend },
  );
  const rows = exactFirst(withoutResent(query.data?.pages.flatMap(({ items }) => items) ?? [], newest), given.search);
  const selection = useSelection(rows, JSON.stringify(filters));
  const mayChange = useMay("operator");
  const { columns, chooser } = useColumns("log", useLogColumns(), search);
  const counted = matchesOf(useCount("notifications.count", filter).data, query, rows.length);
  const isNothing = rows.length === 0 && !isFiltered(given);
  return (
    <>
      <LiveFrame frame={frame} head={<ListHead count={isNothing ? undefined : counted}>{!isNothing && chooser}</ListHead>}>
        {given.search !== undefined && rows.length > 0 && <WithoutMessage search={given.search} />}
        <PagedList
          query={query}
          what={t("the messages")}
          empty={<HowToBegin />}
          filtered={isFiltered(given) && (filters.search === undefined ? null : <LookElsewhere filters={filters} from="log" />)}
        >
          {() => (
            <DataTable
              label={t("Messages")}
              columns={columns}
              rows={rows}
              count={query.hasNextPage ? (counted?.more === false ? counted.total : -1) : rows.length}
              rowKey={({ id }) => id}
              onEnd={() => void (query.hasNextPage && !query.isFetchingNextPage && !query.isFetchNextPageError && query.fetchNextPage())}
              rowLink={({ id }) => openHere(id)}
              choice={mayChange ? { selection, nameOf: ({ toPhone }) => t("message to {toPhone}", { toPhone }) } : undefined}
            />
          )}
        </PagedList>
      </LiveFrame>
      {mayChange && <SelectedMessages selection={selection} filters={filters} isMoreThere={query.hasNextPage} />}
      <DetailDrawer title={t("Message")} id={search.open} rows={rows}>
        {(id) => <MessageDetail id={id} />}
      </DetailDrawer>
    </>
  );
}

function useLogColumns(): Record<string, Column<LogRow>> {
  const siteLabel = useSiteLabel();
  return {
    time: { name: t("Time"), kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
    customer: { name: t("Customer"), kind: "title", cell: (row) => <Customer {...row} /> },
    order: { name: t("Order"), kind: "short", cell: ({ orderNumber }) => orderNumber },
    message: { name: t("Message"), cell: ({ template }) => template },
    event: { name: t("Event"), cell: ({ event }) => event },
    status: { name: t("Status"), kind: "status", cell: ({ status }) => <StatusBadge status={status} /> },
    reason: { name: t("Reason"), kind: "long", cell: describeWhat },
    site: { name: t("Site"), isExtra: true, cell: ({ siteId }) => siteLabel(siteId) },
    language: { name: t("Language"), kind: "short", isExtra: true, cell: ({ language }) => language },
  };
}

/** The thing that a message waits for, or the reason why it was stopped. */
function describeWaiting({ status, dueAt, nextAttemptAt, tries, explanation, heldAt }: LogRow): string | null {
  if (heldAt !== null) return t("Held by WhatsApp");
  if (isDropped(status)) return explanation && toldExplanation(explanation);
  if (status === "scheduled")
    return dueAt === null ? t("Waits until its site resumes sending") : t("Due {dueAt}", { dueAt: formatRelative(dueAt) });
  return status === "queued" && nextAttemptAt !== null && tries.length > 0
    ? t("Refused: {title}; next attempt {nextAttemptAt}", {
        title: translated(tries.at(-1)?.title ?? ""),
        nextAttemptAt: formatRelative(nextAttemptAt),
      })
    : null;
}

/** In few words, with the whole sentence to point at. */
function describeWhat(row: LogRow): ReactNode {
  const { status, errorCode, explanation, noNews, resentAs, resendOf } = row;
  const tell = (reason: string | null) =>
    formatParts(
      [
        formatParts([reason, noNews && t("No delivery report, probably dropped")], t("; ")),
        // A reason is a whole sentence, behind which these stand.
        resendOf !== null && t("(Resend)"),
        resentAs !== null && t("(Resent)"),
      ],
      between(" "),
    );
  if (status !== "failed") return tell(describeWaiting(row));
  // Our own reasons name the variable or the template; the platform's codes are explained.
  const why = /^\d/u.test(errorCode ?? "") ? explanation && translated(explanation.text) : toldReason(row);
  return <span title={tell(why ?? errorCode)}>{tell(namedReason(row))}</span>;
}

const HowToBegin = () => (
  <EmptyState title={t("No messages yet")} action={<GetStarted />}>
    {rich(
      t(
        "Messages appear here once an event matches a binding that is switched on. <0>Events</0> lists events that sent nothing, with the reason.",
      ),
      <TextLink to={paths.events} />,
    )}
  </EmptyState>
);
