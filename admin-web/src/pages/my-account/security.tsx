import { Button, Card, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { removeTotpInput } from "shared/core/input/team";
import { formatCountOf } from "../../format.ts";
import { useMe } from "../../session.tsx";
import { trpc, type Outputs } from "../../trpc.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ConfirmButton, Dialog } from "../../ui/dialogs.tsx";
import { Moment } from "../../ui/facts.tsx";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { Section } from "../../ui/page.tsx";
import { EmptyState, PagedList } from "../../ui/paged-list.tsx";
import { AppSetup, PasskeySetup } from "../../ui/second-factor-setup.tsx";

/** What signs the person in beside the password. */
export function Security() {
  return (
    <>
      <Section title="Authenticator app" lead="A code from an app as the second step of your sign-in.">
        <Card withBorder>
          <AuthenticatorApp />
        </Card>
      </Section>
      <Section
        title="Passkeys"
        lead="Sign in with your device instead of a password. Remove one that you do not know."
        actions={<AddPasskey />}
      >
        <Passkeys />
      </Section>
    </>
  );
}

function AuthenticatorApp() {
  const { totp, recoveryCodes } = useMe().secondFactor;
  const [open, setOpen] = useState<"setup" | "remove" | null>(null);
  const cache = trpc.useUtils();
  const close = async () => {
    setOpen(null);
    await cache.auth.me.invalidate();
  };
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">
        {totp
          ? `Set up. ${formatCountOf(recoveryCodes, "recovery code")} left${recoveryCodes < 4 ? ": set the app up again for new ones" : ""}.`
          : "Not set up: your password alone signs you in."}
      </Text>
      <Group gap="sm">
        <Button variant={totp ? "default" : "filled"} onClick={() => setOpen("setup")}>
          {totp ? "Set up again" : "Set up app"}
        </Button>
        {totp && (
          <Button variant="default" onClick={() => setOpen("remove")}>
            Remove app
          </Button>
        )}
      </Group>
      <Dialog title="Set up authenticator app" insists opened={open === "setup"} onClose={() => void close()}>
        <AppSetup onDone={close} onCancel={() => void close()} />
      </Dialog>
      <Dialog title="Remove the authenticator app?" opened={open === "remove"} onClose={() => void close()}>
        <RemoveApp onDone={close} />
      </Dialog>
    </Stack>
  );
}

function RemoveApp({ onDone }: { onDone: () => Promise<void> }) {
  const remove = trpc.auth.removeTotp.useMutation();
  const form = useInputForm({
    initialValues: { password: "" },
    toInput: (values) => values,
    check: by(removeTotpInput),
    submit: remove.mutateAsync,
    onSaved: onDone,
  });
  return (
    <InputForm form={form} label="Remove authenticator app" failure="The app was not removed" isGuarded={false}>
      <Text size="sm">The sign-in no longer asks for a code, and the recovery codes stop working.</Text>
      <PasswordInput label="Your password" autoComplete="current-password" required data-autofocus {...form.at("password")} />
      <FormButtons form={form} submit="Remove app" onCancel={() => void onDone()} />
    </InputForm>
  );
}

type Passkey = Outputs["auth"]["passkeys"]["items"][number];

const columns: Column<Passkey>[] = [
  { name: "Name", kind: "title", cell: ({ name }) => name },
  { name: "Added", kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: "Last used", kind: "short", cell: ({ lastUsedAt }) => (lastUsedAt === null ? "Never" : <Moment at={lastUsedAt} />) },
  { name: "Actions", kind: "buttons", cell: (passkey) => <RemovePasskey {...passkey} /> },
];

function Passkeys() {
  const passkeys = trpc.auth.passkeys.useInfiniteQuery({ limit: 50 }, { getNextPageParam: (page) => page.nextCursor });
  return (
    <PagedList
      query={passkeys}
      what="the passkeys"
      empty={<EmptyState title="No passkeys">Add one to sign in without a password.</EmptyState>}
    >
      {(items) => <DataTable label="Passkeys" columns={columns} rows={items} rowKey={({ id }) => id} />}
    </PagedList>
  );
}

function AddPasskey() {
  const [opened, dialog] = useDisclosure(false);
  const cache = trpc.useUtils();
  const done = async () => {
    dialog.close();
    await Promise.all([cache.auth.passkeys.invalidate(), cache.auth.me.invalidate()]);
  };
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Add passkey
      </Button>
      <Dialog title="Add passkey" opened={opened} onClose={dialog.close}>
        <PasskeySetup onDone={done} onCancel={dialog.close} />
      </Dialog>
    </>
  );
}

function RemovePasskey({ id, name }: Passkey) {
  const cache = trpc.useUtils();
  const remove = trpc.auth.removePasskey.useMutation({
    onSettled: () => Promise.all([cache.auth.passkeys.invalidate(), cache.auth.me.invalidate()]),
  });
  return (
    <ConfirmButton
      label="Remove"
      size="compact-sm"
      aria-label={`Remove the passkey ${name}`}
      title={`Remove ${name}?`}
      action="Remove passkey"
      onConfirm={() => remove.mutateAsync({ id })}
    >
      It no longer signs you in here. Delete it on the device too.
    </ConfirmButton>
  );
}
