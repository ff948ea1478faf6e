import { useSearch } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { Page } from "../../ui/page/page.tsx";
import { EventDrawer } from "./event/event-drawer.tsx";
import { EventFilters } from "./filters/event-filters.tsx";
import { EventList } from "./list/event-list.tsx";

export function EventsPage() {
  const { open, ...filters } = useSearch({ from: `/signed-in${paths.events}` });
  return (
    <Page title="Events" lead="What your sites posted, and what became of it: tests and dry runs too.">
      <EventFilters filters={filters} />
      <EventList filters={filters} />
      <EventDrawer id={open} />
    </Page>
  );
}
