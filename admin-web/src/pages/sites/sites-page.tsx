import { Button, Code } from "@mantine/core";
import { useSearch, useNavigate } from "@tanstack/react-router";
import { sourceTypes } from "shared/core/site";
import { t } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { trpc, type Outputs } from "../../trpc.ts";
import { ButtonLink } from "../../ui/base/buttons.tsx";
import { Dialog } from "../../ui/base/dialogs.tsx";
import { Moment, Status } from "../../ui/base/facts.tsx";
import { sourceTypeLabels } from "../../ui/base/labels.ts";
import { part } from "../../ui/base/later.tsx";
import { Page, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { SiteLabel, useSites } from "../../ui/base/site-names.tsx";
import { type Filter, FilterBar } from "../../ui/list/filter-bar.tsx";
import { isFiltered, onlyRows } from "../../ui/list/list-filters.tsx";
import { PagedTable } from "../../ui/list/paged-table.tsx";
import { tellState } from "../../ui/list/state-line.ts";
import { type Column, byPage } from "../../ui/table/data-table.tsx";
import { readSitesSearch, type SitesSearch } from "./route.ts";

const CreateSiteForm = part(async () => (await import("./create-site.tsx")).CreateSiteForm);

export function SitesPage() {
  const search = useSearch({ from: `/signed-in${paths.sites}` });
  const { state, sourceType } = search;
  const mayCreate = useMay("operator");
  const stateOf = useStateOf();
  const isSought = (site: Site) => (state ?? stateOf(site)) === stateOf(site) && (sourceType ?? site.sourceType) === site.sourceType;
  return (
    <Page title={t("Sites")} lead={useStateLine()} actions={mayCreate && <CreateSiteButton />}>
      <FilterBar<SitesSearch> search={search} read={readSitesSearch} placeholder={t("Name or URL")} filters={filters} views="sites" />
      <PagedTable
        label={t("Sites")}
        query={trpc.sites.list.useInfiniteQuery(
          { search: search.search, limit: 50 },
          { ...byPage, select: (data) => onlyRows(data, isSought) },
        )}
        what={t("the sites")}
        empty={
          <EmptyState title={t("No sites yet")} action={mayCreate && addSite}>
            {t("A site is one shop, clinic or product whose backend sends events. {value}", {
              value: mayCreate ? t("Add one, then give its backend the key and the secret.") : t("Operators and owners can add sites."),
            })}
          </EmptyState>
        }
        filtered={isFiltered({ ...search, create: undefined }) && null}
        columns={columns}
        rowLink={({ id }) => pages.site(id)}
      />
    </Page>
  );
}

/** Creates a site; its page shows its secrets, also where the dialog was closed before the answer. */
function CreateSiteButton() {
  const navigate = useNavigate();
  const { create } = useSearch({ from: `/signed-in${paths.sites}` });
  const { sites, isKnown } = useSites();
  const show = (isOpen: boolean) =>
    void navigate({ to: paths.sites, search: (now) => readSitesSearch({ ...now, create: isOpen }), replace: true });
  const close = () => show(false);
  return (
    <>
      {/* The list itself has it while it is empty. */}
      {!(isKnown && sites.length === 0) && <Button onClick={() => show(true)}>{t("Add site")}</Button>}
      <Dialog title={t("Add site")} opened={create === true} onClose={close}>
        <CreateSiteForm onMade={({ site }) => void navigate(pages.site(site.id))} onCancel={close} />
      </Dialog>
    </>
  );
}

const addSite = (
  <ButtonLink to={paths.sites} search={{ create: true }}>
    {t("Add site")}
  </ButtonLink>
);

type Site = Outputs["sites"]["list"]["items"][number];

const columns: Column<Site>[] = [
  { name: t("Name"), kind: "title", cell: SiteLabel },
  { name: t("URL"), cell: ({ url }) => url },
  { name: t("Source type"), kind: "short", cell: ({ sourceType }) => sourceTypeLabels[sourceType] },
  { name: t("State"), kind: "status", cell: (site) => <State {...site} /> },
  { name: t("Last event"), kind: "short", cell: ({ lastEventAt }) => (lastEventAt === null ? t("None yet") : <Moment at={lastEventAt} />) },
  // A shop that posts by itself needs none.
  { name: t("API key"), kind: "short", cell: ({ sourceType: type, apiKeyHint }) => type === "generic" && <Code>{apiKeyHint}</Code> },
];

/** The states of a site, in the words of its page. */
const states = {
  disabled: { tone: "failed", label: t("Refuses events") },
  refused: { tone: "failed", label: t("Requests refused") },
  paused: { tone: "attention", label: t("Sending is paused") },
  new: { tone: "waiting", label: t("Waiting for the first event") },
  connected: { tone: "delivered", label: t("Connected") },
} as const;

const filters: Filter<SitesSearch>[] = [
  { name: "state", label: t("State"), options: Object.entries(states).map(([value, { label }]) => ({ value, label })) },
  { name: "sourceType", label: t("Source type"), options: sourceTypes.map((value) => ({ value, label: sourceTypeLabels[value] })) },
];

function useStateOf(): (site: Site) => keyof typeof states {
  const { data } = trpc.problems.list.useQuery({ kind: "requests_refused", limit: 100 });
  return ({ id, enabled, holdMessages, connectedAt, lastEventAt }) => {
    // The time of the last refused request, where the site has such a problem.
    const refused = data?.items.findLast(({ state, siteId }) => state !== "resolved" && siteId === id)?.lastAt;
    if (!enabled) return "disabled";
    if (refused !== undefined && (lastEventAt === null || refused > lastEventAt)) return "refused";
    if (holdMessages) return "paused";
    return connectedAt === null && lastEventAt === null ? "new" : "connected";
  };
}

function State(site: Site) {
  const { tone, label } = states[useStateOf()(site)];
  return <Status tone={tone}>{label}</Status>;
}

/** How many sites need somebody, and how many wait for their first event. */
function useStateLine() {
  const { sites, isWhole } = useSites();
  const all = sites.map(useStateOf());
  const count = (tone: string) => all.filter((state) => states[state].tone === tone).length;
  const [refused, paused] = [count("failed"), count("attention")];
  const calm = all.length > 0 && refused + paused === 0 && 1;
  return tellState("sites", { sites: isWhole && all.length, calm, refused, paused, waiting: count("waiting") });
}
