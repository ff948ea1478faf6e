import { Alert, Stack, Text, Button, Group, Skeleton, Timeline } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { isDropped, statusFacts } from "shared/core/message";
import type { MessageComponent, TemplateDefinition, TextParameter } from "shared/core/template/definition";
import { type SlotTexts, slotNames, urlSlotsOf } from "shared/core/template/slots";
import { formatParts } from "../../format.ts";
import { t, translated } from "../../language.ts";
import { paths } from "../../paths.ts";
import { cache, type Outputs, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { Fact, Facts, Moment, toneColor } from "../../ui/base/facts.tsx";
import { running } from "../../ui/base/fields.ts";
import { namedReason, toldReason } from "../../ui/base/labels.ts";
import { Dimmed, FailureNotice, readableMessage, rich, Section } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { DenseTimeline, type MessageStep, statusOfStep, stepFacts, stepLabel } from "../../ui/list/dense-timeline.tsx";
import { openHere } from "../../ui/list/detail-drawer.tsx";
import { Outlook } from "../../ui/message/resend.tsx";
import { lookAgain } from "../../ui/message/waiting-actions.tsx";
import { useAdvised } from "../../ui/problem/problem-card.tsx";
import { fillMessage } from "../../ui/template/fill-message.ts";
import { ChatPaper, MessageBubble } from "../../ui/template/message.tsx";

export type MessageDetails = Outputs["notifications"]["get"]["notification"];

/** The explanation and advice; below them the platform's own error, for its support. */
export function Failure({ message, error }: { message: MessageDetails; error: NonNullable<MessageDetails["error"]> }) {
  const { explanation } = message;
  const advice = useAdvised(explanation === null ? "" : translated(explanation.action));
  return (
    <Alert
      color="red"
      title={namedReason(message) ?? t("The message failed")}
      component="section"
      role="region"
      aria-label={t("What went wrong")}
    >
      <Stack gap="sm">
        <Text>{explanation === null ? toldReason(message) : `${translated(explanation.text)} ${advice}`}</Text>
        {error.code === "account_stopped" && <TextLink to={paths.platform}>{t("Open Settings › WhatsApp")}</TextLink>}
        <Facts>
          <Fact name={t("Code")}>
            {error.subcode === null ? error.code : t("{code}, subcode {subcode}", { code: error.code, subcode: error.subcode })}
          </Fact>
          <Fact name={t("Title")}>{error.title}</Fact>
          <Fact name={t("Details")}>{error.details}</Fact>
          <Fact name={t("Reason")}>{error.title === null && toldReason(message)}</Fact>
          <Fact name={t("Trace ID")}>{error.traceId}</Fact>
        </Facts>
        <Resend message={message} />
      </Stack>
    </Alert>
  );
}

/** A button to resend a failed message if that can help, else the reason why it cannot. */
function Resend({ message: { id, resend, resentAs } }: { message: MessageDetails }) {
  const isOperator = useMay("operator");
  if (resentAs !== null) return <Text>{rich(t("Resent: <0>open the new message</0>"), <TextLink {...openHere(resentAs)} />)}</Text>;
  // Where it would fail again, the advice above says so.
  return !isOperator || resend === "futile" ? null : <ResendButton id={id} isUnsure={resend === "later"} />;
}

/** Several clicks send one message: the server answers with the same one. */
function ResendButton({ id, isUnsure }: { id: string; isUnsure: boolean }) {
  const navigate = useNavigate();
  const isLed = useRef(false);
  const [outlook] = trpc.notifications.resendCount.useQuery({ ids: [id] }, { refetchOnWindowFocus: false }).data?.errors ?? [];
  const cannot = outlook?.refusal != null;
  const resend = trpc.notifications.resend.useMutation({
    onSuccess: async ({ notification }) => {
      void lookAgain();
      void cache.notifications.get.invalidate({ id });
      // The answer to a second click must not lead away a person who has gone on by then.
      if (isLed.current) return;
      isLed.current = true;
      await navigate(openHere(notification.id));
    },
  });
  return (
    <>
      <Group gap="sm">
        <Button size="xs" disabled={cannot} {...running(resend, { id })}>
          {t("Resend message")}
        </Button>
        {cannot && (
          <Text>
            <Outlook {...outlook} isTold />
          </Text>
        )}
        {isUnsure && !cannot && (
          <Text>{t("Resend only if something has changed for the recipient, or you know that the message did not arrive.")}</Text>
        )}
      </Group>
      {resend.error !== null && <Text role="alert">{readableMessage(resend.error.message)}</Text>}
    </>
  );
}

const valueLost = t("the value is not stored, because the message was never built");

/** `of`: whose it is, beside those of others. */
type PartProps = { message: MessageDetails; of?: string | undefined };

/** The message as the phone shows it: the current template with the texts that were sent. */
export function SentMessage({ message, of }: PartProps) {
  const template = trpc.templates.get.useQuery({ id: message.templateId }, { staleTime: 60_000 });
  const components = readComponents(message.components);
  const isDeleted = template.error?.data?.code === "NOT_FOUND";
  const texts = sentTexts(components);
  return (
    <Section title={formatParts([t("Message"), of], " · ")}>
      <ChatPaper>
        {template.data !== undefined && (
          <MessageBubble
            {...fillMessage(template.data.template, sentSlots(components, template.data.template), () => valueLost)}
            at={message.sentAt ?? undefined}
          />
        )}
        {template.isPending && <Skeleton height={120} maw="19rem" />}
        {isDeleted && (
          <Text component="div">
            {t("The template was deleted, so the message cannot be shown. {value}", {
              value: texts.length > 0 && t("Its variables were:"),
            })}
            <Stack component="ul" gap={0} mt="0.3rem" style={{ overflowWrap: "anywhere" }}>
              {texts.map((text, index) => (
                <li key={index}>{text}</li>
              ))}
            </Stack>
          </Text>
        )}
      </ChatPaper>
      {!isDeleted && <FailureNotice title={t("Could not load the template")} of={template} />}
    </Section>
  );
}

/** The sent texts by the template's variables; empty for a variable that the message did not have. */
export function sentSlots(components: readonly MessageComponent[], definition: TemplateDefinition): SlotTexts {
  const names = slotNames(definition);
  const textsOf = (part: "header" | "body"): string[] => {
    const parameters = textsIn(components.find(({ type }) => type === part));
    return names[part].map(
      (name, index) => (parameters.find((each) => each.parameter_name === name) ?? unnamed(parameters[index]))?.text ?? "",
    );
  };
  const urlText = (index: number): string =>
    textsIn(components.find((each) => each.type === "button" && each.index === String(index)))[0]?.text ?? "";
  return { header: textsOf("header"), body: textsOf("body"), buttonUrl: urlSlotsOf(definition).map(({ index }) => urlText(index)) };
}

const readComponents = (json: string): MessageComponent[] => JSON.parse(json) as MessageComponent[];

/** Every text of a message whose template is gone. */
export const sentTexts = (components: readonly MessageComponent[]): string[] =>
  components.flatMap((component) => textsIn(component).map(({ text }) => text));

const textsIn = (component: MessageComponent | undefined): TextParameter[] =>
  (component?.parameters ?? []).filter((parameter) => parameter.type === "text");

const unnamed = (parameter: TextParameter | undefined) => (parameter?.parameter_name === undefined ? parameter : undefined);

export function StatusTimeline({ message, of }: PartProps) {
  const steps = statusSteps(message);
  const last = steps.findLastIndex(({ what, at }) => at !== null || isDropped(statusOfStep(what)));
  return (
    <Section title={formatParts([t("Status"), of], " · ")}>
      <DenseTimeline active={last} bulletSize={12}>
        {steps.map(({ what, at }) => (
          <Timeline.Item key={what} color={toneColor(stepFacts(what).tone)} lineVariant={at === null ? "dashed" : "solid"}>
            <Text>
              {stepLabel(what, message)}{" "}
              <Dimmed span>{at !== null ? <Moment at={at} seconds /> : !isDropped(statusOfStep(what)) && t("not yet")}</Dimmed>
            </Text>
          </Timeline.Item>
        ))}
      </DenseTimeline>
      {message.noNews && (
        <Text>
          {t(
            "WhatsApp accepted the message, then reported nothing more for as long as it tries to deliver. The message was probably dropped.",
          )}
        </Text>
      )}
    </Section>
  );
}

export type Life = Pick<MessageDetails, "status" | "createdAt" | "sentAt" | "deliveredAt" | "readAt" | "failedAt">;

interface StatusStep {
  what: MessageStep;
  /** ISO 8601; null if it has not happened or was not reported, or the message was dropped, of which no time is kept. */
  at: string | null;
}

/** The past steps of a message, then those that may still come. The platform reports whole seconds, so queued and sent come first whatever the times say. */
export function statusSteps({ status, createdAt, sentAt, deliveredAt, readAt, failedAt }: Life): StatusStep[] {
  const begun: StatusStep[] = [
    { what: "made", at: createdAt },
    { what: "sent", at: sentAt },
  ];
  const reported: StatusStep[] = [
    { what: "delivered", at: deliveredAt },
    { what: "read", at: readAt },
    { what: "failed", at: failedAt },
  ];
  const hasHappened = ({ at }: StatusStep) => at !== null;
  const happened = [...begun.filter(hasHappened), ...reported.filter(hasHappened).toSorted((a, b) => timeOf(a) - timeOf(b))];
  if (isDropped(status)) return [...happened, { what: status, at: null }];
  if (statusFacts[status].isFinal) return happened;
  const steps = [...begun, ...reported.slice(0, 2)];
  return [...happened, ...steps.slice(steps.findLastIndex(hasHappened) + 1)];
}

const timeOf = ({ at }: StatusStep): number => Date.parse(at ?? "");
