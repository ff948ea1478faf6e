import { Alert, Stack, Text, Button, Group, Skeleton, Timeline } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type NotificationStatus, statusFacts } from "shared/core/message";
import type { MessageComponent, TextParameter, TemplateDefinition } from "shared/core/template/definition";
import { slotNames, type SlotTexts, urlSlotsOf } from "shared/core/template/slots";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { type Outputs, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { Fact, Facts, DenseTimeline, Moment } from "../../ui/facts.tsx";
import { fillMessage } from "../../ui/fill-message.ts";
import { ChatPaper, MessageBubble } from "../../ui/message.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";
import { stepFacts, type MessageStep } from "../../ui/status-badge.tsx";
import { changeLogSearch } from "./route.ts";
import { useLookAgain } from "./use-log.ts";
import classes from "./log.module.css";

export type MessageDetails = Outputs["notifications"]["get"]["notification"];

interface FailureProps {
  message: MessageDetails;
  error: NonNullable<MessageDetails["error"]>;
}

/** What went wrong in plain words and what to do; below it the platform's own words, for its support. */
export function Failure({ message, error }: FailureProps) {
  const { explanation, errorReason } = message;
  return (
    <Alert
      color="red"
      title={explanation?.text ?? errorReason ?? "It failed"}
      component="section"
      role="region"
      aria-label="What went wrong"
    >
      <Stack gap="sm">
        {explanation !== null && <Text size="sm">{explanation.action}</Text>}
        <Facts>
          <Fact name="Code">{error.subcode === null ? error.code : `${error.code}, subcode ${error.subcode}`}</Fact>
          <Fact name="Title">{error.title}</Fact>
          <Fact name="Details">{error.details}</Fact>
          <Fact name="Reason">{error.title === null && errorReason}</Fact>
          <Fact name="Trace id">{error.traceId}</Fact>
        </Facts>
        <Resend message={message} />
      </Stack>
    </Alert>
  );
}

/** Sends a failed message again where that can help, else says why not. */
function Resend({ message: { id, resend, resentAs } }: { message: MessageDetails }) {
  const isOperator = useMay("operator");
  if (resentAs !== null) {
    return (
      <Text size="sm">
        It was sent again:{" "}
        <TextLink to={paths.log} search={changeLogSearch({ open: resentAs })}>
          see the resend
        </TextLink>
        .
      </Text>
    );
  }
  if (!isOperator) return null;
  if (resend === "futile") return <Text size="sm">There is no button to resend it: it would fail in the same way.</Text>;
  return <ResendButton id={id} isUnsure={resend === "later"} />;
}

/** However often it is pressed, one message is sent: the server answers with the same one. */
function ResendButton({ id, isUnsure }: { id: string; isUnsure: boolean }) {
  const navigate = useNavigate();
  const lookAgain = useLookAgain();
  const utils = trpc.useUtils();
  const resend = trpc.notifications.resend.useMutation({
    onSuccess: async ({ notification }) => {
      lookAgain();
      void utils.notifications.get.invalidate({ id });
      await navigate({ to: paths.log, search: changeLogSearch({ open: notification.id }), resetScroll: false });
    },
  });
  return (
    <>
      <Group gap="sm">
        <Button size="xs" loading={resend.isPending} onClick={() => resend.mutate({ id })}>
          Resend
        </Button>
        {isUnsure && (
          <Text size="sm">
            Only worth it if something has changed at the recipient&apos;s side, or you know that the message did not arrive.
          </Text>
        )}
      </Group>
      {resend.error !== null && <FailureNotice title="It was not sent again" error={resend.error} />}
    </>
  );
}

const valueLost = "its value is not kept, since the message was never put together";

/** The message as the phone shows it: the template as it is now, with the texts that were sent. */
export function SentMessage({ message }: { message: MessageDetails }) {
  const template = trpc.templates.get.useQuery({ id: message.templateId }, { staleTime: 60_000 });
  const components = readComponents(message.components);
  return (
    <Section title="Message">
      <ChatPaper>
        {template.data !== undefined && (
          <MessageBubble
            {...fillMessage(template.data.template, sentSlots(components, template.data.template), () => valueLost)}
            at={message.sentAt ?? undefined}
          />
        )}
        {template.isPending && <Skeleton height={120} maw="19rem" />}
        {template.error?.data?.code === "NOT_FOUND" && <TextsAlone texts={sentTexts(components)} />}
      </ChatPaper>
      {template.error !== null && template.error.data?.code !== "NOT_FOUND" && (
        <FailureNotice title="Could not load the template" error={template.error} onRetry={() => void template.refetch()} />
      )}
    </Section>
  );
}

function TextsAlone({ texts }: { texts: string[] }) {
  return (
    <Text size="sm" component="div">
      The template is gone, so the message cannot be drawn. {texts.length > 0 && "Its slots were filled with:"}
      <ul className={classes["texts"]}>
        {texts.map((text, index) => (
          <li key={index}>{text}</li>
        ))}
      </ul>
    </Text>
  );
}

/** The texts that a message was sent with, by the template's slots. Empty where the template has one that the message had not. */
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
  return {
    header: textsOf("header"),
    body: textsOf("body"),
    buttonUrl: urlSlotsOf(definition).map(({ index }) => urlText(index)),
  };
}

/** The components of a message as they are stored, as JSON. */
const readComponents = (json: string): MessageComponent[] => JSON.parse(json) as MessageComponent[];

/** Every text of a message, of which no template tells any more where it stood. */
export const sentTexts = (components: readonly MessageComponent[]): string[] =>
  components.flatMap((component) => textsIn(component).map(({ text }) => text));

const textsIn = (component: MessageComponent | undefined): TextParameter[] =>
  (component?.parameters ?? []).filter((parameter) => parameter.type === "text");

const unnamed = (parameter: TextParameter | undefined) => (parameter?.parameter_name === undefined ? parameter : undefined);

export function StatusTimeline({ message }: { message: MessageDetails }) {
  const steps = statusSteps(message);
  const last = steps.findLastIndex(({ at }) => at !== null);
  return (
    <Section title="Status">
      <DenseTimeline active={last} bulletSize={12}>
        {steps.map(({ what, at }) => (
          <Timeline.Item key={what} color={stepFacts(what).color} lineVariant={at === null ? "dashed" : "solid"}>
            <Text size="sm">
              {stepFacts(what).label}{" "}
              <Text span size="sm" c="dimmed">
                {at === null ? "not yet" : <Moment at={at} seconds />}
              </Text>
            </Text>
          </Timeline.Item>
        ))}
      </DenseTimeline>
      {message.noNews && (
        <Text size="sm">
          The platform took it and said nothing more in all the time that it tries for: it was dropped, as far as can be told.
        </Text>
      )}
    </Section>
  );
}

export interface Life {
  status: NotificationStatus;
  createdAt: string;
  sentAt: string | null;
  deliveredAt: string | null;
  readAt: string | null;
  failedAt: string | null;
}

interface StatusStep {
  what: MessageStep;
  /** ISO 8601; null of what has not happened yet, or was never told. */
  at: string | null;
}

/**
 * What happened to a message in its order, then what may still come. The platform tells whole seconds: a message was queued, then taken, whatever
 * the times say.
 */
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
  if (statusFacts[status].isFinal) return happened;
  const steps = [...begun, ...reported.slice(0, 2)];
  return [...happened, ...steps.slice(steps.findLastIndex(hasHappened) + 1)];
}

const timeOf = ({ at }: StatusStep): number => Date.parse(at ?? "");
