import { Button, NativeSelect, Stack, TextInput, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { createTokenInput } from "shared/core/input/team";
import type { Role } from "shared/core/role";
import { useMay, RoleOnly, useMe } from "../../session.tsx";
import { type Outputs, trpc } from "../../trpc.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Dialog, SecretOnce, ConfirmDialog } from "../../ui/dialogs.tsx";
import { Expiry, Moment } from "../../ui/facts.tsx";
import { FormButtons, RoleSelect, UnsavedGuard } from "../../ui/inputs.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, PagedList } from "../../ui/paged-list.tsx";
import { useInputForm } from "../../ui/use-input-form.ts";

export function TokensPage() {
  const isOwner = useMay("owner");
  const [isMaking, dialog] = useDisclosure(false);
  return (
    <RoleOnly needed="operator">
      <Page
        title="Access tokens"
        lead={`With a token a program of yours calls the admin API as you, with the token's role at most. ${isOwner ? "You see everybody's." : "You see your own."}`}
        actions={<Button onClick={dialog.open}>Make a token</Button>}
      >
        <TokenList isOwner={isOwner} onMake={dialog.open} />
        <CreateToken opened={isMaking} onClose={dialog.close} />
      </Page>
    </RoleOnly>
  );
}

interface CreateTokenProps {
  opened: boolean;
  onClose: () => void;
}

/** Asks what the token is for, then shows it, this once. */
function CreateToken({ opened, onClose }: CreateTokenProps) {
  const [made, setMade] = useState<Outputs["tokens"]["create"] | null>(null);
  const close = () => {
    onClose();
    setMade(null);
  };
  return (
    <Dialog title={made === null ? "Make a token" : `The token ${made.name}`} opened={opened} onClose={close} insists={made !== null}>
      {made === null ? (
        <CreateTokenForm onMade={setMade} onCancel={close} />
      ) : (
        <SecretOnce label="Token" secret={made.token} onSaved={close}>
          Give it to the program as its Bearer token. It may do what the role {made.role} may.
        </SecretOnce>
      )}
    </Dialog>
  );
}

interface CreateTokenFormProps {
  onMade: (token: Outputs["tokens"]["create"]) => void;
  onCancel: () => void;
}

const initialValues: { name: string; role: Role; days: string } = { name: "", role: "viewer", days: "90" };

function CreateTokenForm({ onMade, onCancel }: CreateTokenFormProps) {
  const { user } = useMe();
  const cache = trpc.useUtils();
  const create = trpc.tokens.create.useMutation({
    onSuccess: async (made) => {
      onMade(made);
      await cache.tokens.list.invalidate();
    },
  });
  const { form, refusal, onSubmit } = useInputForm({
    schema: createTokenInput,
    initialValues,
    toInput: ({ name, role, days }) => ({ name, role, expiresAt: endOfLife(days, Date.now()) }),
    submit: create.mutateAsync,
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <UnsavedGuard isUnsaved={form.isDirty} />
      <Stack gap="md">
        {refusal !== null && <FailureNotice title="No token was made" error={refusal} />}
        <TextInput
          label="Name"
          description="The program that will use it"
          autoComplete="off"
          required
          data-autofocus
          {...form.getInputProps("name")}
        />
        <RoleSelect atMost={user.role} {...form.getInputProps("role")} />
        <NativeSelect label="Good for" data={tokenLives} {...form.getInputProps("days")} />
        <FormButtons submit="Make the token" isPending={create.isPending} onCancel={onCancel} />
      </Stack>
    </form>
  );
}

const dayMs = 86_400_000;

/** How long a token may be good for, by the number of days; empty: until it is revoked. */
const tokenLives = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "a year" },
  { value: "", label: "until it is revoked" },
];

/** ISO 8601, null for no end. */
const endOfLife = (days: string, now: number): string | null => (days === "" ? null : new Date(now + Number(days) * dayMs).toISOString());

type Token = Outputs["tokens"]["list"]["items"][number];

const maker: Column<Token> = { name: "Made by", cell: ({ createdBy }) => <TokenMaker userId={createdBy} /> };

const columns = (isOwner: boolean): Column<Token>[] => [
  { name: "Name", kind: "title", cell: (token) => <TokenName {...token} /> },
  { name: "Role", kind: "short", cell: ({ role }) => role },
  ...(isOwner ? [maker] : []),
  { name: "Made", kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: "Last used", kind: "short", cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : <Moment at={lastUsedAt} />) },
  { name: "Good until", kind: "short", cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
  { name: "Actions", kind: "buttons", cell: ({ id, name }) => <RevokeToken id={id} name={name} /> },
];

function TokenList({ isOwner, onMake }: { isOwner: boolean; onMake: () => void }) {
  const tokens = trpc.tokens.list.useInfiniteQuery({ limit: 50 }, { getNextPageParam: (page) => page.nextCursor });
  return (
    <PagedList
      query={tokens}
      what="the tokens"
      empty={
        <EmptyState title="No token yet">
          Make one for each program that is to use the admin API, so that each can be ended alone.
          <Group justify="center" mt="sm">
            <Button size="xs" onClick={onMake}>
              Make the first token
            </Button>
          </Group>
        </EmptyState>
      }
    >
      {(items) => <DataTable label="Access tokens" columns={columns(isOwner)} rows={items} rowKey={({ id }) => id} />}
    </PagedList>
  );
}

function TokenName({ name, hint }: Token) {
  return (
    <>
      {name}{" "}
      <Text component="span" size="sm" c="dimmed">
        …{hint}
      </Text>
    </>
  );
}

function RevokeToken({ id, name }: { id: string; name: string }) {
  const [opened, dialog] = useDisclosure(false);
  const cache = trpc.useUtils();
  const revoke = trpc.tokens.revoke.useMutation({ onSettled: () => cache.tokens.list.invalidate() });
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={dialog.open} aria-label={`Revoke ${name}`}>
        Revoke
      </Button>
      <ConfirmDialog
        title={`Revoke ${name}?`}
        action="Revoke"
        opened={opened}
        onClose={dialog.close}
        onConfirm={() => revoke.mutateAsync({ id })}
      >
        Programs that use it are refused from the next call on. It cannot be brought back.
      </ConfirmDialog>
    </>
  );
}

/** Whose token it is; only an owner sees those of others, and may look people up. */
function TokenMaker({ userId }: { userId: string }) {
  const { user } = useMe();
  const people = trpc.users.list.useQuery({ limit: 200 }, { staleTime: 60_000 });
  if (userId === user.id) return "you";
  return people.data?.items.find(({ id }) => id === userId)?.email ?? "somebody else";
}
