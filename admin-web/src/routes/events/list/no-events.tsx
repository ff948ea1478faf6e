import { paths } from "../../../paths.ts";
import { EmptyState } from "../../../ui/states/empty-state.tsx";
import { TextLink } from "../../../ui/text-link.tsx";
import type { EventFilters } from "../events-search.ts";

export function NoEvents({ filters }: { filters: EventFilters }) {
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  if (isFiltered) {
    return (
      <EmptyState title="Nothing fits these filters">
        <TextLink to={paths.events} search={{}}>
          Show everything
        </TextLink>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No event has come yet">
      Post a signed event to the gateway, and it stands here at once, sent or not, with what became of it.{" "}
      <TextLink to={paths.firstDay}>The first steps</TextLink> have code to copy with your site&apos;s own key.
    </EmptyState>
  );
}
