import { Group, Alert, Menu } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { templateStatuses } from "shared/core/template/definition";
import { fixed } from "shared/core/wording";
import { formatCount, formatLanguage } from "../../format.ts";
import { t, translated } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { cache, type Outputs, trpc } from "../../trpc.ts";
import { ButtonLink, TextLink } from "../../ui/base/buttons.tsx";
import { Moment } from "../../ui/base/facts.tsx";
import { MoreActions } from "../../ui/base/more-actions.tsx";
import { FailureNotice, Page, rich, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { Told } from "../../ui/base/told.tsx";
import { FilterBar } from "../../ui/list/filter-bar.tsx";
import { isFiltered } from "../../ui/list/list-filters.tsx";
import { PagedTable } from "../../ui/list/paged-table.tsx";
import { type Column, byPage } from "../../ui/table/data-table.tsx";
import {
  categoryName,
  describeRates,
  QualityBadge,
  rejectionAdvice,
  reviewMs,
  TemplateStatusBadge,
} from "../../ui/template/template-labels.tsx";
import { useReviews } from "../../ui/template/templates.ts";
import { readTemplatesSearch, type TemplatesSearch } from "./route.ts";

export function TemplatesPage() {
  const search = useSearch({ from: `/signed-in${paths.templates}` });
  const mayWrite = useMay("operator");
  const state = trpc.templates.syncState.useQuery();
  const sync = trpc.templates.sync.useMutation({ onSettled: () => cache.templates.invalidate() });
  return (
    <Page
      title={t("Templates")}
      lead={
        <span role="status">
          {sync.isPending && t("Syncing templates…")}
          {sync.isSuccess && <strong>{outcome(sync.data)} </strong>}
          {!sync.isPending && state.data !== undefined && <LastRead {...state.data} />}
        </span>
      }
      actions={
        <Group gap="xs">
          <ButtonLink variant="default" to={paths.templateGallery}>
            {t("Gallery")}
          </ButtonLink>
          {mayWrite && <ButtonLink to={paths.newTemplate}>{t("New template")}</ButtonLink>}
          {mayWrite && (
            <MoreActions>
              <Menu.Item disabled={sync.isPending} onClick={() => sync.mutate()}>
                {t("Sync templates")}
              </Menu.Item>
            </MoreActions>
          )}
        </Group>
      }
    >
      {sync.error !== null && <FailureNotice title={t("The sync failed")} error={sync.error} onRetry={() => sync.mutate()} />}
      {sync.error === null && state.data?.problem && (
        <Alert color="yellow" title={t("The hourly sync fails")}>
          <Told text={state.data.problem} said={fixed(state.data.problem)} />{" "}
          {state.data.nextAt !== null && rich(t("Next attempt: <0/>."), <Moment at={state.data.nextAt} />)}
        </Alert>
      )}
      <FilterBar
        search={search}
        read={readTemplatesSearch}
        placeholder={t("Search name or text")}
        filters={[{ name: "status", label: t("Status"), options: useStatuses() }]}
        views="templates"
      />
      <TemplateList search={search} />
    </Page>
  );
}

/** Every status with its number of templates. */
function useStatuses() {
  const { data } = trpc.templates.counts.useQuery(undefined, {
    refetchInterval: ({ state }) => ((state.data?.counts.pending ?? 0) > 0 ? reviewMs : false),
  });
  return templateStatuses.map((value) => ({
    value,
    label: data === undefined ? translated(value) : `${translated(value)} ${formatCount(data.counts[value])}`,
  }));
}

function LastRead({ lastAt, nextAt }: Outputs["templates"]["syncState"]) {
  if (nextAt === null) return rich(t("Not connected to WhatsApp yet. <0>Open Settings › WhatsApp</0>"), <TextLink to={paths.platform} />);
  if (lastAt === null) return t("Not synced yet; this happens every hour.");
  return rich(t("Last synced <0/>, then every hour."), <Moment at={lastAt} />);
}

function outcome({ imported, updated }: Outputs["templates"]["sync"]): string {
  if (imported + updated === 0) return t("Templates synced: no changes.");
  return t("Templates synced: {imported} imported, {updated} updated.", { imported: formatCount(imported), updated: formatCount(updated) });
}

type Template = Outputs["templates"]["list"]["items"][number];

type Use = Outputs["templates"]["usage"]["items"][number];

/** `isRefused`: WhatsApp gave a reason for one of them. */
const columnsOf = (uses: ReadonlyMap<string, Use>, isRefused: boolean): Column<Template>[] => [
  { name: t("Name"), kind: "title", cell: ({ name }) => name },
  { name: t("Text"), kind: "long", cell: ({ body }) => body },
  { name: t("Status"), kind: "status", cell: ({ status }) => <TemplateStatusBadge status={status} /> },
  ...(isRefused ? [{ name: t("Reason"), cell: ({ reason, status }: Template) => status !== "approved" && whyNot(reason) }] : []),
  { name: t("Language"), kind: "short", isExtra: true, cell: ({ language }) => formatLanguage(language) },
  { name: t("Category"), kind: "short", isExtra: true, cell: ({ category }) => categoryName(category) },
  { name: t("Quality"), kind: "short", cell: ({ quality }) => <QualityBadge quality={quality} /> },
  { name: t("Used by"), kind: "short", cell: ({ id }) => <UsedBy use={uses.get(id)} /> },
  { name: t("Newest messages"), kind: "short", cell: ({ id }) => describeRates(uses.get(id)) },
  { name: t("Changed"), kind: "short", isExtra: true, cell: ({ updatedAt }) => <Moment at={updatedAt} /> },
];

const whyNot = (reason: string | null): string | null => reason && (rejectionAdvice(reason) ?? reason);

function TemplateList({ search }: { search: TemplatesSearch }) {
  const templates = trpc.templates.list.useInfiniteQuery({ ...search, limit: 50 }, byPage);
  const all = templates.data?.pages.flatMap(({ items }) => items) ?? [];
  useReviews(all, templates.refetch);
  const usages = trpc.useQueries((ask) =>
    (templates.data?.pages ?? [])
      .filter(({ items }) => items.length > 0)
      .map(({ items }) => ask.templates.usage({ ids: items.map(({ id }) => id) }, { staleTime: usageFreshMs })),
  );
  const uses = new Map(usages.flatMap(({ data }) => data?.items.map((use) => [use.templateId, use] as const) ?? []));
  return (
    <PagedTable
      label={t("Templates")}
      query={templates}
      what={t("the templates")}
      empty={
        <EmptyState
          title={t("No templates yet")}
          action={useMay("operator") && <ButtonLink to={paths.templateGallery}>{t("Choose from the gallery")}</ButtonLink>}
        >
          {t(
            "A template is a message with variables, such as “Hello '{{'1'}}', your order is on its way”. Choose some from the gallery or create one, and WhatsApp reviews it, usually within minutes. Sync to import templates that exist there already.",
          )}
        </EmptyState>
      }
      filtered={isFiltered(search) && null}
      columns={columnsOf(
        uses,
        all.some(({ reason, status }) => reason !== null && status !== "approved"),
      )}
      rowLink={({ id }) => pages.template(id)}
    />
  );
}

const usageFreshMs = 60_000;

/** Leads to the bindings. */
function UsedBy({ use }: { use: Use | undefined }) {
  if (use === undefined || use.sites.length === 0) return null;
  const bindings = use.sites.reduce((sum, site) => sum + site.bindings, 0);
  return (
    <TextLink to={paths.bindings} search={{ templateId: use.templateId }}>
      {t("{bindings, plural, one {# binding} other {# bindings}}", { bindings })}
      {use.sites.length > 1 && t(" of {count, plural, one {# site} other {# sites}}", { count: use.sites.length })}
    </TextLink>
  );
}
