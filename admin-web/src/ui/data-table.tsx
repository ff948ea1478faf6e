import { Card, Table } from "@mantine/core";
import { Link, type LinkProps } from "@tanstack/react-router";
import { type ComponentPropsWithRef, lazy, type MouseEvent, type ReactNode, type Ref, Suspense, useRef } from "react";
import { t } from "../language.ts";
import { RowCheckbox, type Selection, ShownCheckbox } from "./selection.tsx";
import classes from "./ui.module.css";

export interface Column<Row> {
  /** The heading; a label before the value in narrow windows; only read out for buttons. */
  name: string;
  cell: (row: Row) => ReactNode;
  /**
   * `title`: the one that names the row. `short`: never wraps. `long`: gets the most room. `number`: the same as `short`, one below the other. `status`: the same, and beside the title in narrow windows. `buttons`: in a list of links shown
   * while the row is pointed at or has the focus.
   */
  kind?: "title" | "short" | "long" | "number" | "status" | "buttons";
  /** True for one that is not shown until a reader chooses it. */
  isExtra?: true;
}

/** The column of buttons of those who may change the rows. */
export const buttonsOf = <Row,>(mayChange: boolean, cell: Column<Row>["cell"]): Column<Row>[] =>
  mayChange ? [{ name: t("Actions"), kind: "buttons", cell }] : [];

export interface DataTableProps<Row> {
  /** The label for screen readers. */
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  rowKey: (row: Row) => string;
  /**
   * Makes each row a link, which is one line of 44 pixels: a click anywhere on it opens it, and Enter on its title. The title's cell then holds no link of its own.
   * The arrow keys, J and K move among the rows, Space chooses.
   */
  rowLink?: ((row: Row) => Pick<LinkProps, "to" | "params" | "search" | "resetScroll">) | undefined;
  /** Loads more of a long list of links, whose end is near. */
  onEnd?: () => void;
  /** Lets rows be chosen, each by the name that is read out. */
  choice?: { selection: Pick<Selection<unknown>, "shown" | "toggleShown" | "has" | "toggle">; nameOf: (row: Row) => string } | undefined;
}

/** They come with the first list, which is drawn once it can be used: rows that stand there before would lose a click or a key. */
const ListRows = lazy(async () => ({ default: (await import("./list-rows.tsx")).ListRows }));

/** A table whose rows become cards in narrow windows. With `rowLink` it is the list of the desk: one line a row, headings that stay in sight, and of a long list only the rows in sight are drawn. */
export function DataTable<Row>({ label, columns, rows, rowKey, rowLink, onEnd, choice }: DataTableProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const isList = rowLink !== undefined;
  const draw = (index: number, ref: Ref<HTMLTableRowElement> = null) => {
    const row = rows[index];
    if (row === undefined) return null;
    const place = { ref, "data-index": index, "aria-rowindex": index + 2 };
    return <DataRow key={rowKey(row)} id={rowKey(row)} {...{ row, columns, rowLink, choice, place }} />;
  };
  return (
    <Card withBorder padding={0} className={classes["card"] ?? ""}>
      {/* Some screen readers ignore a table with another display value unless its parts have roles. */}
      <Table
        role="table"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        className={classes["table"]}
        verticalSpacing="sm"
        horizontalSpacing="md"
        data-links={isList || undefined}
      >
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {choice !== undefined && (
              <Table.Th role="columnheader" scope="col" className={classes["choice"]}>
                <ShownCheckbox selection={choice.selection} />
              </Table.Th>
            )}
            {columns.map(({ name, kind }) => (
              <Table.Th key={name} role="columnheader" scope="col" data-kind={kind}>
                {kind === "buttons" ? <span className={classes["unseen"]}>{name}</span> : name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup" ref={body}>
          {isList ? (
            <Suspense fallback={null}>
              <ListRows body={body} ids={rows.map(rowKey)} selection={choice?.selection} onEnd={onEnd} draw={draw} />
            </Suspense>
          ) : (
            rows.map((_, index) => draw(index))
          )}
        </Table.Tbody>
      </Table>
    </Card>
  );
}

interface DataRowProps<Row> extends Pick<DataTableProps<Row>, "columns" | "rowLink" | "choice"> {
  row: Row;
  id: string;
  place: ComponentPropsWithRef<"tr">;
}

const DataRow = <Row,>({ row, id, columns, rowLink, choice, place }: DataRowProps<Row>) => (
  <Table.Tr
    role="row"
    data-chosen={choice?.selection.has(id)}
    {...(rowLink !== undefined && { ...place, onClick: openRow, onAuxClick: openRow })}
  >
    {choice !== undefined && (
      <Table.Td role="cell" data-kind="choice">
        <RowCheckbox
          aria-label={t("Select {row}", { row: choice.nameOf(row) })}
          isChosen={choice.selection.has(id)}
          onChoose={(isRange) => choice.selection.toggle(id, isRange)}
        />
      </Table.Td>
    )}
    {columns.map(({ name, cell, kind }) => {
      const shown = cell(row);
      return (
        <Table.Td
          key={name}
          role="cell"
          data-label={kind === "title" || kind === "status" || kind === "buttons" ? undefined : name}
          data-kind={kind}
          title={typeof shown === "string" && shown !== "" ? shown : undefined}
        >
          {kind === "title" && rowLink !== undefined ? (
            <Link {...(rowLink(row) as LinkProps)} className={classes["rowLink"]}>
              {shown}
            </Link>
          ) : (
            shown
          )}
        </Table.Td>
      );
    })}
  </Table.Tr>
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
