import { Button, Card, Group, PasswordInput, Stack, Text, DataList } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { changePasswordInput } from "shared/core/input/team";
import { useMe } from "../../session.tsx";
import { trpc, type Outputs } from "../../trpc.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ConfirmDialog } from "../../ui/dialogs.tsx";
import { Moment } from "../../ui/facts.tsx";
import { NewPasswordInput, UnsavedGuard } from "../../ui/inputs.tsx";
import { roleLabels } from "../../ui/labels.ts";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { EmptyState, PagedList } from "../../ui/paged-list.tsx";
import { LabelBadge } from "../../ui/status-badge.tsx";
import { useInputForm } from "../../ui/use-input-form.ts";

export function MyAccountPage() {
  return (
    <Page title="My account">
      <Profile />
      <Section title="Password" lead="A change signs you out everywhere but here.">
        <PasswordForm />
      </Section>
      <Section
        title="Sessions"
        lead="Where you are signed in. End one that you do not know, and change your password."
        actions={<SignOutEverywhere />}
      >
        <Sessions />
      </Section>
    </Page>
  );
}

function PasswordForm() {
  const cache = trpc.useUtils();
  const change = trpc.auth.changePassword.useMutation({ onSuccess: () => cache.auth.sessions.invalidate() });
  const { form, refusal, onSubmit } = useInputForm({
    schema: changePasswordInput,
    initialValues: { currentPassword: "", newPassword: "" },
    toInput: (values) => values,
    submit: async (input) => {
      await change.mutateAsync(input);
      form.reset();
    },
  });
  return (
    <Card withBorder>
      <UnsavedGuard isUnsaved={form.isDirty} />
      <form onSubmit={onSubmit} aria-label="Change the password" noValidate>
        <Stack gap="sm" maw={420}>
          {refusal !== null && <FailureNotice title="The password was not changed" error={refusal} />}
          <PasswordInput
            key={form.key("currentPassword")}
            label="Current password"
            autoComplete="current-password"
            required
            {...form.getInputProps("currentPassword")}
          />
          <NewPasswordInput key={form.key("newPassword")} {...form.getInputProps("newPassword")} />
          <Group gap="sm">
            <Button type="submit" loading={change.isPending}>
              Change the password
            </Button>
            <Text size="sm" role="status">
              {change.isSuccess && "The password is changed."}
            </Text>
          </Group>
        </Stack>
      </form>
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
  { name: "Address", kind: "short", cell: ({ address }) => address ?? "unknown" },
  { name: "Signed in", kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: "Last used", kind: "short", cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} /> },
  { name: "Actions", kind: "buttons", cell: (session) => !session.current && <EndSession {...session} /> },
];

function Sessions() {
  const sessions = trpc.auth.sessions.useInfiniteQuery({ limit: 50 }, { getNextPageParam: (page) => page.nextCursor });
  return (
    <PagedList query={sessions} what="the sessions" empty={<EmptyState title="No session">You use an access token.</EmptyState>}>
      {(items) => <DataTable label="Sessions" columns={columns} rows={items} rowKey={({ id }) => id} />}
    </PagedList>
  );
}

function Device({ userAgent, current }: Session) {
  return (
    <span title={userAgent ?? undefined}>
      {deviceName(userAgent)} {current && <LabelBadge color="teal">this one</LabelBadge>}
    </span>
  );
}

function EndSession({ id, userAgent }: { id: string; userAgent: string | null }) {
  const [opened, dialog] = useDisclosure(false);
  const cache = trpc.useUtils();
  const end = trpc.auth.revokeSession.useMutation({ onSettled: () => cache.auth.sessions.invalidate() });
  const device = deviceName(userAgent);
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={dialog.open} aria-label={`End the session of ${device}`}>
        End
      </Button>
      <ConfirmDialog
        title="End this session?"
        action="End it"
        opened={opened}
        onClose={dialog.close}
        onConfirm={() => end.mutateAsync({ id })}
      >
        {device} is signed out at its next click.
      </ConfirmDialog>
    </>
  );
}

/** Browser and system of a user agent, such as `Firefox on Windows`; the first name in it when it is another program. */
export function deviceName(userAgent: string | null): string {
  if (userAgent === null || userAgent === "") return "unknown program";
  const browser = nameIn(browsers, userAgent);
  if (browser === undefined) return userAgent.split(/[\s/]/u, 1)[0] ?? userAgent;
  const system = nameIn(systems, userAgent);
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** In this order: each names those below it as well. */
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
  const [opened, dialog] = useDisclosure(false);
  const cache = trpc.useUtils();
  const signOut = trpc.auth.signOutEverywhere.useMutation({ onSuccess: () => cache.auth.state.invalidate() });
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Sign out everywhere
      </Button>
      <ConfirmDialog
        title="Sign out everywhere?"
        action="Sign out"
        opened={opened}
        onClose={dialog.close}
        onConfirm={() => signOut.mutateAsync()}
      >
        Every session of yours ends, this one too. Access tokens stay.
      </ConfirmDialog>
    </>
  );
}
