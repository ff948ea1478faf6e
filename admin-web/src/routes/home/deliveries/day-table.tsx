import { Card, Table } from "@mantine/core";
import { formatCount, formatDay } from "../../../format.ts";
import type { Day } from "./day.ts";
import { series } from "./series.ts";
import classes from "./day-table.module.css";

/** The chart's numbers, the newest day first. */
export function DayTable({ days }: { days: Day[] }) {
  return (
    <Card withBorder padding={0}>
      <Table aria-label="Messages day by day" className={classes["table"]} verticalSpacing={6} horizontalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Day</Table.Th>
            {series.map(({ name, label }) => (
              <Table.Th key={name} scope="col">
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {days.toReversed().map((day) => (
            <Table.Tr key={day.date}>
              <Table.Th scope="row">{formatDay(day.date)}</Table.Th>
              {series.map(({ name }) => (
                <Table.Td key={name}>{formatCount(day[name])}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}
