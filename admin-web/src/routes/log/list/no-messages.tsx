import { Card } from "@mantine/core";
import { paths } from "../../../paths.ts";
import { EmptyState } from "../../../ui/states/empty-state.tsx";
import { TextLink } from "../../../ui/text-link.tsx";
import type { LogFilters } from "../log-search.ts";

/** In place of the list: how to begin, or what keeps it empty. */
export function NoMessages({ filters }: { filters: LogFilters }) {
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return <Card withBorder>{isFiltered ? <NothingFits hasSearch={filters.search !== undefined} /> : <HowToBegin />}</Card>;
}

function NothingFits({ hasSearch }: { hasSearch: boolean }) {
  return (
    <EmptyState title="Nothing fits these filters">
      {hasSearch && "The search finds a whole phone number, the platform's id of a message, or the id of a message, an event or an order. "}
      <TextLink to={paths.log}>Show everything</TextLink>
    </EmptyState>
  );
}

function HowToBegin() {
  return (
    <EmptyState title="Nothing was sent yet">
      Every message stands here as soon as an event is posted for which a binding is switched on. The{" "}
      <TextLink to={paths.firstDay}>first steps</TextLink> lead there; events that sent nothing are among the{" "}
      <TextLink to={paths.events}>events</TextLink>, with the reason.
    </EmptyState>
  );
}
