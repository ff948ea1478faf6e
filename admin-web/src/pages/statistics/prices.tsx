import { formatCount } from "../../format.ts";
import { locale, t } from "../../language.ts";
import { type Inputs, type Outputs, trpc } from "../../trpc.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Section } from "../../ui/page.tsx";
import { categoryName } from "../../ui/template-labels.tsx";

type Priced = Outputs["stats"]["pricing"]["items"][number];

/** How many messages WhatsApp charged, by category and month; nothing before it has told of one. */
export function Prices({ input }: { input: Inputs["stats"]["pricing"] }) {
  const { data } = trpc.stats.pricing.useQuery(input, { retry: false });
  const rows = monthly(data?.items ?? []);
  if (rows.length === 0) return null;
  return (
    <Section title={t("Charged messages")} lead={t("As WhatsApp reported them. Prices depend on category and country.")}>
      <DataTable label={t("Charged messages")} columns={columns} rows={rows} rowKey={({ month, category }) => `${month} ${category}`} />
    </Section>
  );
}

const columns: Column<Row>[] = [
  { name: t("Month"), kind: "title", cell: ({ month }) => monthName(month) },
  { name: t("Category"), kind: "short", cell: ({ category }) => categoryName(category.toUpperCase()) },
  { name: t("Charged"), kind: "number", cell: ({ billable }) => formatCount(billable) },
  { name: t("Free"), kind: "number", cell: ({ free }) => formatCount(free) },
  {
    name: t("Countries"),
    kind: "long",
    cell: ({ countries }) => countries.map(([country, count]) => `${country} ${formatCount(count)}`).join(t(", ")),
  },
];

const monthName = (month: string): string =>
  new Date(`${month}-01T00:00:00Z`).toLocaleDateString(locale, { month: "long", year: "numeric", timeZone: "UTC" });

interface Row extends Omit<Priced, "country"> {
  /** The charged messages of each, most first. */
  countries: [country: string, count: number][];
}

/** One row a month and category, the newest first. */
function monthly(items: readonly Priced[]): Row[] {
  const rows = new Map<string, Row>();
  for (const { month, category, country, billable, free } of items) {
    const key = `${month} ${category}`;
    const row = rows.get(key) ?? { month, category, billable: 0, free: 0, countries: [] };
    row.billable += billable;
    row.free += free;
    if (billable > 0) row.countries.push([country ?? t("unknown"), billable]);
    rows.set(key, row);
  }
  for (const { countries } of rows.values()) countries.sort(([, a], [, b]) => b - a);
  return [...rows.values()].toSorted((a, b) => b.month.localeCompare(a.month) || b.billable - a.billable);
}
