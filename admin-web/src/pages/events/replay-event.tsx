import { Alert, Group, Stack, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { describeReason, type Reason } from "shared/core/reason";
import { describeProblem } from "shared/core/requested";
import { t } from "../../language.ts";
import { cache, type Outputs, settled, trpc, trpcClient } from "../../trpc.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { ConfirmForm, DialogButton } from "../../ui/base/dialogs.tsx";
import { Moment, LabelBadge, Status } from "../../ui/base/facts.tsx";
import { Pending, rich, Section } from "../../ui/base/page.tsx";
import { openHere } from "../../ui/list/detail-drawer.tsx";

const sentencesOf = (reasons: readonly Reason[]): string => reasons.map((reason) => describeReason(reason, t)).join(" ");

/** Runs the event through the current bindings, for real, after showing whom it reaches. */
export const ReplayLive = ({ id }: { id: string }) => (
  <DialogButton size="compact-md" label={t("Replay live…")} title={t("Replay the event live?")} isWide>
    {(close) => <Confirm id={id} onClose={close} />}
  </DialogButton>
);

/** The number of recipients that are shown. */
const mostShown = 10;

function Confirm({ id, onClose }: { id: string; onClose: () => void }) {
  const preview = trpc.events.replayPreview.useQuery({ id }, { gcTime: 0, refetchOnWindowFocus: false });
  // All clicks share one id: a second click requests nothing more.
  const [requestId] = useState(() => crypto.randomUUID());
  const navigate = useNavigate();
  if (preview.data === undefined) return <Pending query={preview} what={t("the preview")} failure={t("Could not preview the replay")} />;
  const { problem, messages, repeats, isHeld, reasonCodes } = preview.data;
  const sendable = messages.filter(({ failure }) => failure === null);
  const start = async () => {
    await settled(trpcClient.events.replay.mutate({ id, requestId }), cache.events.get);
    await navigate(openHere(id));
  };
  return (
    <ConfirmForm
      action={t("Send {count, plural, one {# message} other {# messages}}", { count: sendable.length })}
      isMild={repeats === 0}
      isAllowed={problem === null && messages.length > 0}
      onClose={onClose}
      onConfirm={start}
    >
      <Stack>
        {problem !== null && <Alert color="yellow">{describeProblem(problem.code, t)}</Alert>}
        {problem === null && messages.length === 0 && (
          <Text>{t("With the current bindings nothing is sent. {reasons}", { reasons: sentencesOf(reasonCodes) })}</Text>
        )}
        {repeats > 0 && (
          <Alert color="yellow" title={t("{repeats, plural, one {# message} other {# messages}} would be sent twice", { repeats })}>
            {t("These people already have this message of this event. It is sent to them again.")}
          </Alert>
        )}
        {isHeld && <Text>{t("Sending is paused at this site: the messages wait until it sends again.")}</Text>}
        <Stack component="ul" gap="xs" m={0} p={0} aria-label={t("Messages")}>
          {messages.slice(0, mostShown).map((message, index) => (
            <Group key={index} component="li" gap="xs" style={{ listStyle: "none" }}>
              <Text>
                {message.toPhone}: {message.template} ({message.language})
              </Text>
              {message.isRepeat && <Status tone="attention">{t("has it already")}</Status>}
              {message.failureCode !== null && <Text>{t("Would fail: {reason}", { reason: describeReason(message.failureCode, t) })}</Text>}
              {message.dueAt !== null && <Text>{rich(t("Leaves <0/>"), <Moment at={message.dueAt} />)}</Text>}
            </Group>
          ))}
        </Stack>
        {messages.length > mostShown && <Text>{andMore(messages.length - mostShown)}</Text>}
      </Stack>
    </ConfirmForm>
  );
}

const andMore = (count: number): string => t("And {count, plural, one {# more message} other {# more messages}}.", { count });

type Replays = Outputs["events"]["get"]["event"]["replays"];

/** The results of earlier replays. */
export function Replays({ replays }: { replays: Replays }) {
  if (replays.length === 0) return null;
  return (
    <Section title={t("Replays")}>
      <div role="status">
        <Stack component="ul" gap="xs" m={0} p={0} aria-label={t("Replays")}>
          {replays.map(({ id, requestedAt, state, kind, problem }) => (
            <Group key={id} component="li" gap="xs" style={{ listStyle: "none" }}>
              <Text>
                {state === "done" ? (
                  <TextLink {...openHere(id)}>
                    <Moment at={requestedAt} />
                  </TextLink>
                ) : (
                  <Moment at={requestedAt} />
                )}
              </Text>
              {kind === "backfill" && <LabelBadge>{t("backfill")}</LabelBadge>}
              <Text>
                {state === "done"
                  ? t("Taken")
                  : state === "waiting"
                    ? t("Waiting for a gateway…")
                    : problem && describeProblem(problem.code, t)}
              </Text>
            </Group>
          ))}
        </Stack>
      </div>
    </Section>
  );
}
