import { Card, Table } from "@mantine/core";
import type { ReactNode } from "react";
import { t } from "../language.ts";
import { RowCheckbox, type Selection, ShownCheckbox } from "./selection.tsx";
import classes from "./ui.module.css";

export interface Column<Row> {
  /** The heading; a label before the value in narrow windows; only read out for buttons. */
  name: string;
  cell: (row: Row) => ReactNode;
  /** `short`: never wraps. */
  kind?: "title" | "short" | "buttons";
}

interface DataTableProps<Row> {
  /** The label for screen readers. */
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  rowKey: (row: Row) => string;
  /** Lets rows be chosen, each by the name that is read out. */
  choice?: { selection: Pick<Selection<unknown>, "shown" | "toggleShown" | "has" | "toggle">; nameOf: (row: Row) => string } | undefined;
}

/** A table whose rows become cards in narrow windows. */
export function DataTable<Row>({ label, columns, rows, rowKey, choice }: DataTableProps<Row>) {
  return (
    <Card withBorder padding={0} className={classes["card"] ?? ""}>
      {/* Some screen readers ignore a table with another display value unless its parts have roles. */}
      <Table role="table" aria-label={label} className={classes["table"]} verticalSpacing="sm" horizontalSpacing="md">
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {choice !== undefined && (
              <Table.Th role="columnheader" scope="col" className={classes["choice"]}>
                <ShownCheckbox selection={choice.selection} />
              </Table.Th>
            )}
            {columns.map(({ name, kind }) => (
              <Table.Th key={name} role="columnheader" scope="col">
                {kind === "buttons" ? <span className={classes["unseen"]}>{name}</span> : name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows.map((row) => (
            <Table.Tr key={rowKey(row)} role="row" data-chosen={choice?.selection.has(rowKey(row))}>
              {choice !== undefined && (
                <Table.Td role="cell" data-kind="choice">
                  <RowCheckbox
                    aria-label={t("Select {row}", { row: choice.nameOf(row) })}
                    isChosen={choice.selection.has(rowKey(row))}
                    onChoose={(isRange) => choice.selection.toggle(rowKey(row), isRange)}
                  />
                </Table.Td>
              )}
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
