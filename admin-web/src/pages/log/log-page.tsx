import { Button, Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import IconAdjustmentsHorizontal from "@tabler/icons-react/dist/esm/icons/IconAdjustmentsHorizontal.mjs";
import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import IconX from "@tabler/icons-react/dist/esm/icons/IconX.mjs";
import { useSearch, useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { notificationStatuses, readLogSearch } from "shared/core/message";
import { formatMoment } from "../../format.ts";
import { t, translated } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { CsvButton } from "../../ui/buttons.tsx";
import { DateRange } from "../../ui/date-range.tsx";
import { TextFilter, useTypedFilter } from "../../ui/filters.tsx";
import { useOperationsAdvance } from "../../ui/operations.tsx";
import { Page } from "../../ui/page.tsx";
import { SiteSelect, useSiteName } from "../../ui/pickers.tsx";
import { SavedViews } from "../../ui/saved-views.tsx";
import { daySpan, isDay } from "../../ui/search-params.ts";
import { SuggestedFilter } from "../../ui/suggested-filter.tsx";
import { ResendManyButton } from "./many-messages.tsx";
import { csvAddress, filtersOf, type LogFilters, changeLogSearch } from "./route.ts";
import { LogList } from "./table.tsx";
import { useLookAgain } from "./use-log.ts";
import classes from "./log.module.css";

export function LogPage() {
  const search = useSearch({ from: `/signed-in${paths.log}` });
  const isOperator = useMay("operator");
  const filters = filtersOf(search);
  useOperationsAdvance(useLookAgain());
  return (
    <Page
      title={t("Log")}
      lead={t("Every message, its status, and why it failed.")}
      actions={
        <Group gap="sm">
          {isOperator && <ResendManyButton filters={filters} />}
          <CsvButton href={csvAddress(filters)} />
        </Group>
      }
    >
      <SavedViews list="log" search={filters} mayWrite={isOperator} />
      <LogFilterBar filters={filters} />
      <LogList search={search} />
    </Page>
  );
}

/** Frequent filters, a button for more, and chips for the active ones. */
function LogFilterBar({ filters }: { filters: LogFilters }) {
  const change = useChangeFilters();
  const [isOpen, { toggle }] = useDisclosure(false);
  return (
    <Stack component="search" gap="sm" aria-label={t("Filters")}>
      <div className={classes["bar"]}>
        <SearchBox value={filters.search} onChange={(search) => change({ search })} />
        <NativeSelect
          aria-label={t("Status")}
          data={[{ value: "", label: t("Any status") }, ...notificationStatuses.map((value) => ({ value, label: translated(value) }))]}
          value={filters.status ?? ""}
          onChange={(event) => change({ status: event.currentTarget.value })}
        />
        <SiteSelect
          label={undefined}
          aria-label={t("Site")}
          placeholder={t("Any site")}
          value={filters.siteId ?? null}
          onChange={(siteId) => change({ siteId })}
          clearable
          clearButtonProps={{ "aria-label": t("Any site") }}
        />
        <Button
          variant="default"
          leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
          aria-expanded={isOpen}
          aria-controls="more-filters"
          onClick={toggle}
        >
          {t("More filters")}
        </Button>
      </div>
      <div id="more-filters" hidden={!isOpen}>
        {isOpen && <MoreFilters filters={filters} />}
      </div>
      <ActiveFilters filters={filters} />
    </Stack>
  );
}

function SearchBox({ value, onChange }: { value: string | undefined; onChange: (value: string) => void }) {
  const [text, type] = useTypedFilter(value, onChange);
  const seesPhones = useMay("seePhones");
  const field = useRef<HTMLInputElement>(null);
  useHotkeys([["/", () => field.current?.focus()]]);
  return (
    <TextInput
      ref={field}
      type="search"
      aria-label={t("Search")}
      placeholder={seesPhones ? t("Order, name, phone number, value or ID") : t("Order, value or ID")}
      leftSection={<IconSearch size={16} aria-hidden />}
      maxLength={500}
      className={classes["search"] ?? ""}
      value={text}
      onChange={(event) => type(event.currentTarget.value)}
    />
  );
}

const labels: Record<keyof LogFilters, string> = {
  search: t("Search"),
  siteId: t("Site"),
  status: t("Status"),
  event: t("Event"),
  template: t("Template"),
  templateId: t("Template ID"),
  bindingId: t("Binding ID"),
  phone: t("Phone"),
  errorCode: t("Error code"),
  test: t("Tests"),
  eventId: t("Event ID"),
  operationId: t("Operation"),
  failedFrom: t("Failed since"),
  from: t("First day"),
  to: t("Last day"),
};

/** A day is a date and never a time. */
const spanLabels = { from: t("From"), to: t("Until"), failedFrom: labels.failedFrom };

function ActiveFilters({ filters }: { filters: LogFilters }) {
  const change = useChangeFilters();
  const siteName = useSiteName();
  const names = Object.keys(labels) as (keyof LogFilters)[];
  const chips = names.flatMap((name) => {
    const value = filters[name];
    if (value === undefined) return [];
    return [{ ...shown(name, value, siteName), onRemove: () => change({ [name]: undefined }) }];
  });
  return <FilterChips chips={chips} onClear={() => change(Object.fromEntries(names.map((name) => [name, undefined])))} />;
}

interface FilterChip {
  name: string;
  value: string;
  onRemove: () => void;
}

/** The active filters, each with a button to remove it. */
function FilterChips({ chips, onClear }: { chips: FilterChip[]; onClear: () => void }) {
  if (chips.length === 0) return null;
  return (
    <Group gap={6} role="group" aria-label={t("Active filters")}>
      {chips.map(({ name, value, onRemove }) => (
        <Button
          key={name}
          variant="default"
          size="compact-xs"
          radius="xl"
          maw="100%"
          fw={500}
          aria-label={t("Remove filter {name}: {value}", { name, value })}
          rightSection={<IconX size={12} aria-hidden />}
          onClick={onRemove}
        >
          {name}: {value}
        </Button>
      ))}
      <Button variant="subtle" size="compact-xs" onClick={onClear}>
        {t("Clear filters")}
      </Button>
    </Group>
  );
}

/** The chip of a filter; a search is labelled with its meaning. */
function shown(name: keyof LogFilters, value: string | boolean, siteName: (id: string) => string): { name: string; value: string } {
  if (typeof value === "boolean") return { name: labels[name], value: value ? t("only") : t("left out") };
  if (name === "siteId") return { name: labels[name], value: siteName(value) };
  if (name === "from" || name === "to" || name === "failedFrom")
    return isDay(value) ? { name: labels[name], value } : { name: spanLabels[name], value: formatMoment(value) };
  if (name !== "search") return { name: labels[name], value };
  const meaning = readLogSearch(value);
  if ("phone" in meaning) return { name: t("Searched phone"), value: meaning.phone };
  if ("anyId" in meaning) return { name: t("Message, event or order ID"), value: meaning.anyId };
  return { name: value.startsWith("wamid.") ? t("WhatsApp message ID") : labels.search, value };
}

function MoreFilters({ filters }: { filters: LogFilters }) {
  const change = useChangeFilters();
  const seesPhones = useMay("seePhones");
  const { siteId } = filters;
  return (
    <div className={classes["more"]}>
      <SuggestedFilter
        label={t("Event")}
        placeholder="order.created"
        field="event"
        within={{ siteId }}
        value={filters.event}
        onChange={(event) => change({ event })}
      />
      <SuggestedFilter label={t("Template")} field="template" value={filters.template} onChange={(template) => change({ template })} />
      {seesPhones && (
        <TextFilter label={t("Phone")} placeholder="+491701234567" value={filters.phone} onChange={(phone) => change({ phone })} />
      )}
      <SuggestedFilter
        label={t("Error code")}
        placeholder="131026"
        field="errorCode"
        within={{ siteId, ...daySpan(filters) }}
        value={filters.errorCode}
        onChange={(errorCode) => change({ errorCode })}
      />
      <TextFilter label={t("Event ID")} value={filters.eventId} onChange={(eventId) => change({ eventId })} />
      <DateRange range={filters} onChange={change} />
    </div>
  );
}

/** Changes filters in the address, so that a view can be shared and reloaded. */
function useChangeFilters(): (changes: { [Name in keyof LogFilters]: string | null | undefined }) => void {
  const navigate = useNavigate();
  return (changes) => void navigate({ to: paths.log, search: changeLogSearch(changes), replace: true, resetScroll: false });
}
