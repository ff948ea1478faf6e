import { Autocomplete, type AutocompleteProps, TextInput } from "@mantine/core";
import { EventNameInput } from "../../../pickers/event-name-input.tsx";
import { useAllTemplates } from "../../../pickers/use-all-templates.ts";
import { useMay } from "../../../session/me.ts";
import { useTypedFilter } from "../../../ui/filters/use-typed-filter.ts";
import type { LogFilters } from "../log-search.ts";
import { useChangeFilters } from "./use-change-filters.ts";
import classes from "./log-filter-bar.module.css";

const longestText = 500;

export function MoreFilters({ filters }: { filters: LogFilters }) {
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
      <TypedFilter label="Event id" typed={filters.eventId} onType={(eventId) => change({ eventId })} />
      <TextInput type="date" label="From" value={filters.from ?? ""} onChange={(day) => change({ from: day.currentTarget.value })} />
      <TextInput type="date" label="To" value={filters.to ?? ""} onChange={(day) => change({ to: day.currentTarget.value })} />
    </div>
  );
}

interface TypedFilterProps extends Omit<AutocompleteProps, "value" | "onChange"> {
  typed: string | undefined;
  onType: (text: string) => void;
}

/** Free text, with the names that there are to choose from. */
function TypedFilter({ typed, onType, ...props }: TypedFilterProps) {
  const [text, type] = useTypedFilter(typed, onType);
  return <Autocomplete maxLength={longestText} value={text} onChange={type} {...props} />;
}
