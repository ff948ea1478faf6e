import { Card, DataList, PasswordInput, Stack } from "@mantine/core";
import { changePasswordInput } from "shared/core/input/team";
import { useMe } from "../../session.tsx";
import { trpc, type Outputs } from "../../trpc.ts";
import { CredentialsEnded } from "../../ui/credentials-ended.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ConfirmButton } from "../../ui/dialogs.tsx";
import { Moment } from "../../ui/facts.tsx";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { NewPasswordInput } from "../../ui/inputs.tsx";
import { roleLabels } from "../../ui/labels.ts";
import { Page, Section } from "../../ui/page.tsx";
import { EmptyState, PagedList } from "../../ui/paged-list.tsx";
import { LabelBadge } from "../../ui/status-badge.tsx";
import { Security } from "./security.tsx";

export function MyAccountPage() {
  return (
    <Page title="My account">
      <Profile />
      <CredentialsEnded at={useMe().credentialsEndedAt} />
      <Section title="Password" lead="Changing it signs you out on all other devices.">
        <PasswordForm />
      </Section>
      <Security />
      <Section
        title="Sessions"
        lead="Where you are signed in. If you do not recognise one, end it and change your password."
        actions={<SignOutEverywhere />}
      >
        <Sessions />
      </Section>
    </Page>
  );
}

function PasswordForm() {
  const { user } = useMe();
  const cache = trpc.useUtils();
  const change = trpc.auth.changePassword.useMutation({ onSuccess: () => cache.auth.sessions.invalidate() });
  const initialValues = { currentPassword: "", newPassword: "" };
  const form = useInputForm({
    initialValues,
    toInput: (values) => values,
    check: by(changePasswordInput),
    submit: change.mutateAsync,
    afterSave: () => initialValues,
  });
  return (
    <Card withBorder>
      <InputForm form={form} label="Change password" failure="The password was not changed">
        <Stack gap="sm" maw={420}>
          <PasswordInput label="Current password" autoComplete="current-password" required {...form.at("currentPassword")} />
          <NewPasswordInput words={[user.email, user.name]} {...form.at("newPassword")} />
        </Stack>
        <FormButtons form={form} submit="Change password" saved="Password changed" />
      </InputForm>
    </Card>
  );
}

function Profile() {
  const { user, account } = useMe();
  const items = [
    ["Name", user.name],
    ["E-mail", user.email],
    ["Account", account.name],
    ["Role", `${user.role}: ${roleLabels[user.role]}`],
  ] as const;
  return (
    <Card withBorder>
      <DataList>
        {items.map(([label, value]) => (
          <DataList.Item key={label}>
            <DataList.ItemLabel>{label}</DataList.ItemLabel>
            <DataList.ItemValue>{value}</DataList.ItemValue>
          </DataList.Item>
        ))}
      </DataList>
    </Card>
  );
}

type Session = Outputs["auth"]["sessions"]["items"][number];

const columns: Column<Session>[] = [
  { name: "Device", kind: "title", cell: (session) => <Device {...session} /> },
  { name: "Address", kind: "short", cell: ({ address }) => address ?? "Unknown" },
  { name: "Signed in", kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: "Last used", kind: "short", cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} /> },
  { name: "Actions", kind: "buttons", cell: (session) => !session.current && <EndSession {...session} /> },
];

function Sessions() {
  const sessions = trpc.auth.sessions.useInfiniteQuery({ limit: 50 }, { getNextPageParam: (page) => page.nextCursor });
  return (
    <PagedList query={sessions} what="the sessions" empty={<EmptyState title="No sessions">You use an access token.</EmptyState>}>
      {(items) => <DataTable label="Sessions" columns={columns} rows={items} rowKey={({ id }) => id} />}
    </PagedList>
  );
}

function Device({ userAgent, current }: Session) {
  return (
    <span title={userAgent ?? undefined}>
      {deviceName(userAgent)} {current && <LabelBadge color="teal">this session</LabelBadge>}
    </span>
  );
}

function EndSession({ id, userAgent }: { id: string; userAgent: string | null }) {
  const cache = trpc.useUtils();
  const end = trpc.auth.revokeSession.useMutation({ onSettled: () => cache.auth.sessions.invalidate() });
  const device = deviceName(userAgent);
  return (
    <ConfirmButton
      label="End session"
      size="compact-sm"
      aria-label={`End the session of ${device}`}
      title="End this session?"
      action="End session"
      onConfirm={() => end.mutateAsync({ id })}
    >
      {device} is signed out at the next click.
    </ConfirmButton>
  );
}

/** Browser and system of a user agent, such as `Firefox on Windows`; of other programs the first name. */
export function deviceName(userAgent: string | null): string {
  if (userAgent === null || userAgent === "") return "Unknown program";
  const browser = nameIn(browsers, userAgent);
  if (browser === undefined) return userAgent.split(/[\s/]/u, 1)[0] ?? userAgent;
  const system = nameIn(systems, userAgent);
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** In this order, since each also names those below it. */
const browsers: [RegExp, string][] = [
  [/Edg/u, "Edge"],
  [/OPR/u, "Opera"],
  [/Firefox|FxiOS/u, "Firefox"],
  [/Chrom|CriOS/u, "Chrome"],
  [/Safari/u, "Safari"],
];

const systems: [RegExp, string][] = [
  [/iPhone|iPad/u, "iOS"],
  [/Android/u, "Android"],
  [/Windows/u, "Windows"],
  [/Mac OS/u, "macOS"],
  [/Linux|X11/u, "Linux"],
];

const nameIn = (names: [RegExp, string][], userAgent: string): string | undefined => names.find(([mark]) => mark.test(userAgent))?.[1];

function SignOutEverywhere() {
  const cache = trpc.useUtils();
  const signOut = trpc.auth.signOutEverywhere.useMutation({ onSuccess: () => cache.auth.state.invalidate() });
  return (
    <ConfirmButton label="Sign out everywhere" title="Sign out everywhere?" action="Sign out" onConfirm={() => signOut.mutateAsync()}>
      All your sessions end, including this one. Access tokens keep working.
    </ConfirmButton>
  );
}
