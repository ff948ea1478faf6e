import { Group, Stack, Text, Alert, Code, List } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { orderSummary } from "shared/core/event";
import type { JsonObject } from "shared/core/json";
import { isDropped } from "shared/core/message";
import { formatParts } from "../../format.ts";
import { t } from "../../language.ts";
import { pages } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { AskAbout } from "../../ui/assistant/assistant-button.tsx";
import { CopyButton, SmallButton, TextLink } from "../../ui/base/buttons.tsx";
import { CodeBlock, prettyJson } from "../../ui/base/code-sample.tsx";
import { Fact, Facts, Due, Moment, StatusBadge } from "../../ui/base/facts.tsx";
import { toldExplanation } from "../../ui/base/labels.ts";
import { Section, Loaded, rich, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { statusLabel } from "../../ui/list/dense-timeline.tsx";
import { DrawerHead, openHere } from "../../ui/list/detail-drawer.tsx";
import { isMoving, movingPollMs } from "../../ui/list/live-list.tsx";
import { CustomerLink } from "../../ui/message/customer-link.tsx";
import { eventSteps, TraceSteps } from "../../ui/message/event-steps.tsx";
import { usePausedSites } from "../../ui/message/use-hold.ts";
import { WaitingActions } from "../../ui/message/waiting-actions.tsx";
import { LinkFact, SiteFact } from "../../ui/operation/link-fact.tsx";
import { ToldFact } from "../../ui/site/endpoints.tsx";
import { categoryName } from "../../ui/template/template-labels.tsx";
import { Failure, type MessageDetails, SentMessage, StatusTimeline } from "./message-parts.tsx";

/** One message beside the list. */
export function MessageDetail({ id }: { id: string }) {
  const query = trpc.notifications.get.useQuery(
    { id },
    { refetchInterval: ({ state }) => state.data !== undefined && isMoving(state.data.notification) && movingPollMs },
  );
  return (
    <Loaded
      query={query}
      what={t("the message")}
      missing={
        <EmptyState title={t("Message not found")}>
          {t("It may no longer be kept, or it belongs to another account. Close this to see the list.")}
        </EmptyState>
      }
    >
      {({ notification }) => <Message message={notification} />}
    </Loaded>
  );
}

function Message({ message }: { message: MessageDetails }) {
  const seesPhones = useMay("seePhones");
  const { id, status, toPhone, error, eventId, bindingId } = message;
  return (
    <Stack gap="lg">
      <DrawerHead
        name={message.recipientName ?? <CustomerLink phone={toPhone} />}
        order={message.orderNumber}
        state={<StatusBadge status={status} />}
        at={message.createdAt}
      >
        <Group gap="sm">
          <Text>{formatParts([message.template, message.event])}</Text>
          {message.recipientName != null && <CustomerLink phone={toPhone} />}
          {seesPhones && <CopyButton text={toPhone} what={t("phone number")} size="compact-xs" />}
        </Group>
      </DrawerHead>
      {error !== null && (
        <>
          <Failure message={message} error={error} />
          <AskAbout notificationId={id} />
        </>
      )}
      <WaitingPart message={message} />
      <StatusTimeline message={message} />
      <Tries tries={message.tries} />
      <Resends message={message} />
      <SentMessage message={message} />
      <MessageFacts message={message} />
      <EventPart eventId={eventId} bindingId={bindingId} />
    </Stack>
  );
}

/** The steps from the event to this message, of its binding alone, and the payload. */
function EventPart({ eventId, bindingId }: Pick<MessageDetails, "eventId" | "bindingId">) {
  const query = trpc.events.get.useQuery({ id: eventId }, { staleTime: 5000 });
  return (
    <Loaded query={query} what={t("the event")}>
      {({ event: { trace, payload, ...rest } }) => (
        <>
          <Section title={t("How it got here")}>
            {rest.test && <Alert color="yellow">{t("Test event: sent to the site's test phone only.")}</Alert>}
            <TraceSteps
              label={t("How it got here")}
              steps={eventSteps(rest, {
                ...trace,
                bindings: trace.bindings.filter((each) => each.bindingId === bindingId),
                moreBindings: 0,
              })}
            />
          </Section>
          <Payload payload={payload} />
        </>
      )}
    </Loaded>
  );
}

/** The payload, hidden at first, as it may be long. */
function Payload({ payload }: { payload: string | null }) {
  const [isShown, { toggle }] = useDisclosure(false);
  return (
    <Section
      title={t("Payload")}
      actions={
        payload !== null && (
          <SmallButton aria-expanded={isShown} onClick={toggle}>
            {t("{value} payload", { value: isShown ? t("Hide") : t("Show") })}
          </SmallButton>
        )
      }
    >
      {payload === null && <Text>{t("The payload is no longer kept.")}</Text>}
      {payload !== null && isShown && <CodeBlock code={prettyJson(payload)} language="json" label={t("Payload")} />}
    </Section>
  );
}

/** The codes of what WhatsApp refused, or may have taken. */
const handedOver = /^(?:\d|http_|in_doubt$|unexpected_answer$|interrupted$)/u;

/** A message that was not handed over the last time has only the attempts that were refused. */
const attemptsOf = ({ attempt, tries, sentAt, error }: MessageDetails): number =>
  sentAt !== null || handedOver.test(error?.code ?? "") ? attempt : tries.length;

const MessageFacts = ({ message, message: { id, waMessageId, heldAt, pricing } }: { message: MessageDetails }) => (
  <Section title={t("Details")}>
    <Facts>
      <Origins {...message} />
      <Fact name={t("Attempts")}>{attemptsOf(message) || null}</Fact>
      <Fact name={t("Held by WhatsApp")}>
        {heldAt && rich(t("Since <0/>, while it judges the template's quality"), <Moment at={heldAt} />)}
      </Fact>
      <Fact name={t("Price")}>
        {pricing && formatParts([categoryName(pricing.category.toUpperCase()), pricing.type === "regular" ? t("charged") : t("free")])}
      </Fact>
      <ToldFact notificationId={id} />
      <Fact name={t("Message ID")}>
        <Code>{id}</Code>
      </Fact>
      <Fact name={t("WhatsApp ID")}>{waMessageId !== null && <Code>{waMessageId}</Code>}</Fact>
    </Facts>
  </Section>
);

const Origins = ({ siteId, eventId, event, bindingId, templateId, template, language }: MessageDetails) => (
  <>
    <SiteFact siteId={siteId} />
    <LinkFact name={t("Event")} {...pages.event(eventId)}>
      {event}
    </LinkFact>
    <OrderOf eventId={eventId} />
    {/* The test of a template alone has no binding: the template's id stands in its place. */}
    {bindingId !== templateId && (
      <LinkFact name={t("Binding")} {...pages.binding(bindingId)}>
        {event} → {template}
      </LinkFact>
    )}
    <LinkFact name={t("Template")} {...pages.template(templateId)}>
      {template} ({language})
    </LinkFact>
  </>
);

function OrderOf({ eventId }: { eventId: string }) {
  const event = trpc.events.get.useQuery({ id: eventId }, { staleTime: 5000 });
  const { orderId = null, payload = null } = event.data?.event ?? {};
  if (orderId === null) return null;
  const { number, externalId } = orderSummary(payload === null ? {} : (JSON.parse(payload) as JsonObject));
  return (
    <LinkFact name={t("Order")} {...pages.order(orderId)}>
      {t("Order {value}", { value: number ?? externalId })}
    </LinkFact>
  );
}

/** The thing that a message waits for, or the reason why it was stopped. */
function WaitingPart({ message }: { message: MessageDetails }) {
  const mayChange = useMay("operator");
  const paused = usePausedSites();
  const { status, dueAt, nextAttemptAt, explanation, siteId } = message;
  if (isDropped(status))
    return (
      <Alert color="gray" title={statusLabel(status)}>
        {explanation !== null && toldExplanation(explanation)}
      </Alert>
    );
  if (status === "queued" && nextAttemptAt !== null)
    return (
      <Alert color="gray" title={message.tries.length === 0 ? t("Waits for its turn") : t("Waiting to retry")}>
        {message.tries.length === 0 ? t("Due") : t("Next attempt")}: <Due at={nextAttemptAt} />
      </Alert>
    );
  if (status !== "scheduled") return null;
  return (
    <Alert color="gray" title={dueAt === null ? t("Waits for its site") : t("Waits for its time")}>
      <Stack gap="sm" align="flex-start">
        <Text>
          {dueAt === null
            ? rich(t("The <0>site</0> pauses sending or has just resumed it."), <TextLink {...pages.site(siteId)} />)
            : rich(t("Due: <0/>"), <Due at={dueAt} />)}
        </Text>
        {mayChange && <WaitingActions {...message} isPaused={paused.some(({ id }) => id === siteId)} />}
      </Stack>
    </Alert>
  );
}

/** The tries that WhatsApp refused before the last one. */
function Tries({ tries }: Pick<MessageDetails, "tries">) {
  if (tries.length === 0) return null;
  return (
    <Section title={t("Earlier attempts")}>
      <List type="ordered" spacing={4}>
        {tries.map(({ at, code, title }) => (
          <List.Item key={at}>
            <Moment at={at} seconds />
            {`: ${formatParts([title, `${code}`], " · ")}`}
          </List.Item>
        ))}
      </List>
    </Section>
  );
}

/** The message and its resends, of which the list shows the newest. */
function Resends({ message: { id, attempts } }: { message: MessageDetails }) {
  if (attempts.length < 2) return null;
  return (
    <Section title={t("Resends")}>
      <List type="ordered" spacing={4} aria-label={t("Resends")}>
        {attempts.map((each) => (
          <List.Item key={each.id} aria-current={each.id === id}>
            <Group gap="xs" component="span">
              {each.id === id ? (
                <Moment at={each.createdAt} seconds />
              ) : (
                <TextLink {...openHere(each.id)}>
                  <Moment at={each.createdAt} seconds />
                </TextLink>
              )}
              <StatusBadge status={each.status} />
              {each.explanation !== null && <span>{toldExplanation(each.explanation)}</span>}
            </Group>
          </List.Item>
        ))}
      </List>
    </Section>
  );
}
