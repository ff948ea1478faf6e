import { type Outputs, trpc } from "../../trpc.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { LabelBadge } from "../../ui/label-badge.tsx";
import { Moment } from "../../ui/moment.tsx";
import { EmptyState } from "../../ui/states/empty-state.tsx";
import { PagedList } from "../../ui/states/paged-list.tsx";
import { deviceName } from "./device-name.ts";
import { EndSession } from "./end-session.tsx";

type Session = Outputs["auth"]["sessions"]["items"][number];

const columns: Column<Session>[] = [
  { name: "Device", kind: "title", cell: (session) => <Device {...session} /> },
  { name: "Address", kind: "short", cell: ({ address }) => address ?? "unknown" },
  { name: "Signed in", kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: "Last used", kind: "short", cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} /> },
  { name: "Actions", kind: "buttons", cell: (session) => !session.current && <EndSession {...session} /> },
];

export function Sessions() {
  const sessions = trpc.auth.sessions.useInfiniteQuery({ limit: 50 }, { getNextPageParam: (page) => page.nextCursor });
  return (
    <PagedList query={sessions} what="the sessions" empty={<EmptyState title="No session">You use an access token.</EmptyState>}>
      {(items) => <DataTable label="Sessions" columns={columns} rows={items} rowKey={({ id }) => id} />}
    </PagedList>
  );
}

function Device({ userAgent, current }: Session) {
  return (
    <span title={userAgent ?? undefined}>
      {deviceName(userAgent)} {current && <LabelBadge color="teal">this one</LabelBadge>}
    </span>
  );
}
