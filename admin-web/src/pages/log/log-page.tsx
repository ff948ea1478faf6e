import { Button, Group, NativeSelect, Stack, TextInput, Autocomplete, type AutocompleteProps } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import IconAdjustmentsHorizontal from "@tabler/icons-react/dist/esm/icons/IconAdjustmentsHorizontal.mjs";
import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import IconX from "@tabler/icons-react/dist/esm/icons/IconX.mjs";
import { useSearch, useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { notificationStatuses, readLogSearch } from "shared/core/message";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { CsvButton } from "../../ui/buttons.tsx";
import { useTypedFilter } from "../../ui/filters.tsx";
import { Page } from "../../ui/page.tsx";
import { SiteSelect, useSiteName, EventNameInput, useAllTemplates } from "../../ui/pickers.tsx";
import { ResendManyButton, ResendProgress } from "./resend-many.tsx";
import { csvAddress, filtersOf, type LogFilters, changeLogSearch } from "./route.ts";
import { LogList } from "./table.tsx";
import classes from "./log.module.css";

export function LogPage() {
  const search = useSearch({ from: `/signed-in${paths.log}` });
  const isOperator = useMay("operator");
  const filters = filtersOf(search);
  return (
    <Page
      title="Log"
      lead="Every message, its status, and why it failed."
      actions={
        <Group gap="sm">
          {isOperator && <ResendManyButton filters={filters} />}
          <CsvButton href={csvAddress(filters)} />
        </Group>
      }
    >
      <LogFilterBar filters={filters} />
      {isOperator && search.resends !== undefined && <ResendProgress key={search.resends} id={search.resends} />}
      <LogList search={search} />
    </Page>
  );
}

/** Frequent filters, a button for more, and chips for the active ones. */
function LogFilterBar({ filters }: { filters: LogFilters }) {
  const change = useChangeFilters();
  const [isOpen, { toggle }] = useDisclosure(false);
  return (
    <Stack component="search" gap="sm" aria-label="Filters">
      <div className={classes["bar"]}>
        <SearchBox value={filters.search} onChange={(search) => change({ search })} />
        <NativeSelect
          aria-label="Status"
          data={[{ value: "", label: "Any status" }, ...notificationStatuses]}
          value={filters.status ?? ""}
          onChange={(event) => change({ status: event.currentTarget.value })}
        />
        <SiteSelect
          label={undefined}
          aria-label="Site"
          placeholder="Any site"
          value={filters.siteId ?? null}
          onChange={(siteId) => change({ siteId })}
          clearable
          clearButtonProps={{ "aria-label": "Any site" }}
        />
        <Button
          variant="default"
          leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
          aria-expanded={isOpen}
          aria-controls="more-filters"
          onClick={toggle}
        >
          More filters
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
  const seesPhones = useMay("operator");
  const field = useRef<HTMLInputElement>(null);
  useHotkeys([["/", () => field.current?.focus()]]);
  return (
    <TextInput
      ref={field}
      type="search"
      aria-label="Search"
      placeholder={seesPhones ? "Phone number, message ID, event ID or order ID" : "Message ID, event ID or order ID"}
      leftSection={<IconSearch size={16} aria-hidden />}
      maxLength={500}
      className={classes["search"] ?? ""}
      value={text}
      onChange={(event) => type(event.currentTarget.value)}
    />
  );
}

const labels: Record<keyof LogFilters, string> = {
  search: "Search",
  siteId: "Site",
  status: "Status",
  event: "Event",
  template: "Template",
  phone: "Phone",
  errorCode: "Error code",
  eventId: "Event ID",
  from: "From",
  to: "To",
};

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
    <Group gap={6} role="group" aria-label="Active filters">
      {chips.map(({ name, value, onRemove }) => (
        <Button
          key={name}
          variant="default"
          size="compact-xs"
          radius="xl"
          maw="100%"
          fw={500}
          aria-label={`Remove filter ${name}: ${value}`}
          rightSection={<IconX size={12} aria-hidden />}
          onClick={onRemove}
        >
          {name}: {value}
        </Button>
      ))}
      <Button variant="subtle" size="compact-xs" onClick={onClear}>
        Clear filters
      </Button>
    </Group>
  );
}

/** A search is labelled with its meaning. */
function shown(name: keyof LogFilters, value: string, siteName: (id: string) => string): { name: string; value: string } {
  if (name === "siteId") return { name: labels[name], value: siteName(value) };
  if (name !== "search") return { name: labels[name], value };
  const meaning = readLogSearch(value);
  if ("phone" in meaning) return { name: "Searched phone", value: meaning.phone };
  if ("anyId" in meaning) return { name: "Message, event or order ID", value: meaning.anyId };
  return { name: "WhatsApp message ID", value: meaning.waMessageId };
}

const longestText = 500;

function MoreFilters({ filters }: { filters: LogFilters }) {
  const change = useChangeFilters();
  const seesPhones = useMay("operator");
  const [event, typeEvent] = useTypedFilter(filters.event, (typed) => change({ event: typed }));
  const { templates } = useAllTemplates();
  const templateNames = [...new Set(templates.map(({ name }) => name))];
  return (
    <div className={classes["more"]}>
      <EventNameInput siteId={filters.siteId ?? ""} maxLength={longestText} value={event} onChange={typeEvent} />
      <TypedFilter label="Template" data={templateNames} typed={filters.template} onType={(template) => change({ template })} />
      {seesPhones && <TypedFilter label="Phone" placeholder="+491701234567" typed={filters.phone} onType={(phone) => change({ phone })} />}
      <TypedFilter label="Error code" placeholder="131026" typed={filters.errorCode} onType={(errorCode) => change({ errorCode })} />
      <TypedFilter label="Event ID" typed={filters.eventId} onType={(eventId) => change({ eventId })} />
      <TextInput type="date" label="From" value={filters.from ?? ""} onChange={(day) => change({ from: day.currentTarget.value })} />
      <TextInput type="date" label="To" value={filters.to ?? ""} onChange={(day) => change({ to: day.currentTarget.value })} />
    </div>
  );
}

interface TypedFilterProps extends Omit<AutocompleteProps, "value" | "onChange"> {
  typed: string | undefined;
  onType: (text: string) => void;
}

/** Free text with suggestions. */
function TypedFilter({ typed, onType, ...props }: TypedFilterProps) {
  const [text, type] = useTypedFilter(typed, onType);
  return <Autocomplete maxLength={longestText} value={text} onChange={type} {...props} />;
}

/** Changes filters in the address, so that a view can be shared and reloaded. */
function useChangeFilters(): (changes: { [Name in keyof LogFilters]: string | null | undefined }) => void {
  const navigate = useNavigate();
  return (changes) => void navigate({ to: paths.log, search: changeLogSearch(changes), replace: true, resetScroll: false });
}
