import { useSearch } from "@tanstack/react-router";
import { type ProblemKind, problemKinds, problemStates, rankProblems } from "shared/core/problem/problem";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { Page } from "../../ui/base/page.tsx";
import { type Filter, FilterBar } from "../../ui/list/filter-bar.tsx";
import { isFiltered, useSiteFilter } from "../../ui/list/list-filters.tsx";
import { useLiveList } from "../../ui/list/live-list.tsx";
import { searchOneOf } from "../../ui/list/search-params.ts";
import { ProblemCards } from "../../ui/problem/problem-cards.tsx";
import { kindLabel, stateLabel } from "../../ui/problem/problem-kinds.ts";
import { EmptyState, PagedList } from "../../ui/table/data-table.tsx";
import { type ProblemsSearch, readProblemsSearch } from "./route.ts";

const lookEveryMs = 10_000;
const states = [...problemStates, "all"] as const;

export function ProblemsPage() {
  const search = useSearch({ from: `/signed-in${paths.problems}` });
  const { siteId } = search;
  const mayChange = useMay("operator");
  const state = searchOneOf(states, search.state) ?? "open";
  const kind = searchOneOf(problemKinds, search.kind);
  const told = useStateLine();
  const list = useLiveList("problems.list", { ...(state !== "all" && { state }), siteId, kind, limit: 50 }, { every: lookEveryMs });
  return (
    <Page title={t("Problems")} {...(told !== null && { lead: told })}>
      <FilterBar search={search} read={readProblemsSearch} filters={useFilters()} views={{ list: "problems", mayWrite: mayChange }} />
      <PagedList
        query={list}
        what={t("the problems")}
        empty={
          <EmptyState title={t("No open problems")}>
            {t("A problem appears here when messages fail, requests are refused or something keeps messages from leaving.")}
          </EmptyState>
        }
        filtered={isFiltered({ ...search, state: state === "open" ? undefined : state }) && null}
      >
        {(items) => (
          <ProblemCards
            problems={state === "open" ? rankProblems(items) : items}
            mayChange={mayChange}
            isOfSite={siteId !== undefined}
            level={2}
          />
        )}
      </PagedList>
    </Page>
  );
}

const mostCounted = 100;

/** How many are open, in one line; null where none is, as the list itself then says. */
function useStateLine(): string | null {
  const { data } = trpc.problems.list.useQuery({ state: "open", siteId: undefined, limit: mostCounted }, { refetchInterval: lookEveryMs });
  if (data === undefined || data.items.length === 0) return null;
  const sites = new Set(data.items.flatMap(({ siteId }) => siteId ?? [])).size;
  const open = t("{open, plural, one {# open problem} other {# open problems}}", { open: data.items.length });
  const of = sites === 0 ? "" : ` · ${t("{sites, plural, one {# site} other {# sites}}", { sites })}`;
  return `${data.nextCursor === null ? open : t("More than {open}", { open })}${of}`;
}

const useFilters = (): Filter<ProblemsSearch>[] => [
  { name: "state", label: t("State"), options: states.map((value) => ({ value, label: stateLabel(value) })) },
  useSiteFilter(),
  { name: "kind", label: t("Kind"), options: problemKinds.map((value: ProblemKind) => ({ value, label: kindLabel(value) })) },
];
