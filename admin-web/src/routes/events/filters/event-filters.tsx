import { NativeSelect, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { paths } from "../../../paths.ts";
import { EventNameInput } from "../../../pickers/event-name-input.tsx";
import { SiteSelect } from "../../../pickers/site-select.tsx";
import { useTypedFilter } from "../../../ui/filters/use-typed-filter.ts";
import { changeEventsSearch, type EventFilters as Filters } from "../events-search.ts";
import { type Kind, kindOf, kinds } from "./kinds.ts";
import { OrderFilter } from "./order-filter.tsx";
import classes from "./event-filters.module.css";

const kindChoices = Object.entries(kinds).map(([value, { label }]) => ({ value, label }));

/** They stand in the address, so that a view can be sent to somebody and comes back with a reload. */
export function EventFilters({ filters }: { filters: Filters }) {
  const navigate = useNavigate();
  const change = (changes: Parameters<typeof changeEventsSearch>[0]) =>
    void navigate({ to: paths.events, search: changeEventsSearch(changes), replace: true, resetScroll: false });
  const [name, typeName] = useTypedFilter(filters.event, (event) => change({ event }));
  return (
    <search aria-label="Filters" className={classes["filters"]}>
      <SiteSelect placeholder="Any site" clearable value={filters.siteId ?? null} onChange={(siteId) => change({ siteId })} />
      <EventNameInput siteId={filters.siteId ?? ""} placeholder="Any event" value={name} onChange={typeName} />
      <NativeSelect
        label="Kind"
        data={kindChoices}
        value={kindOf(filters)}
        onChange={(event) => change({ test: null, dryRun: null, ...kinds[event.currentTarget.value as Kind].flags })}
      />
      <OrderFilter orderId={filters.orderId} onChange={(orderId) => change({ orderId })} />
      <TextInput type="date" label="From" value={filters.from ?? ""} onChange={(event) => change({ from: event.currentTarget.value })} />
      <TextInput type="date" label="To" value={filters.to ?? ""} onChange={(event) => change({ to: event.currentTarget.value })} />
    </search>
  );
}
