import { Card, Table } from "@mantine/core";
import { Link, type LinkProps } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";
import { t } from "../language.ts";
import { RowCheckbox, type Selection, ShownCheckbox } from "./selection.tsx";
import classes from "./ui.module.css";

export interface Column<Row> {
  /** The heading; a label before the value in narrow windows; only read out for buttons. */
  name: string;
  cell: (row: Row) => ReactNode;
  /** `title`: the first, which names the row. `short`: never wraps. `buttons`: in a list of links shown while the row is pointed at or has the focus. */
  kind?: "title" | "short" | "buttons";
}

interface DataTableProps<Row> {
  /** The label for screen readers. */
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  rowKey: (row: Row) => string;
  /**
   * Makes each row a link, which is one line of 44 pixels: a click anywhere on it opens it, and Enter on its title. The title's cell then holds no link of its own.
   */
  rowLink?: ((row: Row) => Pick<LinkProps, "to" | "params" | "search" | "resetScroll">) | undefined;
  /** Lets rows be chosen, each by the name that is read out. */
  choice?: { selection: Pick<Selection<unknown>, "shown" | "toggleShown" | "has" | "toggle">; nameOf: (row: Row) => string } | undefined;
}

/** A table whose rows become cards in narrow windows. With `rowLink` it is the list of the desk: one line a row, and headings that stay in sight. */
export function DataTable<Row>({ label, columns, rows, rowKey, rowLink, choice }: DataTableProps<Row>) {
  return (
    <Card withBorder padding={0} className={classes["card"] ?? ""}>
      {/* Some screen readers ignore a table with another display value unless its parts have roles. */}
      <Table
        role="table"
        aria-label={label}
        className={classes["table"]}
        verticalSpacing="sm"
        horizontalSpacing="md"
        data-links={rowLink !== undefined || undefined}
      >
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {choice !== undefined && (
              <Table.Th role="columnheader" scope="col" className={classes["choice"]}>
                <ShownCheckbox selection={choice.selection} />
              </Table.Th>
            )}
            {columns.map((column) => (
              <Heading key={column.name} {...column} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows.map((row) => (
            <Table.Tr
              key={rowKey(row)}
              role="row"
              data-chosen={choice?.selection.has(rowKey(row))}
              {...(rowLink !== undefined && { onClick: openRow, onAuxClick: openRow })}
            >
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
                  {kind === "title" && rowLink !== undefined ? (
                    <Link {...(rowLink(row) as LinkProps)} className={classes["rowLink"]}>
                      {cell(row)}
                    </Link>
                  ) : (
                    cell(row)
                  )}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}

const Heading = ({ name, kind }: Pick<Column<never>, "name" | "kind">) => (
  <Table.Th role="columnheader" scope="col">
    {kind === "buttons" ? <span className={classes["unseen"]}>{name}</span> : name}
  </Table.Th>
);

const own = "a, button, input, label, [data-kind='choice'], [data-kind='buttons']";

/**
 * Follows the row's link, also into another tab as the browser's own links do. What has a use of its own is left to it, as is a click that ends a text selection.
 */
function openRow(event: MouseEvent<HTMLElement>): void {
  const { target, currentTarget, button, ctrlKey, metaKey, shiftKey } = event;
  const isOnOwn = target instanceof Element && target.closest(own) !== null;
  if (isOnOwn || button > 1 || window.getSelection()?.isCollapsed === false) return;
  const link = currentTarget.querySelector<HTMLAnchorElement>("a");
  if (button === 1) window.open(link?.href, "_blank", "noopener");
  else link?.dispatchEvent(new window.MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }));
}
