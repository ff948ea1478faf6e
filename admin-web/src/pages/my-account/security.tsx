import { Group, PasswordInput, Stack, Text, NativeSelect } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { t } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { useMe } from "../../session.tsx";
import { cache, type Outputs, settled, trpc, trpcClient } from "../../trpc.ts";
import { SecondaryButton, SmallButton, TextLink } from "../../ui/base/buttons.tsx";
import { AskButton, ConfirmForm, Dialog, DialogButton } from "../../ui/base/dialogs.tsx";
import { Moment } from "../../ui/base/facts.tsx";
import { bound, running } from "../../ui/base/fields.ts";
import { tableOf } from "../../ui/base/labels.ts";
import { Section, News, FailureNotice, readableMessage, EmptyState } from "../../ui/base/page.tsx";
import { FormButtons, InputForm, useInputForm } from "../../ui/form/input-form.tsx";
import { by } from "../../ui/form/input-issues.ts";
import { dayMs } from "../../ui/list/days.ts";
import { PagedTable } from "../../ui/list/paged-table.tsx";
import { AppSetup, PasskeySetup } from "../../ui/person/second-factor-setup.tsx";
import { type Column, byPage, DataTable } from "../../ui/table/data-table.tsx";
import asks from "./ask-labels.json";
import labels from "./labels.json";

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
        <DialogButton label={t("Add passkey")} title={t("Add passkey")}>
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
      <PagedTable
        label={t("Passkeys")}
        query={trpc.auth.passkeys.useInfiniteQuery({ limit: 50 }, byPage)}
        what={t("the passkeys")}
        empty={<EmptyState title={t("No passkeys")}>{t("Add one to sign in without a password.")}</EmptyState>}
        columns={columns}
      />
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
        <SecondaryButton onClick={() => setOpen("setup")}>{totp ? t("Set up again") : t("Set up app")}</SecondaryButton>
        {totp && <SecondaryButton onClick={() => setOpen("remove")}>{t("Remove app")}</SecondaryButton>}
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
  const form = useInputForm({
    initialValues: { password: "" },
    check: by("removeTotpInput"),
    submit: trpc.auth.removeTotp.useMutation().mutateAsync,
    onSaved: onDone,
  });
  return (
    <InputForm form={form} label={t("Remove authenticator app")} failure={t("The app was not removed")} isGuarded={false}>
      <Text>{t("The sign-in no longer asks for a code, and the recovery codes stop working.")}</Text>
      <PasswordInput label={t("Your password")} autoComplete="current-password" required {...form.at("password")} />
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

const RemovePasskey = ({ id, name }: Passkey) => (
  <AskButton
    question={asks.removePasskey}
    values={{ name }}
    onConfirm={() => settled(trpcClient.auth.removePasskey.mutate({ id }), cache.auth.passkeys, cache.auth.me)}
  />
);

/** Ends all sessions, and first shows what somebody who had one of them may have left behind. */
export const SignOutEverywhere = () => (
  <DialogButton label={t("Sign out everywhere")} title={t("Sign out everywhere?")}>
    {(close) => (
      <Stack gap="lg">
        <MadeSince />
        <ConfirmForm
          action={t("Sign out")}
          onClose={close}
          onConfirm={() => settled(trpcClient.auth.signOutEverywhere.mutate(), cache.auth.state)}
        >
          {t("All your sessions end, including this one. Access tokens keep working, and so does everything in the list that you leave.")}
        </ConfirmForm>
      </Stack>
    )}
  </DialogButton>
);

const spans = [1, 7, 30, 90];

function MadeSince() {
  const [days, setDays] = useState(7);
  const [now] = useState(Date.now);
  const since = new Date(now - days * dayMs).toISOString();
  const made = trpc.auth.madeSince.useQuery({ since });
  return (
    <Stack gap="sm">
      <Text>
        {t("If somebody else had your session, they may have left a way back in. This was made in your name; remove what you do not know.")}
      </Text>
      <NativeSelect
        label={t("Made in the last")}
        maw="14rem"
        {...bound(days, (text) => setDays(Number(text)))}
        data={spans.map((count) => ({ value: String(count), label: t("{count, plural, one {# day} other {# days}}", { count }) }))}
      />
      <FailureNotice title={t("Could not load what was made")} of={made} />
      {made.data?.items.length === 0 && <Text>{t("Nothing was made in this account.")}</Text>}
      {made.data !== undefined && made.data.items.length > 0 && (
        <DataTable label={t("Made in your name")} columns={madeColumns} rows={made.data.items} rowKey={({ kind, id }) => `${kind} ${id}`} />
      )}
      {made.data?.elsewhere.map(({ id, name }) => (
        <Text key={id}>{t("Something was made in the account {name} too: switch to it and look there.", { name })}</Text>
      ))}
    </Stack>
  );
}

type Made = Outputs["auth"]["madeSince"]["items"][number];

const kindLabels: Record<Made["kind"], string> = tableOf(labels);

const madeColumns: Column<Made>[] = [
  { name: t("Name"), kind: "title", cell: ({ kind, name }) => (kind === "app" || kind === "credentials" ? kindLabels[kind] : name) },
  { name: t("What"), cell: ({ kind }) => kindLabels[kind] },
  { name: t("Made"), kind: "short", cell: ({ madeAt }) => <Moment at={madeAt} /> },
  { name: t("Actions"), kind: "buttons", cell: (made) => <RemoveMade {...made} /> },
];

/** What has a page is changed there: a new key is shown once, a binding may have been another before, an app is removed with the password. */
function RemoveMade({ kind, id, name }: Made) {
  const remove = useMutation({
    mutationFn: (removed: keyof typeof removals) => removals[removed].mutate({ id }),
    onSuccess: () => cache.invalidate(),
  });
  if (kind === "key") return <TextLink {...pages.site(id, "keys")}>{t("Rotate it")}</TextLink>;
  if (kind === "address") return <TextLink {...pages.site(id, "settings")}>{t("Change it")}</TextLink>;
  if (kind === "binding") return <TextLink {...pages.binding(id)}>{t("Change it")}</TextLink>;
  if (kind === "credentials")
    return <TextLink to={name === "settings.update" ? paths.platform : paths.assistant}>{t("Change it")}</TextLink>;
  if (kind === "app") return <Text>{t("Remove it on this page, with your password")}</Text>;
  return (
    <>
      <SmallButton aria-label={t("Remove {name}", { name })} {...running(remove, kind)}>
        {t("Remove")}
      </SmallButton>
      {remove.error !== null && <News>{readableMessage(remove.error.message)}</News>}
    </>
  );
}

const removals = {
  site: trpcClient.sites.delete,
  webhook: trpcClient.webhooks.delete,
  channel: trpcClient.alerts.removeChannel,
  token: trpcClient.tokens.revoke,
  invitation: trpcClient.users.invites.revoke,
  passkey: trpcClient.auth.removePasskey,
  person: trpcClient.users.remove,
  recipient: trpcClient.recipients.remove,
};
