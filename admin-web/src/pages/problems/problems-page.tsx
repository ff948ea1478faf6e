import { useSearch } from "@tanstack/react-router";
import { type ProblemKind, problemKinds, problemStates, rankProblems } from "shared/core/problem/problem";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import type { Outputs } from "../../trpc.ts";
import { ButtonLink } from "../../ui/base/buttons.tsx";
import { Page, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { useSiteName } from "../../ui/base/site-names.tsx";
import { type Filter, FilterBar } from "../../ui/list/filter-bar.tsx";
import { hasText, isFiltered, onlyRows, useSiteFilter } from "../../ui/list/list-filters.tsx";
import { useLiveList } from "../../ui/list/live-list.tsx";
import { searchOneOf } from "../../ui/list/search-params.ts";
import { tellState } from "../../ui/list/state-line.ts";
import { useOpenProblems } from "../../ui/problem/open-problems.ts";
import { ProblemCards } from "../../ui/problem/problem-cards.tsx";
import { kindLabel, stateLabel } from "../../ui/problem/problem-kinds.ts";
import { PagedList } from "../../ui/table/data-table.tsx";
import { type ProblemsSearch, readProblemsSearch } from "./route.ts";

const states = [...problemStates, "all"] as const;

export function ProblemsPage() {
  const search = useSearch({ from: `/signed-in${paths.problems}` });
  const { siteId, search: text } = search;
  const mayAlert = useMay("owner");
  const state = searchOneOf(states, search.state) ?? "open";
  const kind = searchOneOf(problemKinds, search.kind);
  const siteName = useSiteName();
  // By what its words are made of, in whichever language they are shown.
  const isSought = ({ kind: its, title, subject, siteId: at, detail }: Outputs["problems"]["list"]["items"][number]) =>
    hasText(text, kindLabel(its), title, subject, at && siteName(at), JSON.stringify(Object.values(detail)));
  const list = useLiveList("problems.list", { ...(state !== "all" && { state }), siteId, kind, limit: 50 });
  return (
    <Page title={t("Problems")} lead={useStateLine()}>
      <FilterBar search={search} read={readProblemsSearch} placeholder={t("Site, kind or name")} filters={useFilters()} views="problems" />
      <PagedList
        query={{ ...list, data: list.data && onlyRows(list.data, isSought) }}
        what={t("the problems")}
        empty={
          <EmptyState title={t("No open problems")} action={mayAlert && <ButtonLink to={paths.alerts}>{t("Set up alerts")}</ButtonLink>}>
            {t("A problem appears here when messages fail, requests are refused or something keeps messages from leaving.")}
          </EmptyState>
        }
        filtered={isFiltered({ ...search, state: state === "open" ? undefined : state }) && null}
      >
        {(items) => <ProblemCards problems={state === "open" ? rankProblems(items) : items} isOfSite={siteId !== undefined} level={2} />}
      </PagedList>
    </Page>
  );
}

/** How many are open. */
function useStateLine() {
  const { items, nextCursor = null } = useOpenProblems() ?? {};
  if (items === undefined) return "";
  const sites = new Set(items.flatMap(({ siteId }) => siteId ?? [])).size;
  return tellState("problems", { open: { total: items.length, more: nextCursor !== null }, sites });
}

const useFilters = (): Filter<ProblemsSearch>[] => [
  { name: "state", label: t("State"), options: states.map((value) => ({ value, label: stateLabel(value) })) },
  useSiteFilter(),
  { name: "kind", label: t("Kind"), options: problemKinds.map((value: ProblemKind) => ({ value, label: kindLabel(value) })) },
];
