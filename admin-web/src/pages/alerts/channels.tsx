import { ActionIcon, Alert, Button, Code, Group, Menu, Stack, Text, VisuallyHidden } from "@mantine/core";
import IconDots from "@tabler/icons-react/dist/esm/icons/IconDots.mjs";
import { useState } from "react";
import type { Tone } from "shared/core/message";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { cache, type Outputs, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ConfirmDialog, Dialog, SecretOnce } from "../../ui/dialogs.tsx";
import { Moment } from "../../ui/facts.tsx";
import { UnsavedGuard } from "../../ui/input-form.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/paged-list.tsx";
import { kindLabel } from "../../ui/problem-kinds.ts";
import { Rich } from "../../ui/rich.tsx";
import { Status } from "../../ui/status-badge.tsx";
import { ChannelForm, channelLabels, EditForm, isUsual } from "./channel-form.tsx";
import classes from "../../ui/ui.module.css";

export type AlertSettings = Outputs["alerts"]["settings"];
type Channel = AlertSettings["channels"][number];

export function Channels({ settings: { channels, mailFrom } }: { settings: AlertSettings }) {
  const isOwner = useMay("owner");
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Section
      title={t("Channels")}
      lead={t("Each channel gets one message when a problem opens and one when it is resolved.")}
      actions={
        isOwner && (
          <Button variant="light" size="xs" onClick={() => setAdding(true)}>
            {t("Add channel")}
          </Button>
        )
      }
    >
      {channels.length === 0 ? (
        <NoChannel isOwner={isOwner} />
      ) : (
        <DataTable label={t("Channels")} columns={columnsOf(isOwner, setSecret)} rows={channels} rowKey={({ id }) => id} />
      )}
      {mailFrom === null && (
        <Text size="sm" c="dimmed">
          <Rich text={t("This server sends no e-mail. Whoever runs it sets <0>SMTP_URL</0> and <1>MAIL_FROM</1>.")}>
            <Code />
            <Code />
          </Rich>
        </Text>
      )}
      <Dialog title={t("Add channel")} opened={isAdding} onClose={() => setAdding(false)}>
        <ChannelForm
          mailFrom={mailFrom}
          onCancel={() => setAdding(false)}
          onAdded={(given) => {
            setAdding(false);
            setSecret(given ?? null);
          }}
        />
      </Dialog>
      <Dialog title={t("Secret of the webhook")} opened={secret !== null} onClose={() => setSecret(null)} insists>
        <SecretOnce label={t("Secret of the webhook")} secret={secret ?? ""} onSaved={() => setSecret(null)}>
          <UnsavedGuard isUnsaved={() => true} loss={t("You have not saved the secret of the webhook. It is not shown again.")} />
          {t("It signs every request. Your program uses it to verify each one.")}
        </SecretOnce>
      </Dialog>
    </Section>
  );
}

const NoChannel = ({ isOwner }: { isOwner: boolean }) => (
  <EmptyState title={t("No channels yet")}>
    <Rich
      text={t("{value} The documentation explains <0>which alerts are sent, and when</0>.", {
        value: isOwner
          ? t("Add an e-mail address, a Slack channel or a webhook, then send it a test.")
          : t("An owner can add the first channel."),
      })}
    >
      <TextLink to={paths.topic} params={{ topic: "alerts" }} />
    </Rich>
  </EmptyState>
);

const columnsOf = (isOwner: boolean, onSecret: (secret: string) => void): Column<Channel>[] => [
  {
    name: t("Channel"),
    kind: "title",
    cell: ({ name, hint, kind, kinds }) => (
      <>
        {name}
        <Text size="sm" c="dimmed" fw={400}>
          {channelLabels[kind]} · {hint}
        </Text>
        {!isUsual(kinds) && (
          <Text size="sm" c="dimmed" fw={400}>
            {t("Only: {kinds}", { kinds: kinds.map(kindLabel).join(", ") })}
          </Text>
        )}
      </>
    ),
  },
  { name: t("State"), cell: (channel) => <State channel={channel} /> },
  { name: t("Actions"), kind: "buttons", cell: (channel) => <Actions channel={channel} isOwner={isOwner} onSecret={onSecret} /> },
];

