import { Card, Table } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./ui.module.css";

export interface Column<Row> {
  /** Stands above the column, or before the value where the window is narrow. Of buttons it is read out only. */
  name: string;
  cell: (row: Row) => ReactNode;
  /** `short`: of one line. */
  kind?: "title" | "short" | "buttons";
}

interface DataTableProps<Row> {
  /** What is listed, for screen readers. */
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  rowKey: (row: Row) => string;
}

/** Rows under headings; where the window is narrow each row is a card. */
export function DataTable<Row>({ label, columns, rows, rowKey }: DataTableProps<Row>) {
  return (
    <Card withBorder padding={0} className={classes["card"] ?? ""}>
      {/* A table that is laid out otherwise is no table any more to some screen readers, unless its parts say so. */}
      <Table role="table" aria-label={label} className={classes["table"]} verticalSpacing="sm" horizontalSpacing="md">
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map(({ name, kind }) => (
              <Table.Th key={name} role="columnheader" scope="col">
                {kind === "buttons" ? <span className={classes["unseen"]}>{name}</span> : name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows.map((row) => (
            <Table.Tr key={rowKey(row)} role="row">
              {columns.map(({ name, cell, kind }) => (
                <Table.Td key={name} role="cell" data-label={kind === "title" || kind === "buttons" ? undefined : name} data-kind={kind}>
                  {cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}
