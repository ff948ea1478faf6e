import { DataTable, type DataTableProps, PagedList, type PagedListProps } from "../table/data-table.tsx";
import { ListHead, matchesOf, useColumns } from "./list-head.tsx";

interface PagedTableProps<Row> extends Omit<PagedListProps<Row>, "children">, Omit<DataTableProps<Row>, "rows" | "count" | "rowKey"> {
  /** How many rows match, or at least so many, where the server counts them. */
  counted?: { total: number; more: boolean; note?: string | undefined } | undefined;
}

/** A list that is one table, below the number of its rows where they can be filtered, and the choice of its columns where there are many. */
export function PagedTable<Row extends { id: string }>({
  query,
  what,
  empty,
  filtered,
  columns: all,
  counted,
  ...table
}: PagedTableProps<Row>) {
  const { columns, chooser } = useColumns(`${table.label}-${all.length}`, Object.fromEntries(all.entries()));
  return (
    <PagedList {...{ query, what, empty, filtered }}>
      {(items) => (
        <>
          {(chooser !== null || filtered !== undefined) && (
            <ListHead count={filtered === undefined ? undefined : matchesOf(counted, query)} note={counted?.note}>
              {chooser}
            </ListHead>
          )}
          <DataTable {...table} columns={columns} rows={items} {...(query.hasNextPage && { count: -1 })} rowKey={({ id }) => id} />
        </>
      )}
    </PagedList>
  );
}
