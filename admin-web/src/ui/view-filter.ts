import { type ViewFilter, type ViewList, viewMembers, viewPeriods } from "shared/core/saved-view";
import { presetOf, rangeOf } from "./date-range.tsx";
import { searchOneOf } from "./search-params.ts";

type Search = Readonly<Record<string, unknown>>;

/** What a view of the list keeps of a page's search parameters: a usual period as such, so that it moves on with the days. */
export function toViewFilter(list: ViewList, search: Search, now = new Date()): ViewFilter {
  const kept: Record<string, unknown> = {};
  for (const name of viewMembers[list]) if (search[name] !== undefined) kept[name] = search[name];
  const { from, to, ...rest } = kept as ViewFilter;
  const period = searchOneOf(viewPeriods, presetOf({ from, to }, now));
  return period === undefined ? kept : { ...rest, period };
}

/** The search parameters of a view as they are now. */
export function toSearch({ period, ...filter }: ViewFilter, now = new Date()): Omit<ViewFilter, "period"> {
  return period === undefined ? filter : { ...filter, ...rangeOf(period, now) };
}

/** Whether the search holds what no view keeps, since it may name a customer. */
export const isPersonal = (search: Search): boolean => personal.some((name) => search[name] !== undefined);

const personal = ["search", "phone", "eventId", "orderId"];

export const isSameFilter = (one: ViewFilter, other: ViewFilter): boolean => inOrder(one) === inOrder(other);

const inOrder = (filter: ViewFilter): string => JSON.stringify(Object.entries(filter).toSorted(([one], [other]) => (one < other ? -1 : 1)));
