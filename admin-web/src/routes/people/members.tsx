import { useMe } from "../../session/me.ts";
import { trpc } from "../../trpc.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { LabelBadge } from "../../ui/label-badge.tsx";
import { Moment } from "../../ui/moment.tsx";
import { EmptyState } from "../../ui/states/empty-state.tsx";
import { PagedList } from "../../ui/states/paged-list.tsx";
import { MemberActions } from "./member-actions.tsx";
import { MemberRole } from "./member-role.tsx";
import type { Member } from "./member.ts";

const columns: Column<Member>[] = [
  { name: "Name", kind: "title", cell: (member) => <MemberName {...member} /> },
  { name: "E-mail", cell: ({ email }) => email },
  { name: "Role", cell: (member) => <MemberRole member={member} /> },
  { name: "Joined", kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: "Actions", kind: "buttons", cell: (member) => <MemberActions member={member} /> },
];

export function Members() {
  const members = trpc.users.list.useInfiniteQuery({ limit: 50 }, { getNextPageParam: (page) => page.nextCursor });
  return (
    <PagedList query={members} what="the people" empty={<EmptyState title="Nobody is here">Invite somebody.</EmptyState>}>
      {(items) => <DataTable label="People" columns={columns} rows={items} rowKey={({ id }) => id} />}
    </PagedList>
  );
}

function MemberName({ id, name }: Member) {
  const { user } = useMe();
  return (
    <>
      {name} {id === user.id && <LabelBadge>you</LabelBadge>}
    </>
  );
}
