import { readLogSearch } from "shared/core/message";
import { useSiteName } from "../../../pickers/use-site-name.ts";
import { FilterChips } from "../../../ui/filters/filter-chips.tsx";
import type { LogFilters } from "../log-search.ts";
import { useChangeFilters } from "./use-change-filters.ts";

const words: Record<keyof LogFilters, string> = {
  search: "Search",
  siteId: "Site",
  status: "Status",
  event: "Event",
  template: "Template",
  phone: "Phone",
  errorCode: "Error code",
  eventId: "Event id",
  from: "From",
  to: "To",
};

export function ActiveFilters({ filters }: { filters: LogFilters }) {
  const change = useChangeFilters();
  const siteName = useSiteName();
  const names = Object.keys(words) as (keyof LogFilters)[];
  const chips = names.flatMap((name) => {
    const value = filters[name];
    if (value === undefined) return [];
    return [{ ...shown(name, value, siteName), onRemove: () => change({ [name]: undefined }) }];
  });
  return <FilterChips chips={chips} onClear={() => change(Object.fromEntries(names.map((name) => [name, undefined])))} />;
}

/** A search is shown as what it was taken for. */
function shown(name: keyof LogFilters, value: string, siteName: (id: string) => string): { name: string; value: string } {
  if (name === "siteId") return { name: words[name], value: siteName(value) };
  if (name !== "search") return { name: words[name], value };
  const taken = readLogSearch(value);
  if ("phone" in taken) return { name: "Phone searched", value: taken.phone };
  if ("anyId" in taken) return { name: "Id of a message, event or order", value: taken.anyId };
  return { name: "Platform's message id", value: taken.waMessageId };
}