const stateWords: { is: (channel: Channel) => boolean; label: string; tone: Tone; text: string }[] = [
  {
    is: ({ linkExpired }) => linkExpired,
    label: t("not confirmed"),
    tone: "failed",
    text: t("The link was not opened in three days. Remove the address and add it again."),
  },
  {
    is: ({ unconfirmed }) => unconfirmed,
    label: t("not confirmed"),
    tone: "attention",
    text: t("A link was sent to this address. It gets no alerts until someone opens the link."),
  },
  {
    is: ({ disabledBecause }) => disabledBecause === "gone",
    label: t("switched off"),
    tone: "failed",
    text: t("It answered that it no longer exists."),
  },
  { is: ({ enabled }) => !enabled, label: t("off"), tone: "waiting", text: "" },
  { is: ({ failures }) => failures.length > 0, label: t("failing"), tone: "failed", text: "" },
];

function State({ channel }: { channel: Channel }) {
  const { label, tone, text } = stateWords.find(({ is }) => is(channel)) ?? { label: t("on"), tone: "delivered", text: "" };
  const { failures, lastSentAt } = channel;
  return (
    <Stack gap={2} align="flex-start">
      <Status tone={tone}>{label}</Status>
      {text !== "" && <Text size="sm">{text}</Text>}
      {failures.length > 0 && (
        <Text size="sm">
          {t("{value} could not be delivered: ", {
            value: failures.length === 1 ? t("The last alert") : t("The last {count} alerts", { count: failures.length }),
          })}
          {failures.map(({ at, ...failure }, index) => (
            <span key={at}>
              {index > 0 && "; "}
              <Moment at={at} />, {describeFailure(failure)}
              {!failure.isOver && t(", will be retried")}
            </span>
          ))}
          .
        </Text>
      )}
      {lastSentAt !== null && (
        <Text size="sm" c="dimmed">
          {t("Last sent ")}
          <Moment at={lastSentAt} />
        </Text>
      )}
    </Stack>
  );
}

const failureWords: Partial<Record<string, string>> = {
  refused: t("refused"),
  redirect: t("a redirect, which is not followed"),
  timeout: t("no answer in time"),
  unreachable: t("no connection"),
  unknown_host: t("the host is not known"),
  bad_certificate: t("the certificate is not valid"),
  address_private: t("the address is private: see WEBHOOK_ALLOW_PRIVATE"),
  not_encrypted: t("the address begins with http: use https"),
  login_refused: t("the mail server refuses the login: see SMTP_URL"),
  no_tls: t("the mail server offers no TLS"),
  no_mail_server: t("the server sends no e-mail: see SMTP_URL"),
  unreadable: t("its address cannot be read: add it again"),
  expired: t("it could not be sent in time"),
  disabled: t("it was off"),
  restored: t("it was waiting when the restored backup was made"),
};

const describeFailure = ({ error, statusCode }: { error: string | null; statusCode: number | null }): string =>
  [statusCode, error === null ? null : (failureWords[error] ?? error)].filter((part) => part !== null).join(": ");

interface ActionsProps {
  channel: Channel;
  isOwner: boolean;
  onSecret: (secret: string) => void;
}

