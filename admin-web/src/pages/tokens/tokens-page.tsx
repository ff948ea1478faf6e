import { Button, Checkbox, NativeSelect, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { type TokenScope, tokenScopes } from "shared/core/credentials";
import { type Role, roles } from "shared/core/role";
import { sentenceCase } from "shared/core/text";
import { t, translated } from "../../language.ts";
import { paths } from "../../paths.ts";
import { RolePage } from "../../role-page.tsx";
import { useMe } from "../../session.tsx";
import { cache, type Outputs, settled, trpc, trpcClient } from "../../trpc.ts";
import { AskButton, Dialog, SecretOnce } from "../../ui/base/dialogs.tsx";
import { Expiry, Moment } from "../../ui/base/facts.tsx";
import { choicesOf, tableOf } from "../../ui/base/labels.ts";
import { Dimmed, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { InputForm, useInputForm } from "../../ui/form/input-form.tsx";
import { by } from "../../ui/form/input-issues.ts";
import { NewNameInput } from "../../ui/form/inputs.tsx";
import { cut } from "../../ui/list/cut-text.tsx";
import { dayMs } from "../../ui/list/days.ts";
import { type Filter, FilterBar } from "../../ui/list/filter-bar.tsx";
import { hasText, isFiltered, onlyRows } from "../../ui/list/list-filters.tsx";
import { PagedTable } from "../../ui/list/paged-table.tsx";
import { tellState } from "../../ui/list/state-line.ts";
import { RoleSelect } from "../../ui/person/role-select.tsx";
import { type Column, byPage } from "../../ui/table/data-table.tsx";
import labels from "./labels.json";
import { readTokensSearch, type TokensSearch } from "./route.ts";

export function TokensPage() {
  const seesAll = useMay("seeOthersTokens");
  const [isMaking, dialog] = useDisclosure(false);
  const create = <Button onClick={dialog.open}>{t("Create token")}</Button>;
  const isEmpty = useTokens().data?.pages[0]?.items.length === 0;
  return (
    <RolePage needed="operator" title={t("Access tokens")} lead={useStateLine(seesAll)} actions={isEmpty ? null : create}>
      <TokenList seesAll={seesAll} create={create} />
      <CreateToken opened={isMaking} onClose={dialog.close} />
    </RolePage>
  );
}

/** All of them: an account has at most 200. */
const useTokens = () => trpc.tokens.list.useInfiniteQuery({ limit: 200 }, { ...byPage, enabled: useMay("operator") });

const useStateLine = (seesAll: boolean) => tellState("tokens", { tokens: useTokens().data?.pages[0]?.items.length, own: !seesAll && 1 });

/** Shows the new token once. */
function CreateToken({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [made, setMade] = useState<Outputs["tokens"]["create"] | null>(null);
  const close = () => {
    onClose();
    setMade(null);
  };
  return (
    <Dialog
      title={made === null ? t("Create token") : t("Token {name}", { name: made.name })}
      opened={opened}
      onClose={close}
      insists={made !== null}
    >
      {made === null ? (
        <CreateTokenForm onMade={setMade} onCancel={close} />
      ) : (
        <SecretOnce label={t("Token")} secret={made.token} onSaved={close}>
          {t("Use it as the Bearer token of your program. It has the role {role}.", { role: translated(made.role) })}
        </SecretOnce>
      )}
    </Dialog>
  );
}

const initialValues = { name: "", role: "viewer" as Role, days: "90", scopes: [] as TokenScope[] };

function CreateTokenForm({ onMade, onCancel }: { onMade: (token: Outputs["tokens"]["create"]) => void; onCancel: () => void }) {
  const { user } = useMe();
  const form = useInputForm({
    initialValues,
    toInput: ({ name, role, days, scopes }) => ({
      name,
      role,
      expiresAt: endOfLife(days, Date.now()),
      ...(scopes.length > 0 && { scopes }),
    }),
    check: by("createTokenInput"),
    submit: trpc.tokens.create.useMutation({ onSuccess: () => void cache.tokens.list.invalidate() }).mutateAsync,
    onSaved: onMade,
  });
  return (
    <InputForm form={form} failure={t("The token was not created")} submit={t("Create token")} onCancel={onCancel}>
      <NewNameInput description={t("The program that uses the token")} {...form.at("name")} />
      <RoleSelect atMost={user.role} {...form.at("role")} />
      <ScopeChoice {...form.at("scopes")} />
      <NativeSelect label={t("Expires")} data={choicesOf(labels.lives)} {...form.at("days")} />
    </InputForm>
  );
}

const ScopeChoice = ({ value, onChange }: { value: TokenScope[]; onChange: (scopes: TokenScope[]) => void }) => (
  <Checkbox.Group
    label={t("Limited to")}
    description={t("None: everything that the role allows")}
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

const scopeLabels: Record<TokenScope, string> = tableOf(labels.scopes);

/** ISO 8601; null if it does not expire. */
const endOfLife = (days: string, now: number): string | null => (days === "" ? null : new Date(now + Number(days) * dayMs).toISOString());

type Token = Outputs["tokens"]["list"]["items"][number];

const maker: Column<Token> = { name: t("Created by"), kind: "short", cell: ({ createdBy }) => <TokenMaker userId={createdBy} /> };

const columns = (seesAll: boolean): Column<Token>[] => [
  { name: t("Name"), kind: "title", isNarrow: true, cell: (token) => <TokenName {...token} /> },
  { name: t("Role"), kind: "short", cell: ({ role }) => sentenceCase(translated(role)) },
  {
    name: t("Limited to"),
    cell: ({ scopes }) =>
      cut(scopes === null ? t("Everything that the role allows") : scopes.map((scope) => scopeLabels[scope].toLowerCase()).join(", "), 32),
  },
  ...(seesAll ? [maker] : []),
  { name: t("Created"), kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: t("Last used"), kind: "short", cell: ({ lastUsedAt }) => (lastUsedAt === null ? t("Never") : <Moment at={lastUsedAt} />) },
  { name: t("Expires"), kind: "short", cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
  { name: t("Actions"), kind: "buttons", cell: ({ id, name }) => <RevokeToken id={id} name={name} /> },
];

const filters: Filter<TokensSearch>[] = [
  { name: "role", label: t("Role"), options: roles.map((value) => ({ value, label: translated(value) })) },
];

function TokenList({ seesAll, create }: { seesAll: boolean; create: ReactNode }) {
  const search = useSearch({ from: `/signed-in${paths.tokens}` });
  const list = useTokens();
  const isSought = ({ name, hint, role }: Token) => hasText(search.search, name, hint) && role === (search.role ?? role);
  return (
    <>
      <FilterBar<TokensSearch> search={search} read={readTokensSearch} placeholder={t("Name")} filters={filters} views="tokens" />
      <PagedTable
        label={t("Access tokens")}
        query={{ ...list, data: list.data && onlyRows(list.data, isSought) }}
        what={t("the tokens")}
        filtered={isFiltered(search) && null}
        columns={columns(seesAll)}
        empty={
          <EmptyState title={t("No tokens yet")} action={create}>
            {t(
              "A program calls the API with a token, which appears here once it is created. Give each program its own, so that you can revoke each one separately.",
            )}
          </EmptyState>
        }
      />
    </>
  );
}

const TokenName = ({ name, hint }: Token) => (
  <span title={`${name} …${hint}`}>
    {name} <Dimmed component="span">…{hint}</Dimmed>
  </span>
);

function RevokeToken({ id, name }: { id: string; name: string }) {
  const revoke = () => settled(trpcClient.tokens.revoke.mutate({ id }), cache.tokens.list);
  return <AskButton question={labels.revoke} values={{ name }} onConfirm={revoke} />;
}

/** Only owners see the tokens of others, and can list people. */
function TokenMaker({ userId }: { userId: string }) {
  const { user } = useMe();
  const people = trpc.users.list.useQuery({ limit: 200 }, { staleTime: 60_000 });
  if (userId === user.id) return t("You");
  return people.data?.items.find(({ id }) => id === userId)?.email ?? t("Somebody else");
}
