import { Card, Table } from "@mantine/core";
import { formatCount } from "../../format.ts";
import { locale, t } from "../../language.ts";
import { type Inputs, type Outputs, trpc } from "../../trpc.ts";
import { Section } from "../../ui/page.tsx";
import { categoryName } from "../../ui/template-labels.tsx";
import classes from "./statistics.module.css";

type Priced = Outputs["stats"]["pricing"]["items"][number];

/** How many messages WhatsApp charged, by category and month; nothing before it has told of one. */
export function Prices({ input }: { input: Inputs["stats"]["pricing"] }) {
  const { data } = trpc.stats.pricing.useQuery(input, { retry: false });
  const rows = monthly(data?.items ?? []);
  if (rows.length === 0) return null;
  return (
    <Section title={t("Charged messages")} lead={t("As WhatsApp reported them. Prices depend on category and country.")}>
      <Card withBorder padding={0} className={classes["scroll"] ?? ""} tabIndex={0} role="group" aria-label={t("Charged messages")}>
        <Table aria-label={t("Charged messages")} className={classes["table"] ?? ""} verticalSpacing={6} horizontalSpacing="sm">
          <Table.Thead>
            <Table.Tr>
              {[t("Month"), t("Category"), t("Charged"), t("Free"), t("Countries")].map((name) => (
                <Table.Th key={name} scope="col">
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ month, category, billable, free, countries }) => (
              <Table.Tr key={`${month} ${category}`}>
                <Table.Th scope="row">{monthName(month)}</Table.Th>
                <Table.Td>{categoryName(category.toUpperCase())}</Table.Td>
                <Table.Td>{formatCount(billable)}</Table.Td>
                <Table.Td>{formatCount(free)}</Table.Td>
                <Table.Td>{countries.map(([country, count]) => `${country} ${formatCount(count)}`).join(", ")}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Card>
    </Section>
  );
}

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
