import { trpc, type Outputs } from "../../trpc.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { GoodUntil } from "../../ui/good-until.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Section } from "../../ui/page/section.tsx";
import { EmptyState } from "../../ui/states/empty-state.tsx";
import { PagedList } from "../../ui/states/paged-list.tsx";
import { RevokeInvitation } from "./revoke-invitation.tsx";

type Invitation = Outputs["users"]["invites"]["list"]["items"][number];

const columns: Column<Invitation>[] = [
  { name: "E-mail", kind: "title", cell: ({ email }) => email },
  { name: "Role", kind: "short", cell: ({ role }) => role },
  { name: "Invited", kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: "Good until", kind: "short", cell: ({ expiresAt }) => <GoodUntil at={expiresAt} /> },
  { name: "Actions", kind: "buttons", cell: ({ id, email }) => <RevokeInvitation id={id} email={email} /> },
];

export function Invitations() {
  const invitations = trpc.users.invites.list.useInfiniteQuery({ limit: 50 }, { getNextPageParam: (page) => page.nextCursor });
  return (
    <Section title="Open invitations" lead="Links that nobody has accepted yet. Each works once and for seven days.">
      <PagedList
        query={invitations}
        what="the invitations"
        empty={<EmptyState title="No invitation is open">Invite somebody, and hand the link on yourself.</EmptyState>}
      >
        {(items) => <DataTable label="Open invitations" columns={columns} rows={items} rowKey={({ id }) => id} />}
      </PagedList>
    </Section>
  );
}
