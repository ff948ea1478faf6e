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

type Member = Outputs["users"]["list"]["items"][number];

export function PeoplePage() {
  return (
    <RoleOnly needed="owner">
      <Page title="People" lead="Who can sign in to this account, and their roles." actions={<InviteButton />}>
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
    <PagedList query={members} what="the people" empty={<EmptyState title="No people yet">Invite the first person.</EmptyState>}>
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
          {!isMe && <Menu.Item onClick={() => setOpen("reset")}>Reset password</Menu.Item>}
          <Menu.Item c="var(--mantine-color-error)" onClick={() => setOpen("remove")}>
            {isMe ? "Leave account" : "Remove person"}
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
      title={isMe ? "Leave this account?" : `Remove ${name}?`}
      action={isMe ? "Leave account" : "Remove person"}
      typed={email}
      opened={opened}
      onClose={onClose}
      onConfirm={() => remove.mutateAsync({ id })}
    >
      {isMe ? "You are" : `${name} is`} signed out everywhere, and the access tokens that {isMe ? "you" : "they"} created stop working:
      check that no program depends on them. Coming back takes a new invitation.
    </ConfirmDialog>
  );
}

/** Creates a link that lets the person set a new password. */
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
            Creates a link that works once, for a day. {name} sets a new password with it; until then the old one works. Earlier links stop
            working.
          </Text>
          {make.error !== null && <FailureNotice title="The link was not created" error={make.error} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button loading={make.isPending} onClick={() => make.mutate({ id })}>
              Create reset link
            </Button>
          </Group>
        </Stack>
      ) : (
        <SecretOnce label="Link" secret={make.data.url} onSaved={close}>
          Copy this link and send it to {name}; we don't e-mail it. It works once and expires <Moment at={make.data.expiresAt} />.
        </SecretOnce>
      )}
    </Dialog>
  );
}

/** Changes a person's role; if the server refuses, it goes back and says why. */
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
        title="Give up the owner role?"
        action="Give up role"
        opened={lesser !== null}
        onClose={() => setLesser(null)}
        onConfirm={async () => lesser !== null && setRole.mutateAsync({ id, role: lesser })}
      >
        Your new role is {lesser}: {lesser !== null && roleLabels[lesser]}. Only another owner can make you an owner again.
      </ConfirmDialog>
    </>
  );
}
