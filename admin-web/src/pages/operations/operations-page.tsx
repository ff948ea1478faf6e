import { useSearch } from "@tanstack/react-router";
import { operationKinds, operationStates } from "shared/core/operation";
import { formatParts, formatWhen } from "../../format.ts";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { ButtonLink } from "../../ui/base/buttons.tsx";
import { Moment } from "../../ui/base/facts.tsx";
import { Page, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { useSiteLabel } from "../../ui/base/site-names.tsx";
import { FilterBar } from "../../ui/list/filter-bar.tsx";
import { isFiltered, useSiteFilter } from "../../ui/list/list-filters.tsx";
import { useLiveList } from "../../ui/list/live-list.tsx";
import { PagedTable } from "../../ui/list/paged-table.tsx";
import { tellState } from "../../ui/list/state-line.ts";
import { type ListedOperation, operationLabel, operationPage, useOpenOperations } from "../../ui/operation/operations.tsx";
import { countsOf, OperationStatus, operationStateLabel, outcomesOf, outcomeWords } from "../../ui/operation/progress.tsx";
import { type Column } from "../../ui/table/data-table.tsx";
import { type OperationsSearch, readOperationsSearch } from "./route.ts";

/** What was done to many messages, events or bindings at once, by whom, and what came of it. */
export function OperationsPage() {
  const search = useSearch({ from: `/signed-in${paths.operations}` });
  return (
    <Page title={t("Operations")} lead={useStateLine()}>
      <FilterBar
        search={search}
        read={readOperationsSearch}
        placeholder={t("Operation, site or person")}
        filters={[
          { name: "kind", label: t("Kind"), options: operationKinds.map((value) => ({ value, label: operationLabel(value) })) },
          { name: "state", label: t("State"), options: operationStates.map((value) => ({ value, label: operationStateLabel(value) })) },
          useSiteFilter(),
        ]}
        views="operations"
      />
      <List search={search} />
    </Page>
  );
}

/** How many run; as many as the frame asks for are known. */
function useStateLine() {
  const ended = trpc.operations.list.useQuery({ open: false, limit: 1 }).data?.items[0]?.finishedAt;
  return tellState("operations", { running: useOpenOperations().length, when: ended && formatWhen(ended) });
}

/** The server refuses a kind or a state that there is not. */
type OperationsInput = Partial<Pick<ListedOperation, "kind" | "state">> & { siteId?: string | undefined; search?: string | undefined };

/** The kinds whose name in the reader's language has the text. */
const kindsNamed = (text: string) => operationKinds.filter((kind) => operationLabel(kind).toLowerCase().includes(text.toLowerCase()));

const busyMs = 1_500;
const idleMs = 15_000;
const isUnderWay = ({ finishedAt }: ListedOperation): boolean => finishedAt === null;

function List({ search }: { search: OperationsSearch }) {
  const query = useLiveList(
    "operations.list",
    { ...(search as OperationsInput), ...(search.search !== undefined && { orKinds: kindsNamed(search.search) }), limit: 50 },
    { every: (rows) => (rows.some(isUnderWay) ? busyMs : idleMs) },
  );
  return (
    <PagedTable
      label={t("Operations")}
      query={query}
      what={t("the operations")}
      empty={
        <EmptyState title={t("No operations yet")} action={useMay("operator") && failedMessages}>
          {t(
            "What is done to many messages, events or bindings at once appears here with its outcome, such as a resend of failed messages.",
          )}
        </EmptyState>
      }
      filtered={isFiltered(search) && null}
      columns={useColumns()}
      rowLink={(operation) => operationPage(operation) as { to: "/log" }}
    />
  );
}

const failedMessages = (
  <ButtonLink to={paths.log} search={{ status: "failed" }}>
    {t("Show failed messages")}
  </ButtonLink>
);

function useColumns(): Column<ListedOperation>[] {
  const siteLabel = useSiteLabel();
  return [
    { name: t("Operation"), kind: "title", cell: ({ kind }) => operationLabel(kind) },
    { name: t("Status"), kind: "status", cell: (operation) => <OperationStatus operation={operation} /> },
    { name: t("Done"), kind: "short", cell: countsOf },
    {
      name: t("Outcome"),
      kind: "long",
      cell: (operation) => formatParts(outcomesOf(operation).map((each) => outcomeWords(operation.kind, each))),
    },
    { name: t("Site"), isExtra: true, cell: ({ siteId }) => (siteId === null ? t("Several or all") : siteLabel(siteId)) },
    { name: t("Who"), kind: "short", isNarrow: true, cell: ({ by }) => by },
    { name: t("Started"), kind: "short", cell: ({ startedAt }) => <Moment at={startedAt} /> },
  ];
}
