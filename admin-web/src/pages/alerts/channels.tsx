import { Alert, Code, Group, Stack, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { Tone } from "shared/core/message";
import { formatParts } from "../../format.ts";
import { t, translated } from "../../language.ts";
import { pages } from "../../paths.ts";
import { cache, type Outputs, settled, trpc, trpcClient } from "../../trpc.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { AskButton, Dialog, DialogButton, DialogButtons, SecretOnce } from "../../ui/base/dialogs.tsx";
import { between, Moment, Status } from "../../ui/base/facts.tsx";
import { MoreActions } from "../../ui/base/more-actions.tsx";
import { Dimmed, FailureNotice, rich, Section, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { UnsavedGuard } from "../../ui/form/unsaved-guard.tsx";
import { cut } from "../../ui/list/cut-text.tsx";
import { kindLabel } from "../../ui/problem/problem-kinds.ts";
import { type Column, DataTable } from "../../ui/table/data-table.tsx";
import { ChannelForm, channelLabel, EditForm, isUsual } from "./channel-form.tsx";
import labels from "./labels.json";

export type AlertSettings = Outputs["alerts"]["settings"];
type Channel = AlertSettings["channels"][number];

export function Channels({ settings: { channels, mailFrom } }: { settings: AlertSettings }) {
  const isOwner = useMay("owner");
  const [secret, setSecret] = useState<string | null>(null);
  const add = isOwner && (
    <DialogButton variant="filled" label={t("Add channel")} title={t("Add channel")}>
      {(close) => (
        <ChannelForm
          mailFrom={mailFrom}
          onCancel={close}
          onAdded={(given) => {
            close();
            setSecret(given ?? null);
          }}
        />
      )}
    </DialogButton>
  );
  return (
    <Section
      title={t("Channels")}
      lead={t("Each channel gets one message when a problem opens and one when it is resolved.")}
      actions={channels.length > 0 && add}
    >
      {channels.length === 0 && <NoChannel add={add} />}
      {channels.length > 0 && (
        <DataTable label={t("Channels")} columns={columnsOf(isOwner, setSecret)} rows={channels} rowKey={({ id }) => id} />
      )}
      {mailFrom === null && (
        <Dimmed>
          {rich(t("This server sends no e-mail. Whoever runs it sets <0>SMTP_URL</0> and <1>MAIL_FROM</1>."), <Code />, <Code />)}
        </Dimmed>
      )}
      <Dialog title={t("Secret of the webhook")} opened={secret !== null} onClose={() => setSecret(null)} insists>
        <SecretOnce label={t("Secret of the webhook")} secret={secret ?? ""} onSaved={() => setSecret(null)}>
          <UnsavedGuard isUnsaved={() => true} loss={t("You have not saved the secret of the webhook. It is not shown again.")} />
          {t("It signs every request. Your program uses it to verify each one.")}
        </SecretOnce>
      </Dialog>
    </Section>
  );
}

const NoChannel = ({ add }: { add: ReactNode }) => (
  <EmptyState title={t("No channels yet")} action={add}>
    {rich(
      t("{value} The documentation explains <0>which alerts are sent, and when</0>.", {
        value: add
          ? t("Add an e-mail address, a Slack channel or a webhook, then send it a test.")
          : t("An owner can add the first channel."),
      }),
      <TextLink {...pages.topic("alerts")} />,
    )}
  </EmptyState>
);

const columnsOf = (isOwner: boolean, onSecret: (secret: string) => void): Column<Channel>[] => [
  {
    name: t("Channel"),
    kind: "title",
    cell: ({ name, hint, kind, kinds }) => (
      <span title={formatParts([name, hint], " · ")}>
        <bdi>{name}</bdi>{" "}
        <Text span inherit c="dimmed" fw={400}>
          {formatParts(
            [channelLabel(kind), hint, !isUsual(kinds) && t("Only: {kinds}", { kinds: kinds.map(kindLabel).join(t(", ")) })],
            between(" · "),
          )}
        </Text>
      </span>
    ),
  },
  {
    name: t("State"),
    kind: "status",
    cell: (channel) => <Status tone={stateOf(channel)[1]}>{translated(labels.states[stateOf(channel)[0]])}</Status>,
  },
  { name: t("Reason"), kind: "long", cell: (channel) => cut(reasonOf(channel), 30) },
  { name: t("Last sent"), kind: "short", cell: ({ lastSentAt }) => lastSentAt !== null && <Moment at={lastSentAt} /> },
  { name: t("Actions"), kind: "buttons", cell: (channel) => <Actions channel={channel} isOwner={isOwner} onSecret={onSecret} /> },
];

/** The first that fits, with its tone. */
export function stateOf({ linkExpired, unconfirmed, disabledBecause, enabled, failures }: Channel): [keyof typeof labels.states, Tone] {
  if (linkExpired) return ["expired", "failed"];
  if (unconfirmed) return ["unconfirmed", "attention"];
  if (disabledBecause === "gone") return ["gone", "failed"];
  if (!enabled) return ["off", "waiting"];
  return failures.length > 0 ? ["failing", "failed"] : ["on", "delivered"];
}

function reasonOf(channel: Channel): string | null {
  const why = (labels.why as Partial<Record<string, string>>)[stateOf(channel)[0]];
  const [failure] = channel.failures;
  if (why !== undefined || failure === undefined) return why === undefined ? null : translated(why);
  const count = channel.failures.length;
  return t("{count, plural, one {The last alert} other {The last # alerts}} could not be delivered: {failure}", {
    count,
    failure: describeFailure(failure) + (failure.isOver ? "" : t(", will be retried")),
  });
}

const describeFailure = ({ error, statusCode }: { error: string | null; statusCode: number | null }): string =>
  formatParts(
    [statusCode?.toString(), error === null ? null : translated((labels.failures as Partial<Record<string, string>>)[error] ?? error)],
    ": ",
  );

/** What asks first. */
const asks = ["on", "off", "rotate", "remove"] as const;
type Ask = (typeof asks)[number];

function Actions({ channel, isOwner, onSecret }: { channel: Channel; isOwner: boolean; onSecret: (secret: string) => void }) {
  const { id, hint, unconfirmed } = channel;
  return (
    <Group gap="xs" wrap="nowrap">
      {!unconfirmed && (
        <DialogButton
          size="compact-sm"
          label={t("Send test")}
          aria-label={t("Send test") + t(" to {hint}", { hint })}
          title={t("Test {hint}", { hint })}
        >
          {(onClose) => <ChannelTest id={id} onClose={onClose} />}
        </DialogButton>
      )}
      {isOwner && <OwnersMenu channel={channel} onSecret={onSecret} />}
    </Group>
  );
}

function OwnersMenu({ channel, onSecret }: { channel: Channel; onSecret: (secret: string) => void }) {
  const { id, hint, kind, enabled, unconfirmed } = channel;
  const { updateChannel, removeChannel, rotateSecret } = trpcClient.alerts;
  const acts: Record<Ask, () => Promise<unknown>> = {
    on: () => updateChannel.mutate({ id, enabled: true }),
    off: () => updateChannel.mutate({ id, enabled: false }),
    rotate: async () => onSecret((await rotateSecret.mutate({ id })).secret),
    remove: () => removeChannel.mutate({ id }),
  };
  const offered = { on: !unconfirmed && !enabled, off: !unconfirmed && enabled, rotate: kind === "webhook", remove: true };
  return (
    <MoreActions label={t("Actions for {hint}", { hint })}>
      <DialogButton label={t("Name and kinds…")} title={t("Name and kinds")}>
        {(onClose) => <EditForm channel={channel} onClose={onClose} />}
      </DialogButton>
      {asks
        .filter((name) => offered[name])
        .map((name) => (
          <AskButton
            key={name}
            question={labels.asks[name]}
            values={{ hint }}
            {...(name === "remove" && { c: "var(--mantine-color-error)" })}
            onConfirm={() => settled(acts[name](), cache.alerts.settings)}
          />
        ))}
    </MoreActions>
  );
}

/** Sends a test for real, and says whether it arrived. */
function ChannelTest({ id, onClose }: { id: string; onClose: () => void }) {
  const test = trpc.alerts.test.useMutation();
  return (
    <Stack>
      <Text>{t("This sends a message that says it is a test.")}</Text>
      <FailureNotice title={t("No test was sent")} of={test} />
      {test.data !== undefined && (
        <Alert color={test.data.ok ? "teal" : "red"} role="status">
          {test.data.ok
            ? t("Arrived after {ms} ms, answered {statusCode}.", { ms: test.data.ms, statusCode: test.data.statusCode })
            : t("Did not arrive after {ms} ms: {data}.", { ms: test.data.ms, data: describeFailure(test.data) })}
        </Alert>
      )}
      <DialogButtons
        action={test.data === undefined ? t("Send test") : t("Send again")}
        onAct={() => test.mutate({ id })}
        dismiss={t("Close")}
        onClose={onClose}
        loading={test.isPending}
      />
    </Stack>
  );
}
