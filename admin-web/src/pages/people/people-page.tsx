import { ActionIcon, Menu, Button, Group, Stack, Text, NativeSelect } from "@mantine/core";
import IconDots from "@tabler/icons-react/dist/esm/icons/IconDots.mjs";
import { useState } from "react";
import { type Role, roles } from "shared/core/role";
import { RoleOnly, useMe } from "../../session.tsx";
import { type Outputs, trpc } from "../../trpc.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ConfirmDialog, Dialog, SecretOnce } from "../../ui/dialogs.tsx";
import { Moment } from "../../ui/facts.tsx";
import { roleLabels } from "../../ui/labels.ts";
import { FailureNotice, readableMessage } from "../../ui/page-states.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, PagedList } from "../../ui/paged-list.tsx";
import { LabelBadge } from "../../ui/status-badge.tsx";
import { Invitations, InviteButton } from "./invitations.tsx";

/** Somebody who may sign in to the account. */
type Member = Outputs["users"]["list"]["items"][number];

export function PeoplePage() {
  return (
    <RoleOnly needed="owner">
      <Page title="People" lead="Who may sign in to this account, and what they may do." actions={<InviteButton />}>
        <Members />
        <Invitations />
      </Page>
    </RoleOnly>
  );
}

const columns: Column<Member>[] = [
  { name: "Name", kind: "title", cell: (member) => <MemberName {...member} /> },
  { name: "E-mail", cell: ({ email }) => email },
  { name: "Role", cell: (member) => <MemberRole member={member} /> },
  { name: "Joined", kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: "Actions", kind: "buttons", cell: (member) => <MemberActions member={member} /> },
];

function Members() {
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

function MemberActions({ member }: { member: Member }) {
  const isMe = useMe().user.id === member.id;
  const [open, setOpen] = useState<"reset" | "remove" | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" c="var(--mantine-color-text)" aria-label={`Actions for ${member.name}`}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {!isMe && <Menu.Item onClick={() => setOpen("reset")}>Link for a new password</Menu.Item>}
          <Menu.Item c="var(--mantine-color-error)" onClick={() => setOpen("remove")}>
            {isMe ? "Leave the account" : "Remove"}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ResetLink member={member} opened={open === "reset"} onClose={close} />
      <RemoveMember member={member} isMe={isMe} opened={open === "remove"} onClose={close} />
    </>
  );
}

interface RemoveMemberProps {
  member: Member;
  isMe: boolean;
  opened: boolean;
  onClose: () => void;
}

function RemoveMember({ member: { id, name, email }, isMe, opened, onClose }: RemoveMemberProps) {
  const cache = trpc.useUtils();
  const remove = trpc.users.remove.useMutation({
    onSuccess: () => (isMe ? cache.auth.state : cache.users.list).invalidate(),
  });
  return (
    <ConfirmDialog
      title={isMe ? "Leave the account?" : `Remove ${name}?`}
      action={isMe ? "Leave" : "Remove"}
      typed={email}
      opened={opened}
      onClose={onClose}
      onConfirm={() => remove.mutateAsync({ id })}
    >
      {isMe ? "You are" : `${name} is`} signed out everywhere at once, and the access tokens that {isMe ? "you" : "they"} made stop working:
      check that no program depends on one. To come back takes a new invitation.
    </ConfirmDialog>
  );
}

/** Makes a link by which the person sets a new password. */
function ResetLink({ member: { id, name }, opened, onClose }: { member: Member; opened: boolean; onClose: () => void }) {
  const make = trpc.users.resetPassword.useMutation();
  const close = () => {
    onClose();
    make.reset();
  };
  return (
    <Dialog title={`New password for ${name}`} opened={opened} onClose={close} insists={make.isSuccess}>
      {make.data === undefined ? (
        <Stack gap="md">
          <Text size="sm">
            Makes a link that is good for a day and once. By it {name} sets a password that nobody else learns; until then the old one
            works. A link that was made before stops working.
          </Text>
          {make.error !== null && <FailureNotice title="No link was made" error={make.error} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button loading={make.isPending} onClick={() => make.mutate({ id })}>
              Make the link
            </Button>
          </Group>
        </Stack>
      ) : (
        <SecretOnce label="Link" secret={make.data.url} onSaved={close}>
          Send it to {name}: no mail was sent. It works once, until <Moment at={make.data.expiresAt} />.
        </SecretOnce>
      )}
    </Dialog>
  );
}

/** A person's role, to be changed in place. It shows what the server holds: a refused change is back at once, with the reason below. */
function MemberRole({ member: { id, name, role } }: { member: Member }) {
  const isMe = useMe().user.id === id;
  const cache = trpc.useUtils();
  const [lesser, setLesser] = useState<Role | null>(null);
  const setRole = trpc.users.setRole.useMutation({
    onSuccess: () => Promise.all([cache.users.list.invalidate(), cache.auth.me.invalidate()]),
  });
  const choose = (chosen: Role | undefined) => {
    if (chosen === undefined || chosen === role) return;
    if (isMe) setLesser(chosen);
    else setRole.mutate({ id, role: chosen });
  };
  return (
    <>
      <NativeSelect
        aria-label={`Role of ${name}`}
        size="xs"
        maw={150}
        data={[...roles]}
        value={setRole.isPending ? setRole.variables.role : role}
        disabled={setRole.isPending}
        onChange={(event) => choose(roles.find((each) => each === event.currentTarget.value))}
        error={setRole.error && readableMessage(setRole.error.message)}
      />
      <ConfirmDialog
        title="Give up the role owner?"
        action="Give it up"
        opened={lesser !== null}
        onClose={() => setLesser(null)}
        onConfirm={async () => lesser !== null && setRole.mutateAsync({ id, role: lesser })}
      >
        You would be {lesser}: {lesser !== null && roleLabels[lesser]}. Only another owner can make you an owner again.
      </ConfirmDialog>
    </>
  );
}
