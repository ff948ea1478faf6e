import { Anchor, Code } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Moment } from "../../ui/moment.tsx";
import { EmptyState } from "../../ui/states/empty-state.tsx";
import { PagedList } from "../../ui/states/paged-list.tsx";
import { actionWords } from "./action-words.ts";
import { auditFilter } from "./audit-filter.ts";
import type { AuditSearch } from "./audit-search.ts";
import { Subject } from "./subject.tsx";

type Entry = Outputs["audit"]["list"]["items"][number];

const columns: Column<Entry>[] = [
  { name: "What", kind: "title", cell: (entry) => <What {...entry} /> },
  { name: "Who", cell: ({ actor, tokenId }) => (tokenId === null ? actor : `${actor}, by a token`) },
  { name: "When", kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: "On", cell: (entry) => <Subject {...entry} /> },
  { name: "From", kind: "short", cell: ({ address }) => address ?? "the server itself" },
];

export function AuditList({ search }: { search: AuditSearch }) {
  const entries = trpc.audit.list.useInfiniteQuery({ ...auditFilter(search), limit: 50 }, { getNextPageParam: (page) => page.nextCursor });
  return (
    <PagedList query={entries} what="the audit" empty={<NothingFound />}>
      {(items) => <DataTable label="Audit" columns={columns} rows={items} rowKey={({ id }) => id} />}
    </PagedList>
  );
}

function What({ action }: Entry) {
  const words = actionWords[action];
  if (words === undefined) return <Code>{action}</Code>;
  return <span title={action}>{words}</span>;
}

/** Nobody can open this page without having changed something, so only filters leave nothing. */
function NothingFound() {
  return (
    <EmptyState title="Nothing fits these filters">
      <Anchor component={Link} to={paths.audit} underline="always">
        Show everything
      </Anchor>
    </EmptyState>
  );
}
