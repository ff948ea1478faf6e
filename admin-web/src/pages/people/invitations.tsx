import { Button, Stack, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { inviteInput } from "shared/core/input/team";
import type { Role } from "shared/core/role";
import { trpc, type Outputs } from "../../trpc.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ConfirmDialog, Dialog, SecretOnce } from "../../ui/dialogs.tsx";
import { Expiry, Moment } from "../../ui/facts.tsx";
import { FormButtons, RoleSelect, UnsavedGuard } from "../../ui/inputs.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";
import { EmptyState, PagedList } from "../../ui/paged-list.tsx";
import { useInputForm } from "../../ui/use-input-form.ts";

type Invitation = Outputs["users"]["invites"]["list"]["items"][number];

const columns: Column<Invitation>[] = [
  { name: "E-mail", kind: "title", cell: ({ email }) => email },
  { name: "Role", kind: "short", cell: ({ role }) => role },
  { name: "Invited", kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: "Good until", kind: "short", cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
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

function RevokeInvitation({ id, email }: { id: string; email: string }) {
  const [opened, dialog] = useDisclosure(false);
  const cache = trpc.useUtils();
  const revoke = trpc.users.invites.revoke.useMutation({ onSettled: () => cache.users.invites.list.invalidate() });
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={dialog.open} aria-label={`Take back the invitation of ${email}`}>
        Take back
      </Button>
      <ConfirmDialog
        title="Take the invitation back?"
        action="Take it back"
        opened={opened}
        onClose={dialog.close}
        onConfirm={() => revoke.mutateAsync({ id })}
      >
        The link for {email} stops working at once.
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
      <Button onClick={() => setOpened(true)}>Invite somebody</Button>
      <Dialog title={made === null ? "Invite somebody" : "The invitation"} opened={opened} onClose={close} insists={made !== null}>
        {made === null ? (
          <InviteForm onMade={setMade} onCancel={close} />
        ) : (
          <SecretOnce label="Link" secret={made.url} onSaved={close}>
            Send it to whom you invite: no mail was sent. It works once, until <Moment at={made.expiresAt} />.
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
  const invite = trpc.users.invite.useMutation({
    onSuccess: async (made) => {
      onMade(made);
      await cache.users.invites.list.invalidate();
    },
  });
  const { form, refusal, onSubmit } = useInputForm({
    schema: inviteInput,
    initialValues,
    toInput: (values) => values,
    submit: invite.mutateAsync,
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <UnsavedGuard isUnsaved={form.isDirty} />
      <Stack gap="md">
        {refusal !== null && <FailureNotice title="Nobody was invited" error={refusal} />}
        <TextInput label="E-mail" type="email" autoComplete="off" required data-autofocus {...form.getInputProps("email")} />
        <RoleSelect {...form.getInputProps("role")} />
        <FormButtons submit="Make the link" isPending={invite.isPending} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
