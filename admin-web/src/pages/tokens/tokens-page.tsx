import { Button, Checkbox, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { createTokenInput } from "shared/core/input/team";
import { type Role, type TokenScope, tokenScopes } from "shared/core/role";
import { useMay, RoleOnly, useMe } from "../../session.tsx";
import { type Outputs, trpc } from "../../trpc.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ConfirmButton, Dialog, SecretOnce } from "../../ui/dialogs.tsx";
import { Expiry, Moment } from "../../ui/facts.tsx";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { RoleSelect } from "../../ui/inputs.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, PagedList } from "../../ui/paged-list.tsx";

export function TokensPage() {
  const isOwner = useMay("owner");
  const [isMaking, dialog] = useDisclosure(false);
  return (
    <RoleOnly needed="operator">
      <Page
        title="Access tokens"
        lead={`Tokens let your programs use the API. ${isOwner ? "Owners see all tokens." : "You see your own tokens."}`}
        actions={<Button onClick={dialog.open}>Create token</Button>}
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

/** Shows the new token once. */
function CreateToken({ opened, onClose }: CreateTokenProps) {
  const [made, setMade] = useState<Outputs["tokens"]["create"] | null>(null);
  const close = () => {
    onClose();
    setMade(null);
  };
  return (
    <Dialog title={made === null ? "Create token" : `Token ${made.name}`} opened={opened} onClose={close} insists={made !== null}>
      {made === null ? (
        <CreateTokenForm onMade={setMade} onCancel={close} />
      ) : (
        <SecretOnce label="Token" secret={made.token} onSaved={close}>
          Use it as the Bearer token of your program. It has the role {made.role}.
        </SecretOnce>
      )}
    </Dialog>
  );
}

interface CreateTokenFormProps {
  onMade: (token: Outputs["tokens"]["create"]) => void;
  onCancel: () => void;
}

const initialValues: { name: string; role: Role; days: string; scopes: TokenScope[] } = {
  name: "",
  role: "viewer",
  days: "90",
  scopes: [],
};

function CreateTokenForm({ onMade, onCancel }: CreateTokenFormProps) {
  const { user } = useMe();
  const cache = trpc.useUtils();
  const create = trpc.tokens.create.useMutation();
  const form = useInputForm({
    initialValues,
    toInput: ({ name, role, days, scopes }) => ({
      name,
      role,
      expiresAt: endOfLife(days, Date.now()),
      ...(scopes.length > 0 && { scopes }),
    }),
    check: by(createTokenInput),
    submit: create.mutateAsync,
    onSaved: (made) => {
      onMade(made);
      void cache.tokens.list.invalidate();
    },
  });
  return (
    <InputForm form={form} failure="The token was not created">
      <TextInput
        label="Name"
        description="The program that uses the token"
        autoComplete="off"
        required
        data-autofocus
        {...form.at("name")}
      />
      <RoleSelect atMost={user.role} {...form.at("role")} />
      <ScopeChoice {...form.at("scopes")} />
      <NativeSelect label="Expires" data={tokenLives} {...form.at("days")} />
      <FormButtons form={form} submit="Create token" onCancel={onCancel} />
    </InputForm>
  );
}

interface ScopeChoiceProps {
  value: TokenScope[];
  onChange: (scopes: TokenScope[]) => void;
}

function ScopeChoice({ value, onChange }: ScopeChoiceProps) {
  return (
    <Checkbox.Group
      label="Only for"
      description="None: all that the role may"
      value={value}
      onChange={(chosen) => onChange(tokenScopes.filter((scope) => chosen.includes(scope)))}
    >
      <Stack gap="xs" mt="xs">
        {tokenScopes.map((scope) => (
          <Checkbox key={scope} value={scope} label={scopeLabels[scope]} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

const scopeLabels: Record<TokenScope, string> = {
  read: "Reading",
  send_test: "Marking test messages as read",
  bindings: "Changing bindings",
  templates: "Changing templates",
  resend: "Resending messages",
  rotate_secrets: "Rotating keys and secrets",
};

const dayMs = 86_400_000;

/** Lifetimes by the number of days; empty for a token that does not expire. */
const tokenLives = [
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In 1 year" },
  { value: "", label: "Never" },
];

/** ISO 8601; null if it does not expire. */
const endOfLife = (days: string, now: number): string | null => (days === "" ? null : new Date(now + Number(days) * dayMs).toISOString());

type Token = Outputs["tokens"]["list"]["items"][number];

const maker: Column<Token> = { name: "Created by", cell: ({ createdBy }) => <TokenMaker userId={createdBy} /> };

const columns = (isOwner: boolean): Column<Token>[] => [
  { name: "Name", kind: "title", cell: (token) => <TokenName {...token} /> },
  { name: "Role", kind: "short", cell: ({ role }) => role },
  {
    name: "Only for",
    cell: ({ scopes }) => (scopes === null ? "All that the role may" : scopes.map((scope) => scopeLabels[scope].toLowerCase()).join(", ")),
  },
  ...(isOwner ? [maker] : []),
  { name: "Created", kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: "Last used", kind: "short", cell: ({ lastUsedAt }) => (lastUsedAt === null ? "Never" : <Moment at={lastUsedAt} />) },
  { name: "Expires", kind: "short", cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
  { name: "Actions", kind: "buttons", cell: ({ id, name }) => <RevokeToken id={id} name={name} /> },
];

function TokenList({ isOwner, onMake }: { isOwner: boolean; onMake: () => void }) {
  const tokens = trpc.tokens.list.useInfiniteQuery({ limit: 50 }, { getNextPageParam: (page) => page.nextCursor });
  return (
    <PagedList
      query={tokens}
      what="the tokens"
      empty={
        <EmptyState title="No tokens yet">
          Create one token for each program, so that you can revoke each one alone.
          <Group justify="center" mt="sm">
            <Button size="xs" onClick={onMake}>
              Create first token
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
  const cache = trpc.useUtils();
  const revoke = trpc.tokens.revoke.useMutation({ onSettled: () => cache.tokens.list.invalidate() });
  return (
    <ConfirmButton
      label="Revoke"
      size="compact-sm"
      aria-label={`Revoke ${name}`}
      title={`Revoke ${name}?`}
      action="Revoke token"
      onConfirm={() => revoke.mutateAsync({ id })}
    >
      Programs that use it are refused from the next request on. This cannot be undone.
    </ConfirmButton>
  );
}

/** Only owners see the tokens of others, and can list people. */
function TokenMaker({ userId }: { userId: string }) {
  const { user } = useMe();
  const people = trpc.users.list.useQuery({ limit: 200 }, { staleTime: 60_000 });
  if (userId === user.id) return "You";
  return people.data?.items.find(({ id }) => id === userId)?.email ?? "Somebody else";
}
