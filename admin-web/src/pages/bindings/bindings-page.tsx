import { Button, Stack, Text, Switch } from "@mantine/core";
import { Link, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { describeSchedule, describeStart } from "shared/core/schedule/describe";
import { mergeSchedule } from "shared/core/schedule/merge";
import { sentenceCase } from "shared/core/text";
import { t } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { cache, type Outputs, trpc, trpcClient } from "../../trpc.ts";
import { ButtonLink, TextLink } from "../../ui/base/buttons.tsx";
import { Status } from "../../ui/base/facts.tsx";
import { describeConditions, describeRecipient } from "../../ui/base/labels.ts";
import { later, part } from "../../ui/base/later.tsx";
import { Page, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { useSiteLabel, useSiteName } from "../../ui/base/site-names.tsx";
import { useSwitch } from "../../ui/base/use-switch.ts";
import { type Filter, FilterBar } from "../../ui/list/filter-bar.tsx";
import { hasText, inField, isFiltered, onlyRows, suggestedFilter, useSiteFilter } from "../../ui/list/list-filters.tsx";
import { PagedTable } from "../../ui/list/paged-table.tsx";
import { tellState } from "../../ui/list/state-line.ts";
import { useBindingFaults } from "../../ui/problem/binding-faults.tsx";
import { type Column, byPage } from "../../ui/table/data-table.tsx";
import { useChooseLoaded, useSelection } from "../../ui/table/selection.tsx";
import { TemplateStatusBadge } from "../../ui/template/template-labels.tsx";
import { useAllTemplates } from "../../ui/template/templates.ts";
import { type BindingsSearch, readBindingsSearch } from "./route.ts";

const TemplateSelect = part(async () => (await import("../../ui/form/pickers.tsx")).TemplateSelect);
const SelectedBindings = later(async () => (await import("./selected-bindings.tsx")).SelectedBindings);

type ListedBinding = Outputs["bindings"]["list"]["items"][number];

export function BindingsPage() {
  const search = useSearch({ from: `/signed-in${paths.bindings}` });
  const { siteId, event } = search;
  const mayWrite = useMay("operator");
  const all = trpc.bindings.list.useQuery({ limit: 200 });
  return (
    <Page
      title={t("Bindings")}
      lead={useStateLine(all.data)}
      actions={
        // The list itself has it while it is empty.
        mayWrite &&
        all.data?.items.length !== 0 && (
          <Button renderRoot={(props) => <Link to={paths.newBinding} search={{ siteId, event }} {...props} />}>{t("New binding")}</Button>
        )
      }
    >
      <FilterBar<BindingsSearch>
        search={search}
        read={readBindingsSearch}
        placeholder={t("Event or template")}
        filters={[
          useSiteFilter<BindingsSearch>(),
          suggestedFilter("event", t("Event")),
          suggestedFilter("field", t("Uses field")),
          useTemplateFilter(),
        ]}
        views="bindings"
      />
      <BindingList search={search} />
    </Page>
  );
}

/** How many of all bindings have a mark in the list, by what it says. */
function useStateLine({ items, nextCursor }: Partial<Outputs["bindings"]["list"]> = {}) {
  const faultsOf = useBindingFaults();
  if (items === undefined) return "";
  const kinds = items.map((binding) => new Set(faultsOf(binding).map(({ kind }) => named[kind] ?? "other")));
  const count = (name: string) => ({ total: kinds.filter((each) => each.has(name)).length, more: nextCursor != null });
  const found = { blocked: count("blocked"), idle: count("idle"), doubled: count("doubled"), other: count("other") };
  return tellState("bindings", { ...found, calm: kinds.every(({ size }) => size === 0) && items.length });
}

const named: Record<string, string> = { binding_cannot_send: "blocked", binding_never_fired: "idle", binding_doubled: "doubled" };

function useTemplateFilter(): Filter<BindingsSearch> {
  const { templates } = useAllTemplates();
  return {
    name: "templateId",
    label: t("Template"),
    tell: ({ templateId }) => templates.find(({ id }) => id === templateId)?.name ?? "…",
    edit: ({ templateId }, change) => (
      <TemplateSelect {...inField} clearable value={templateId ?? null} onChange={(value) => change({ templateId: value })} />
    ),
  };
}

const columnsOf = (siteLabel: (id: string) => ReactNode, problemsOf: (row: ListedBinding) => string): Column<ListedBinding>[] => [
  { name: t("Event"), kind: "title", isNarrow: true, cell: ({ event }) => event },
  { name: t("Site"), kind: "short", cell: ({ siteId }) => siteLabel(siteId) },
  { name: t("Sends"), kind: "short", cell: ({ template }) => template },
  { name: t("To"), cell: ({ recipient }) => describeRecipient(recipient) },
  { name: t("When"), cell: whenOf },
  { name: t("Problem"), cell: (row) => problemsOf(row) !== "" && <Status tone="attention">{problemsOf(row)}</Status> },
  { name: t("Template"), kind: "status", isExtra: true, cell: ({ templateStatus }) => <TemplateStatusBadge status={templateStatus} /> },
  { name: t("On"), kind: "short", cell: (binding) => <BindingSwitch binding={binding} /> },
];

/** On what conditions, and after which wait. What else the schedule says stands in the tooltip and on the binding's page. */
function whenOf(binding: ListedBinding): ReactNode {
  const { conditions } = binding;
  const schedule = mergeSchedule(binding);
  const condition = conditions && t("if {conditions}", { conditions: describeConditions(conditions) });
  const [start = null] = schedule === null ? [] : describeStart(schedule, t);
  const told = (wait: string | null) => sentenceCase([condition, wait].filter((part) => part !== null).join(" · "));
  const [shown, whole] = [told(start), told(schedule && describeSchedule(schedule, t))];
  return whole !== "" && <span title={whole}>{shown === whole ? shown : `${shown}\u00a0…`}</span>;
}

function BindingList({ search }: { search: BindingsSearch }) {
  const { search: text, ...filters } = search;
  const bindings = trpc.bindings.list.useInfiniteQuery(
    { ...filters, limit: 50 },
    { ...byPage, select: (data) => onlyRows(data, ({ event, template }) => hasText(text, `${event} ${template}`)) },
  );
  const [siteName, siteLabel, faultsOf] = [useSiteName(), useSiteLabel(), useBindingFaults()];
  const problemsOf = (row: ListedBinding) =>
    faultsOf(row)
      .map(({ told }) => told)
      .join(" · ");
  const loaded = bindings.data?.pages.flatMap(({ items }) => items) ?? [];
  const selection = useSelection(loaded, JSON.stringify(search));
  const all = useChooseLoaded(bindings, selection);
  // What came of a change is told by the bar, also once nothing is chosen any more.
  const [wasChosen, setChosen] = useState(false);
  if (!wasChosen && selection.ids.length > 0) setChosen(true);
  const mayWrite = useMay("operator");
  const nameOf = ({ event, template, siteId }: ListedBinding) =>
    t("{event} sends {template}, {siteId}", { event, template, siteId: siteName(siteId) });
  return (
    <Stack gap="sm">
      <PagedTable
        label={t("Bindings")}
        query={bindings}
        what={t("the bindings")}
        empty={
          <EmptyState title={t("No bindings yet")} action={mayWrite && <ButtonLink to={paths.newBinding}>{t("New binding")}</ButtonLink>}>
            {t(
              "A binding is a message rule: it says which template an event sends, to whom, and with which variables. It needs a site that sends events, and a template.",
            )}
          </EmptyState>
        }
        filtered={isFiltered(search) && <BindFiltered {...search} />}
        columns={columnsOf(siteLabel, problemsOf)}
        rowLink={({ id }) => pages.binding(id)}
        choice={mayWrite ? { selection, nameOf } : undefined}
      />
      {mayWrite && wasChosen && <SelectedBindings selection={selection} all={all} />}
    </Stack>
  );
}

const BindFiltered = ({ siteId, event, templateId }: BindingsSearch) =>
  useMay("operator") && (
    <Text>
      <TextLink to={paths.newBinding} search={{ siteId, event, templateId }}>
        {t("Create binding for these filters")}
      </TextLink>
    </Text>
  );

/** Switches a binding on or off. */
function BindingSwitch({ binding: { id, event, template, enabled } }: { binding: ListedBinding }) {
  const mayWrite = useMay("operator");
  // The switch shows the new position until the list is reloaded.
  const turn = async (isOn: boolean) => {
    cache.bindings.get.setData({ id }, await trpcClient.bindings.update.mutate({ id, enabled: isOn }));
    await cache.bindings.list.invalidate();
  };
  const shown = useSwitch(enabled, turn);
  if (!mayWrite) return <Status tone={enabled ? "delivered" : "waiting"}>{enabled ? t("On") : t("Off")}</Status>;
  return <Switch aria-label={t("{event} sends {template}", { event, template })} {...shown} />;
}