function Actions({ channel, isOwner, onSecret }: ActionsProps) {
  const { id, hint, enabled, unconfirmed } = channel;
  const [open, setOpen] = useState<"test" | OwnersAction | null>(null);
  const onSuccess = () => cache.alerts.settings.invalidate();
  const update = trpc.alerts.updateChannel.useMutation({ onSuccess });
  const remove = trpc.alerts.removeChannel.useMutation({ onSuccess });
  const rotate = trpc.alerts.rotateSecret.useMutation();
  const close = () => setOpen(null);
  return (
    <div className={classes["actions"]}>
      {!unconfirmed && (
        <Button size="compact-sm" variant="default" onClick={() => setOpen("test")}>
          {t("Send test")}
          <VisuallyHidden>{t(" to {hint}", { hint })}</VisuallyHidden>
        </Button>
      )}
      {isOwner && <OwnersMenu channel={channel} onChosen={setOpen} />}
      <Dialog title={t("Test {hint}", { hint })} opened={open === "test"} onClose={close}>
        <ChannelTest id={id} onClose={close} />
      </Dialog>
      <Dialog title={t("Name and kinds")} opened={open === "edit"} onClose={close}>
        <EditForm channel={channel} onClose={close} />
      </Dialog>
      <ConfirmDialog
        title={enabled ? t("Switch this channel off?") : t("Switch this channel on?")}
        action={enabled ? t("Switch off") : t("Switch on")}
        opened={open === "switch"}
        onClose={close}
        onConfirm={() => update.mutateAsync({ id, enabled: !enabled })}
      >
        {enabled
          ? t("It gets no alerts, not even when a problem ends, until you switch it on again.")
          : t("It gets alerts for what begins from now on.")}
      </ConfirmDialog>
      <ConfirmDialog
        title={t("Rotate the secret?")}
        action={t("Rotate secret")}
        opened={open === "rotate"}
        onClose={close}
        onConfirm={async () => onSecret((await rotate.mutateAsync({ id })).secret)}
      >
        {t("The current secret stops working at once. Give the new one to your program, which uses it to verify each request.")}
      </ConfirmDialog>
      <ConfirmDialog
        title={t("Remove this channel?")}
        action={t("Remove channel")}
        opened={open === "remove"}
        onClose={close}
        onConfirm={() => remove.mutateAsync({ id })}
      >
        {t("{hint} gets no more alerts. To pause it, switch it off instead.", { hint })}
      </ConfirmDialog>
    </div>
  );
}

type OwnersAction = "rotate" | "remove" | "switch" | "edit";

interface OwnersMenuProps {
  channel: Channel;
  onChosen: (action: OwnersAction) => void;
}

const OwnersMenu = ({ channel: { hint, kind, enabled, unconfirmed }, onChosen }: OwnersMenuProps) => (
  <Menu position="bottom-end">
    <Menu.Target>
      <ActionIcon variant="subtle" color="gray" c="var(--mantine-color-text)" aria-label={t("Actions for {hint}", { hint })}>
        <IconDots size={18} aria-hidden />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      <Menu.Item onClick={() => onChosen("edit")}>{t("Name and kinds…")}</Menu.Item>
      {!unconfirmed && <Menu.Item onClick={() => onChosen("switch")}>{enabled ? t("Switch off") : t("Switch on")}</Menu.Item>}
      {kind === "webhook" && <Menu.Item onClick={() => onChosen("rotate")}>{t("Rotate secret")}</Menu.Item>}
      <Menu.Item c="var(--mantine-color-error)" onClick={() => onChosen("remove")}>
        {t("Remove channel")}
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
);

/** Sends a test for real, and says whether it arrived. */
function ChannelTest({ id, onClose }: { id: string; onClose: () => void }) {
  const test = trpc.alerts.test.useMutation();
  return (
    <Stack gap="md">
      <Text size="sm">{t("This sends a message that says it is a test.")}</Text>
      {test.error !== null && <FailureNotice title={t("No test was sent")} error={test.error} />}
      {test.data !== undefined && (
        <Alert color={test.data.ok ? "teal" : "red"} role="status">
          {test.data.ok
            ? t("Arrived after {ms} ms, answered {statusCode}.", { ms: test.data.ms, statusCode: test.data.statusCode })
            : t("Did not arrive after {ms} ms: {data}.", { ms: test.data.ms, data: describeFailure(test.data) })}
        </Alert>
      )}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose}>
          {t("Close")}
        </Button>
        <Button loading={test.isPending} onClick={() => test.mutate({ id })}>
          {test.data === undefined ? t("Send test") : t("Send again")}
        </Button>
      </Group>
    </Stack>
  );
}
