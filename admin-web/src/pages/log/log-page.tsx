import { Group } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { notificationStatuses } from "shared/core/message";
import { t, translated } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { CsvButton } from "../../ui/buttons.tsx";
import { type Filter, FilterBar } from "../../ui/filter-bar.tsx";
import {
  dayOrMoment,
  onlyFilter,
  periodFilter,
  suggestedFilter,
  testSiteFilter,
  typedFilter,
  phoneFilter,
  useOperationFilter,
  useSiteFilter,
} from "../../ui/list-filters.tsx";
import { counting } from "../../ui/list-head.tsx";
import { MoreActions } from "../../ui/more-actions.tsx";
import { useOperationsAdvance } from "../../ui/operations.tsx";
import { Page } from "../../ui/page.tsx";
import { useModeOf } from "../../ui/site-mode.ts";
import { ResendManyButton } from "./many-messages.tsx";
import { csvAddress, filtersOf, logFilter, type LogSearch, readLogSearch } from "./route.ts";
import { LogList } from "./table.tsx";
import { useLookAgain } from "./use-log.ts";

export function LogPage() {
  const search = useSearch({ from: `/signed-in${paths.log}` });
  const [isOperator, seesPhones] = [useMay("operator"), useMay("seePhones")];
  const filters = useModeOf(filtersOf(search));
  useOperationsAdvance(useLookAgain());
  const { data: counted, isLoadingError } = trpc.notifications.count.useQuery(logFilter(filters), counting);
  return (
    <Page
      title={t("Messages")}
      actions={
        !isLoadingError &&
        (counted?.total !== 0 || counted.more) && (
          <Group gap="sm" wrap="nowrap">
            {isOperator && <ResendManyButton filters={filters} />}
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
        views={{ list: "log", mayWrite: isOperator }}
      />
      <LogList search={search} />
    </Page>
  );
}

function useFilters(search: LogSearch): Filter<LogSearch>[] {
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
    useSiteFilter(),
    suggestedFilter("event", t("Event")),
    suggestedFilter("template", t("Template")),
    ...phoneFilter<LogSearch>(useMay("seePhones")),
    suggestedFilter("errorCode", t("Error code")),
    periodFilter(),
    onlyFilter("test", t("Tests")),
    testSiteFilter(),
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
