import { Button, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { inviteInput } from "shared/core/input/team";
import type { Role } from "shared/core/role";
import { trpc, type Outputs } from "../../trpc.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ConfirmDialog, Dialog, SecretOnce } from "../../ui/dialogs.tsx";
import { Expiry, Moment } from "../../ui/facts.tsx";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { RoleSelect } from "../../ui/inputs.tsx";
import { Section } from "../../ui/page.tsx";
import { EmptyState, PagedList } from "../../ui/paged-list.tsx";

type Invitation = Outputs["users"]["invites"]["list"]["items"][number];

const columns: Column<Invitation>[] = [
  { name: "E-mail", kind: "title", cell: ({ email }) => email },
  { name: "Role", kind: "short", cell: ({ role }) => role },
  { name: "Invited", kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: "Expires", kind: "short", cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
  { name: "Actions", kind: "buttons", cell: ({ id, email }) => <RevokeInvitation id={id} email={email} /> },
];

export function Invitations() {
  const invitations = trpc.users.invites.list.useInfiniteQuery({ limit: 50 }, { getNextPageParam: (page) => page.nextCursor });
  return (
    <Section title="Open invitations" lead="Invite links that were not accepted yet. Each works once, for 7 days.">
      <PagedList
        query={invitations}
        what="the invitations"
        empty={<EmptyState title="No open invitations">Create an invite link and send it yourself.</EmptyState>}
      >
        {(items) => <DataTable label="Open invitations" columns={columns} rows={items} rowKey={({ id }) => id} />}
      </PagedList>
    </Section>
  );
}

function RevokeInvitation({ id, email }: { id: string; email: string }) {
  const [opened, dialog] = useDisclosure(false);
  const cache = trpc.useUtils();
  const revoke = trpc.users.invites.revoke.useMutation({ onSettled: () => cache.users.invites.list.invalidate() });
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={dialog.open} aria-label={`Revoke the invitation of ${email}`}>
        Revoke
      </Button>
      <ConfirmDialog
        title="Revoke this invitation?"
        action="Revoke invitation"
        opened={opened}
        onClose={dialog.close}
        onConfirm={() => revoke.mutateAsync({ id })}
      >
        The link for {email} stops working immediately.
      </ConfirmDialog>
    </>
  );
}

export function InviteButton() {
  const [opened, setOpened] = useState(false);
  const [made, setMade] = useState<Outputs["users"]["invite"] | null>(null);
  const close = () => {
    setOpened(false);
    setMade(null);
  };
  return (
    <>
      <Button onClick={() => setOpened(true)}>Invite person</Button>
      <Dialog title={made === null ? "Invite person" : "Invite link"} opened={opened} onClose={close} insists={made !== null}>
        {made === null ? (
          <InviteForm onMade={setMade} onCancel={close} />
        ) : (
          <SecretOnce label="Link" secret={made.url} onSaved={close}>
            Copy this link and send it; we don't e-mail it. It works once and expires <Moment at={made.expiresAt} />.
          </SecretOnce>
        )}
      </Dialog>
    </>
  );
}

interface InviteFormProps {
  onMade: (invitation: Outputs["users"]["invite"]) => void;
  onCancel: () => void;
}

const initialValues: { email: string; role: Role } = { email: "", role: "operator" };

function InviteForm({ onMade, onCancel }: InviteFormProps) {
  const cache = trpc.useUtils();
  const invite = trpc.users.invite.useMutation();
  const form = useInputForm({
    initialValues,
    toInput: (values) => values,
    check: by(inviteInput),
    submit: invite.mutateAsync,
    onSaved: (made) => {
      onMade(made);
      void cache.users.invites.list.invalidate();
    },
  });
  return (
    <InputForm form={form} failure="The invite link was not created">
      <TextInput label="E-mail" type="email" autoComplete="off" required data-autofocus {...form.at("email")} />
      <RoleSelect {...form.at("role")} />
      <FormButtons form={form} submit="Create invite link" onCancel={onCancel} />
    </InputForm>
  );
}
