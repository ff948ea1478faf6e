import { useSearch } from "@tanstack/react-router";
import { operationKinds, operationStates } from "shared/core/operation";
import { formatCount } from "../../format.ts";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { Moment, Status } from "../../ui/base/facts.tsx";
import { Page } from "../../ui/base/page.tsx";
import { useSiteLabel } from "../../ui/base/site-names.tsx";
import { FilterBar } from "../../ui/list/filter-bar.tsx";
import { isFiltered, useSiteFilter } from "../../ui/list/list-filters.tsx";
import { useLiveList } from "../../ui/list/live-list.tsx";
import { PagedTable } from "../../ui/list/paged-table.tsx";
import { type ListedOperation, operationLabel, operationPage } from "../../ui/operation/operations.tsx";
import { operationStateLabel, outcomesOf, outcomeWords, toneOf } from "../../ui/operation/progress.tsx";
import { type Column, EmptyState } from "../../ui/table/data-table.tsx";
import { type OperationsSearch, readOperationsSearch } from "./route.ts";

/** What was done to many messages, events or bindings at once, by whom, and what came of it. */
export function OperationsPage() {
  const search = useSearch({ from: `/signed-in${paths.operations}` });
  return (
    <Page title={t("Operations")}>
      <FilterBar
        search={search}
        read={readOperationsSearch}
        filters={[
          { name: "kind", label: t("Kind"), options: operationKinds.map((value) => ({ value, label: operationLabel(value) })) },
          { name: "state", label: t("State"), options: operationStates.map((value) => ({ value, label: operationStateLabel(value) })) },
          useSiteFilter(),
        ]}
        views={{ list: "operations", mayWrite: useMay("operator") }}
      />
      <List search={search} />
    </Page>
  );
}

/** The server refuses a kind or a state that there is not. */
type OperationsInput = Partial<Pick<ListedOperation, "kind" | "state">> & { siteId?: string | undefined };

const busyMs = 1_500;
const idleMs = 15_000;
const isUnderWay = ({ finishedAt }: ListedOperation): boolean => finishedAt === null;

function List({ search }: { search: OperationsSearch }) {
  const query = useLiveList(
    "operations.list",
    { ...(search as OperationsInput), limit: 50 },
    { every: (rows) => (rows.some(isUnderWay) ? busyMs : idleMs) },
  );
  return (
    <PagedTable
      label={t("Operations")}
      query={query}
      what={t("the operations")}
      empty={
        <EmptyState title={t("No operations yet")}>
          {t("A resend of many messages, a backfill or a replay appears here, with its outcome.")}
        </EmptyState>
      }
      filtered={isFiltered(search) && null}
      columns={useColumns()}
      rowLink={(operation) => operationPage(operation) as { to: "/log" }}
    />
  );
}

function useColumns(): Column<ListedOperation>[] {
  const siteLabel = useSiteLabel();
  return [
    { name: t("Operation"), kind: "title", cell: ({ kind }) => operationLabel(kind) },
    {
      name: t("Status"),
      kind: "status",
      cell: (operation) => <Status tone={toneOf(operation)}>{operationStateLabel(operation.state)}</Status>,
    },
    {
      name: t("Done"),
      kind: "short",
      cell: ({ done, total }) => t("{done} of {total}", { done: formatCount(done), total: formatCount(total) }),
    },
    {
      name: t("Outcome"),
      cell: (operation) =>
        outcomesOf(operation)
          .map((each) => outcomeWords(operation.kind, each))
          .join(t(", ")),
    },
    { name: t("Site"), isExtra: true, cell: ({ siteId }) => (siteId === null ? t("Several or all") : siteLabel(siteId)) },
    { name: t("Who"), cell: ({ by }) => by },
    { name: t("Started"), kind: "short", cell: ({ startedAt }) => <Moment at={startedAt} /> },
  ];
}
