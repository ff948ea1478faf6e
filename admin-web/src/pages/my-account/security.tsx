import { Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { removeTotpInput } from "shared/core/input/team";
import { t } from "../../language.ts";
import { useMe } from "../../session.tsx";
import { cache, type Outputs, trpc } from "../../trpc.ts";
import { type Column, byPage, EmptyState } from "../../ui/data-table.tsx";
import { ConfirmButton, Dialog, DialogButton } from "../../ui/dialogs.tsx";
import { Moment } from "../../ui/facts.tsx";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { Section } from "../../ui/page.tsx";
import { PagedTable } from "../../ui/paged-table.tsx";
import { AppSetup, PasskeySetup } from "../../ui/second-factor-setup.tsx";

/** The person's ways to sign in beside the password. */
export const Security = () => (
  <>
    <Section title={t("Authenticator app")} lead={t("A code from an app as the second step of your sign-in.")} isCard>
      <AuthenticatorApp />
    </Section>
    <Section
      title={t("Passkeys")}
      lead={t("Sign in with your device instead of a password. Remove any that you do not recognise.")}
      actions={
        <DialogButton label={t("Add passkey")} title={t("Add passkey")} variant="light" size="xs">
          {(close) => (
            <PasskeySetup
              onCancel={close}
              onDone={async () => {
                close();
                await Promise.all([cache.auth.passkeys.invalidate(), cache.auth.me.invalidate()]);
              }}
            />
          )}
        </DialogButton>
      }
    >
      <Passkeys />
    </Section>
  </>
);

function AuthenticatorApp() {
  const { totp, recoveryCodes } = useMe().secondFactor;
  const [open, setOpen] = useState<"setup" | "remove" | null>(null);
  const close = async () => {
    setOpen(null);
    await cache.auth.me.invalidate();
  };
  return (
    <Stack gap="sm" align="flex-start">
      <Text>
        {totp
          ? t("Set up. {recoveryCodes, plural, one {# recovery code} other {# recovery codes}} left{value}.", {
              recoveryCodes,
              value: recoveryCodes < 4 ? t(": set the app up again for new ones") : "",
            })
          : t("Not set up: your password alone signs you in.")}
      </Text>
      <Group gap="sm">
        <Button variant={totp ? "default" : "filled"} onClick={() => setOpen("setup")}>
          {totp ? t("Set up again") : t("Set up app")}
        </Button>
        {totp && (
          <Button variant="default" onClick={() => setOpen("remove")}>
            {t("Remove app")}
          </Button>
        )}
      </Group>
      <Dialog title={t("Set up authenticator app")} insists opened={open === "setup"} onClose={() => void close()}>
        <AppSetup onDone={close} onCancel={() => void close()} />
      </Dialog>
      <Dialog title={t("Remove the authenticator app?")} opened={open === "remove"} onClose={() => void close()}>
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
    <InputForm form={form} label={t("Remove authenticator app")} failure={t("The app was not removed")} isGuarded={false}>
      <Text>{t("The sign-in no longer asks for a code, and the recovery codes stop working.")}</Text>
      <PasswordInput label={t("Your password")} autoComplete="current-password" required data-autofocus {...form.at("password")} />
      <FormButtons form={form} submit={t("Remove app")} onCancel={() => void onDone()} />
    </InputForm>
  );
}

type Passkey = Outputs["auth"]["passkeys"]["items"][number];

const columns: Column<Passkey>[] = [
  { name: t("Name"), kind: "title", cell: ({ name }) => name },
  { name: t("Added"), kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: t("Last used"), kind: "short", cell: ({ lastUsedAt }) => (lastUsedAt === null ? t("Never") : <Moment at={lastUsedAt} />) },
  { name: t("Actions"), kind: "buttons", cell: (passkey) => <RemovePasskey {...passkey} /> },
];

const Passkeys = () => (
  <PagedTable
    label={t("Passkeys")}
    query={trpc.auth.passkeys.useInfiniteQuery({ limit: 50 }, byPage)}
    what={t("the passkeys")}
    empty={<EmptyState title={t("No passkeys")}>{t("Add one to sign in without a password.")}</EmptyState>}
    columns={columns}
  />
);

function RemovePasskey({ id, name }: Passkey) {
  const remove = trpc.auth.removePasskey.useMutation({
    onSettled: () => Promise.all([cache.auth.passkeys.invalidate(), cache.auth.me.invalidate()]),
  });
  return (
    <ConfirmButton
      label={t("Remove")}
      size="compact-sm"
      aria-label={t("Remove the passkey {name}", { name })}
      title={t("Remove {name}?", { name })}
      action={t("Remove passkey")}
      onConfirm={() => remove.mutateAsync({ id })}
    >
      {t("It no longer signs you in here. Delete it on the device too.")}
    </ConfirmButton>
  );
}
