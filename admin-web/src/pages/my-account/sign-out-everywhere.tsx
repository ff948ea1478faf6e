import { Button, NativeSelect, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { cache, type Outputs, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ConfirmForm, DialogButton } from "../../ui/dialogs.tsx";
import { Moment } from "../../ui/facts.tsx";
import { bound } from "../../ui/fields.ts";
import { tableOf } from "../../ui/labels.ts";
import { News, FailureNotice, readableMessage } from "../../ui/page.tsx";
import labels from "./labels.json";

/** Ends all sessions, and first shows what somebody who had one of them may have left behind. */
export function SignOutEverywhere() {
  const signOut = trpc.auth.signOutEverywhere.useMutation({ onSuccess: () => cache.auth.state.invalidate() });
  return (
    <DialogButton label={t("Sign out everywhere")} title={t("Sign out everywhere?")}>
      {(close) => (
        <Stack gap="lg">
          <MadeSince />
          <ConfirmForm action={t("Sign out")} onClose={close} onConfirm={() => signOut.mutateAsync()}>
            {t("All your sessions end, including this one. Access tokens keep working, and so does everything in the list that you leave.")}
          </ConfirmForm>
        </Stack>
      )}
    </DialogButton>
  );
}

const dayMs = 86_400_000;
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
        <DataTable label={t("Made in your name")} columns={columns} rows={made.data.items} rowKey={({ kind, id }) => `${kind} ${id}`} />
      )}
      {made.data?.elsewhere.map(({ id, name }) => (
        <Text key={id}>{t("Something was made in the account {name} too: switch to it and look there.", { name })}</Text>
      ))}
    </Stack>
  );
}

type Made = Outputs["auth"]["madeSince"]["items"][number];

const kindLabels: Record<Made["kind"], string> = tableOf(labels);

const columns: Column<Made>[] = [
  { name: t("Name"), kind: "title", cell: ({ kind, name }) => (kind === "app" || kind === "credentials" ? kindLabels[kind] : name) },
  { name: t("What"), cell: ({ kind }) => kindLabels[kind] },
  { name: t("Made"), kind: "short", cell: ({ madeAt }) => <Moment at={madeAt} /> },
  { name: t("Actions"), kind: "buttons", cell: (made) => <RemoveMade {...made} /> },
];

/** What has a page is changed there: a new key is shown once, a binding may have been another before, an app is removed with the password. */
function RemoveMade({ kind, id, name }: Made) {
  const onSuccess = () => cache.invalidate();
  const removals = {
    site: trpc.sites.delete.useMutation({ onSuccess }),
    webhook: trpc.webhooks.delete.useMutation({ onSuccess }),
    channel: trpc.alerts.removeChannel.useMutation({ onSuccess }),
    token: trpc.tokens.revoke.useMutation({ onSuccess }),
    invitation: trpc.users.invites.revoke.useMutation({ onSuccess }),
    passkey: trpc.auth.removePasskey.useMutation({ onSuccess }),
    person: trpc.users.remove.useMutation({ onSuccess }),
    recipient: trpc.recipients.remove.useMutation({ onSuccess }),
  };
  if (kind === "key" || kind === "address")
    return (
      <TextLink to={paths.site} params={{ siteId: id }}>
        {kind === "key" ? t("Rotate it") : t("Change it")}
      </TextLink>
    );
  if (kind === "binding")
    return (
      <TextLink to={paths.binding} params={{ bindingId: id }}>
        {t("Change it")}
      </TextLink>
    );
  if (kind === "credentials")
    return <TextLink to={name === "settings.update" ? paths.platform : paths.assistant}>{t("Change it")}</TextLink>;
  if (kind === "app") return <Text>{t("Remove it on this page, with your password")}</Text>;
  const { mutate, isPending, error } = removals[kind];
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        aria-label={t("Remove {name}", { name })}
        loading={isPending}
        onClick={() => mutate({ id })}
      >
        {t("Remove")}
      </Button>
      {error !== null && <News>{readableMessage(error.message)}</News>}
    </>
  );
}
