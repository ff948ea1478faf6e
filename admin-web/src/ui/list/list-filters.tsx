import type { ReactNode } from "react";
import { formatMoment, formatDay, formatParts, formatTime } from "../../format.ts";
import { t } from "../../language.ts";
import { trpc } from "../../trpc.ts";
import { part } from "../base/later.tsx";
import { useMay } from "../base/role.ts";
import { useSiteName } from "../base/site-names.tsx";
import { operationLabel } from "../operation/operations.tsx";
import { DateRange, presetLabel } from "./date-range.tsx";
import type { Filter } from "./filter-bar.tsx";
import { TextFilter } from "./filters.tsx";
import { daySpan, isDay } from "./search-params.ts";

/** Fields that load with the first filter that is opened. */
const SiteSelect = part(async () => (await import("../form/pickers.tsx")).SiteSelect);
const SuggestedFilter = part(async () => (await import("./suggested-filter.tsx")).SuggestedFilter);

type Common = Partial<Record<"siteId" | "from" | "to", string | undefined>>;

/** A list of choices inside the field of a filter: a click on it must not close the field. */
export const inField = { comboboxProps: { withinPortal: false }, "data-autofocus": true } as const;

/** The text of a search parameter. */
const textOf = (search: object, name: string) => (search as Record<string, string | string[] | undefined>)[name]?.toString();

export function useSiteFilter<Search extends Common>(): Filter<Search> {
  const siteName = useSiteName();
  return {
    name: "siteId",
    label: t("Site"),
    tell: ({ siteId }) => siteName(siteId ?? ""),
    edit: ({ siteId }, change) => (
      <SiteSelect {...inField} clearable value={siteId ?? null} onChange={(value) => change({ siteId: value } as never)} />
    ),
  };
}

/** Only what has one value of a member, or what has the other. */
export const onlyFilter = <Search extends object>(name: string, label: string, only = "true", other = "false"): Filter<Search> => ({
  name,
  label,
  options: [
    { value: only, label: t("Only") },
    { value: other, label: t("Left out") },
  ],
});

/** A value that the account's messages or bindings have, offered while somebody types. */
export const suggestedFilter = <Search extends Common>(
  name: "event" | "template" | "errorCode" | "field",
  label: string,
): Filter<Search> => ({
  ...typedFilter<Search>(name, label),
  edit: (search, change) => (
    <SuggestedFilter
      {...inField}
      label={label}
      field={name}
      within={name === "template" ? {} : { siteId: search.siteId, ...(name === "errorCode" && daySpan(search)) }}
      value={textOf(search, name)}
      onChange={(value) => change({ [name]: value } as never)}
    />
  ),
});

/** A text that is typed as a whole. */
export const typedFilter = <Search extends object>(name: string, label: string, placeholder?: string): Filter<Search> => ({
  name,
  label,
  tell: (search) => textOf(search, name) ?? "",
  edit: (search, change) => (
    <TextFilter
      data-autofocus
      label={label}
      placeholder={placeholder}
      value={textOf(search, name)}
      onChange={(value) => change({ [name]: value } as never)}
    />
  ),
});

/** An operation, which only links set, by what it did and when. */
export function useOperationFilter<Search extends { operationId?: string | undefined }>({ operationId: id = "" }: Search): Filter<Search> {
  const operation = trpc.operations.get.useQuery({ id }, { enabled: id !== "" }).data?.operation;
  const told = operation === undefined ? "…" : formatParts([operationLabel(operation.kind), formatTime(operation.startedAt)]);
  return { ...typedFilter("operationId", t("Operation")), tell: () => told };
}

/** A phone, for those who see them. */
export const phoneFilter = <Search extends object>(seesPhones: boolean): Filter<Search>[] =>
  seesPhones ? [typedFilter("phone", t("Phone"), "+491701234567")] : [];

/** What a search of messages, events or deliveries finds for the reader. */
export const useSoughtWords = () => (useMay("seePhones") ? t("Order, name, phone or value") : t("Order or value"));

/** The filters of more than one list of messages or events. */
export const useCommonFilters = <Search extends Common>() => ({
  site: useSiteFilter<Search>(),
  event: suggestedFilter<Search>("event", t("Event")),
  template: suggestedFilter<Search>("template", t("Template")),
  phone: phoneFilter<Search>(useMay("seePhones")),
  tests: onlyFilter<Search>("test", t("Tests")),
  testSites: onlyFilter<Search>("siteMode", t("Test sites"), "test", "live"),
  period: periodFilter<Search>(),
});

/** A usual period, or from a day to a day. `zone`: that of the days, the reader's unless given. */
export const periodFilter = <Search extends Common>(zone?: string): Filter<Search> => ({
  name: "period",
  label: t("Period"),
  members: ["from", "to"],
  tell: (range) =>
    presetLabel(range, zone) ?? [...new Set([range.from, range.to])].map((at) => (at === undefined ? "…" : dayOrMoment(at))).join(" – "),
  edit: (range, change): ReactNode => <DateRange range={range} zone={zone} onChange={(span) => change(span as never)} />,
});

/** A day is a date and never a time. */
export const dayOrMoment = (at: string): string => (isDay(at) ? formatDay(at) : formatMoment(at));

/** The rows with those of the order whose number is searched for before the others. */
export function exactFirst<Row extends { orderNumber: string | null }>(rows: Row[], search: string | undefined): Row[] {
  const number = search?.trim().replace(/^[#\uff03\s]+/u, "");
  const isExact = ({ orderNumber }: Row) => orderNumber?.replace(/^[#\uff03\s]+/u, "") === number;
  return number === undefined || !rows.some(isExact) ? rows : [...rows.filter(isExact), ...rows.filter((row) => !isExact(row))];
}

type Pages = { pages: { items: readonly unknown[] }[] };

/** The loaded pages of a short list with those rows alone that the page itself looks for. */
export const onlyRows = <Data extends Pages>(data: Data, keep: (row: Data["pages"][number]["items"][number]) => boolean): Data => ({
  ...data,
  pages: data.pages.map((page) => ({ ...page, items: page.items.filter(keep) })),
});

/** Whether one of the texts has all that is searched for. */
export const hasText = (search: string | undefined, ...texts: unknown[]): boolean =>
  texts.some((text) =>
    String(text)
      .toLowerCase()
      .includes(search?.trim().toLowerCase() ?? ""),
  );

/** Whether a search narrows its list. */
export const isFiltered = (search: object): boolean =>
  Object.entries(search).some(([name, value]) => value !== undefined && name !== "open" && name !== "columns");
