import { Card, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { t } from "../../language.ts";
import { useMe } from "../../session.tsx";
import { cache, type Outputs, settled, trpc, trpcClient } from "../../trpc.ts";
import { AskButton } from "../../ui/base/dialogs.tsx";
import { Moment, LabelBadge } from "../../ui/base/facts.tsx";
import { tableOf } from "../../ui/base/labels.ts";
import { LanguageSelect } from "../../ui/base/language-select.tsx";
import { News, Page, rich, Section, EmptyState } from "../../ui/base/page.tsx";
import { FormButtons, InputForm, useInputForm } from "../../ui/form/input-form.tsx";
import { by } from "../../ui/form/input-issues.ts";
import { NewPasswordInput } from "../../ui/form/inputs.tsx";
import { PagedTable } from "../../ui/list/paged-table.tsx";
import { CredentialsEnded } from "../../ui/person/credentials-ended.tsx";
import { EmailUnproven } from "../../ui/person/email-unproven.tsx";
import { describeRole } from "../../ui/person/role-select.tsx";
import { type Column, byPage } from "../../ui/table/data-table.tsx";
import asks from "./ask-labels.json";
import labels from "./device-labels.json";
import { Security, SignOutEverywhere } from "./security.tsx";

export function MyAccountPage() {
  const { user, account, credentialsEndedAt } = useMe();
  return (
    <Page title={t("My account")} lead={user.email}>
      <Stack gap="lg">
        <EmailUnproven {...user} />
        <Card maw="40rem">
          <Stack gap="lg">
            <NameForm name={user.name} />
            <EmailForm email={user.email} />
            <Text>{rich(t("<0>{name}</0>, {role}", { name: account.name, role: describeRole(user.role) }), <strong dir="auto" />)}</Text>
          </Stack>
        </Card>
        <Section title={t("Language")} lead={t("For this browser. Messages to customers keep the language of their template.")} isCard>
          <LanguageSelect />
        </Section>
        <CredentialsEnded at={credentialsEndedAt} />
        <Section title={t("Password")} lead={t("Changing it signs you out on all other devices.")} isCard>
          <PasswordForm />
        </Section>
      </Stack>
      <Security />
      <Section
        title={t("Sessions")}
        lead={t("Where you are signed in. If you do not recognise one, end it and change your password.")}
        actions={<SignOutEverywhere />}
      >
        <PagedTable
          label={t("Sessions")}
          query={trpc.auth.sessions.useInfiniteQuery({ limit: 50 }, byPage)}
          what={t("the sessions")}
          empty={<EmptyState title={t("No sessions")}>{t("You use an access token.")}</EmptyState>}
          columns={columns}
        />
      </Section>
    </Page>
  );
}

function PasswordForm() {
  const { user } = useMe();
  const initialValues = { currentPassword: "", newPassword: "" };
  const form = useInputForm({
    initialValues,
    check: by("changePasswordInput"),
    submit: trpc.auth.changePassword.useMutation({ onSuccess: () => cache.auth.sessions.invalidate() }).mutateAsync,
    afterSave: () => initialValues,
  });
  return (
    <InputForm form={form} label={t("Change password")} failure={t("The password was not changed")}>
      <Stack gap="sm">
        <PasswordInput label={t("Current password")} autoComplete="current-password" required {...form.at("currentPassword")} />
        <NewPasswordInput words={[user.email, user.name]} {...form.at("newPassword")} />
      </Stack>
      <FormButtons form={form} submit={t("Change password")} isMinor saved={t("Password changed")} />
    </InputForm>
  );
}

function NameForm({ name }: { name: string }) {
  const form = useInputForm({
    initialValues: { name },
    check: by("nameInput"),
    submit: trpc.auth.changeName.useMutation({ onSuccess: () => cache.auth.me.invalidate() }).mutateAsync,
  });
  return (
    <InputForm form={form} label={t("Change name")} failure={t("The name was not changed")} saved={t("Name saved")}>
      <TextInput label={t("Name")} autoComplete="name" required {...form.at("name")} />
    </InputForm>
  );
}

function EmailForm({ email }: { email: string }) {
  const [sentTo, setSentTo] = useState<string | null>(null);
  const change = trpc.auth.changeEmail.useMutation();
  const form = useInputForm({
    initialValues: { email },
    check: by("changeEmailInput"),
    submit: async (input) => {
      const { mailed } = await change.mutateAsync(input);
      setSentTo(mailed ? input.email : null);
      if (!mailed) await cache.auth.me.invalidate();
    },
  });
  return (
    <InputForm form={form} label={t("Change e-mail")} failure={t("The e-mail was not changed")}>
      <TextInput
        label={t("E-mail")}
        description={t("You sign in with it.")}
        type="email"
        autoComplete="email"
        required
        {...form.at("email")}
      />
      <FormButtons form={form} submit={t("Change e-mail")} isMinor saved={sentTo === null ? t("E-mail changed") : t("Link sent")} />
      {sentTo !== null && (
        <News>{t("Open the link that was sent to {sentTo}: until then you sign in as {email}.", { sentTo, email })}</News>
      )}
    </InputForm>
  );
}

type Session = Outputs["auth"]["sessions"]["items"][number];

const columns: Column<Session>[] = [
  { name: t("Device"), kind: "title", cell: (session) => <Device {...session} /> },
  { name: t("Address"), kind: "short", cell: ({ address }) => address ?? t("Unknown") },
  { name: t("Signed in"), kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: t("Last used"), kind: "short", cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} /> },
  { name: t("Actions"), kind: "buttons", cell: (session) => !session.current && <EndSession {...session} /> },
];

const Device = ({ userAgent, current }: Session) => (
  <span title={userAgent ?? undefined}>
    {deviceName(userAgent)} {current && <LabelBadge>{t("this session")}</LabelBadge>}
  </span>
);

function EndSession({ id, userAgent }: { id: string; userAgent: string | null }) {
  const end = () => settled(trpcClient.auth.revokeSession.mutate({ id }), cache.auth.sessions);
  return <AskButton question={asks.endSession} values={{ device: deviceName(userAgent) }} onConfirm={end} />;
}

/** Browser and system of a user agent, such as `Firefox on Windows`; for other programs the first name. */
export function deviceName(userAgent: string | null): string {
  if (userAgent === null || userAgent === "") return t("Unknown program");
  const browser = nameIn(names.browsers, userAgent);
  if (browser === undefined) return userAgent.split(/[\s/]/u, 1)[0] ?? userAgent;
  const system = nameIn(names.systems, userAgent);
  return system === undefined ? browser : t("{browser} on {system}", { browser, system });
}

/** Names by what stands in a user agent. The order counts, since each browser also names those below it. */
const names = tableOf(labels);

const nameIn = (table: Record<string, string>, userAgent: string) => Object.entries(table).find(([mark]) => userAgent.includes(mark))?.[1];
