import { Drawer, Group, Stack, Text, Alert, Button, Code, ActionIcon, List } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import IconChevronDown from "@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs";
import IconChevronUp from "@tabler/icons-react/dist/esm/icons/IconChevronUp.mjs";
import { useNavigate } from "@tanstack/react-router";
import { lazy } from "react";
import { orderSummary } from "shared/core/event";
import type { JsonObject } from "shared/core/json";
import { isDropped, statusFacts } from "shared/core/message";
import { t, translated } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { AssistantButton } from "../../ui/assistant-button.tsx";
import { CopyButton, TextLink } from "../../ui/buttons.tsx";
import { CodeBlock, prettyJson } from "../../ui/code-sample.tsx";
import { CustomerLink } from "../../ui/customer-link.tsx";
import { ToldFact } from "../../ui/endpoints.tsx";
import { eventSteps, TraceSteps } from "../../ui/event-steps.tsx";
import { Fact, Facts, Due, Moment } from "../../ui/facts.tsx";
import { toldExplanation } from "../../ui/labels.ts";
import { isMoving, movingPollMs } from "../../ui/live-list.tsx";
import { FailureNotice, Loading } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";
import { EmptyState, ListSkeleton } from "../../ui/paged-list.tsx";
import { useSiteName } from "../../ui/pickers.tsx";
import { Rich } from "../../ui/rich.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { categoryName } from "../../ui/template-labels.tsx";
import { WaitingActions } from "../../ui/waiting-actions.tsx";
import { Failure, type MessageDetails, SentMessage, StatusTimeline } from "./message-parts.tsx";
import { changeLogSearch } from "./route.ts";

const Conversation = lazy(async () => ({ default: (await import("../../ui/conversation.tsx")).Conversation }));

interface MessageDrawerProps {
  /** The open message. */
  id: string | undefined;
  /** The list, newest first. It may lack the open message. */
  rows: readonly { id: string }[];
}

/** One message beside the list. The address names it, so that it can be shared. */
export function MessageDrawer({ id, rows }: MessageDrawerProps) {
  const navigate = useNavigate();
  const open = (next: string | undefined) =>
    void navigate({ to: paths.log, search: changeLogSearch({ open: next }), replace: next !== undefined, resetScroll: false });
  const index = rows.findIndex((row) => row.id === id);
  const newer = rows[index - 1]?.id;
  const older = index === -1 ? undefined : rows[index + 1]?.id;
  return (
    <Drawer.Root opened={id !== undefined} onClose={() => open(undefined)} position="right" size="42rem" lockScroll={false}>
      <Drawer.Overlay backgroundOpacity={0.35} />
      <Drawer.Content>
        <Drawer.Header role="presentation">
          <Drawer.Title component="h2" fw={600}>
            {t("Message")}
          </Drawer.Title>
          <Neighbours newer={newer} older={older} onOpen={open} />
          <Drawer.CloseButton aria-label={t("Close message")} ms={0} />
        </Drawer.Header>
        <Drawer.Body>{id !== undefined && <MessageDetail key={id} id={id} />}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

interface NeighboursProps {
  newer: string | undefined;
  older: string | undefined;
  onOpen: (id: string) => void;
}

/** Buttons to the next messages of the list; j and k do the same. */
function Neighbours({ newer, older, onOpen }: NeighboursProps) {
  const go = (id: string | undefined) => id !== undefined && onOpen(id);
  useHotkeys([
    ["j", () => go(older)],
    ["k", () => go(newer)],
  ]);
  return (
    <Group gap={4} ms="auto" me="xs">
      <ActionIcon
        variant="default"
        aria-label={t("Newer message")}
        title={t("Newer message (K)")}
        disabled={newer === undefined}
        onClick={() => go(newer)}
      >
        <IconChevronUp size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="default"
        aria-label={t("Older message")}
        title={t("Older message (J)")}
        disabled={older === undefined}
        onClick={() => go(older)}
      >
        <IconChevronDown size={16} aria-hidden />
      </ActionIcon>
    </Group>
  );
}

function MessageDetail({ id }: { id: string }) {
  const seesPhones = useMay("seePhones");
  const mayAsk = useMay("operator");
  const message = trpc.notifications.get.useQuery(
    { id },
    { refetchInterval: ({ state }) => state.data !== undefined && isMoving(state.data.notification) && movingPollMs },
  );
  if (message.data === undefined) {
    if (message.error === null) return <Loading what={t("the message")} />;
    if (message.error.data?.code === "NOT_FOUND") return <NoSuchMessage />;
    return <FailureNotice title={t("Could not load the message")} error={message.error} onRetry={() => void message.refetch()} />;
  }
  const { notification } = message.data;
  return (
    <Stack gap="lg">
      <Group gap="sm">
        <StatusBadge status={notification.status} />
        <Text fw={600}>
          <CustomerLink phone={notification.toPhone} />
        </Text>
        {seesPhones && <CopyButton text={notification.toPhone} what={t("phone number")} size="compact-xs" />}
      </Group>
      {notification.error !== null && (
        <>
          <Failure message={notification} error={notification.error} />
          <AssistantButton label={t("Explain")} size="xs" mayAsk={mayAsk}>
            {(dialog) => <Conversation subject={{ notificationId: id }} {...dialog} />}
          </AssistantButton>
        </>
      )}
      <WaitingPart message={notification} />
      <StatusTimeline message={notification} />
      <Tries tries={notification.tries} />
      <Resends message={notification} />
      <SentMessage message={notification} />
      <MessageFacts message={notification} />
      <EventPart eventId={notification.eventId} bindingId={notification.bindingId} />
    </Stack>
  );
}

function NoSuchMessage() {
  return (
    <EmptyState title={t("Message not found")}>
      {t("The log may not keep it any longer, or it belongs to another account. Close this to see the log.")}
    </EmptyState>
  );
}

interface EventPartProps {
  eventId: string;
  /** Only the steps of this binding are shown. */
  bindingId: string;
}

/** The steps from the event to this message, and the payload. */
function EventPart({ eventId, bindingId }: EventPartProps) {
  const event = trpc.events.get.useQuery({ id: eventId }, { staleTime: 5000 });
  if (event.error !== null && event.data === undefined)
    return <FailureNotice title={t("Could not load the event")} error={event.error} onRetry={() => void event.refetch()} />;
  if (event.data === undefined) return <ListSkeleton what={t("the event")} />;
  const { trace, payload, ...rest } = event.data.event;
  const own = { ...trace, bindings: trace.bindings.filter((binding) => binding.bindingId === bindingId), moreBindings: 0 };
  return (
    <>
      <Section title={t("How it got here")}>
        {rest.test && <Alert color="yellow">{t("Test event: sent to the site's test phone only.")}</Alert>}
        <TraceSteps label={t("How it got here")} steps={eventSteps(rest, own)} />
      </Section>
      <Payload payload={payload} />
    </>
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
          <Button size="compact-sm" variant="default" aria-expanded={isShown} onClick={toggle}>
            {t("{value} payload", { value: isShown ? t("Hide") : t("Show") })}
          </Button>
        )
      }
    >
      {payload === null && <Text size="sm">{t("The payload is no longer kept.")}</Text>}
      {payload !== null && isShown && <CodeBlock code={prettyJson(payload)} language="json" label={t("Payload")} />}
    </Section>
  );
}

function MessageFacts({ message }: { message: MessageDetails }) {
  return (
    <Section title={t("Details")}>
      <Facts>
        <Origins {...message} />
        <Fact name={t("Attempts")}>{message.attempt}</Fact>
        <PlatformFacts message={message} />
        <ToldFact notificationId={message.id} />
        <Fact name={t("Message ID")}>
          <Code>{message.id}</Code>
        </Fact>
        <Fact name={t("WhatsApp ID")}>{message.waMessageId !== null && <Code>{message.waMessageId}</Code>}</Fact>
      </Facts>
    </Section>
  );
}

/** What the platform said of the message besides its status. */
function PlatformFacts({ message: { heldAt, pricing } }: { message: MessageDetails }) {
  return (
    <>
      <Fact name={t("Held by WhatsApp")}>
        {heldAt && (
          <Rich text={t("Since <0/>, while it judges the template's quality")}>
            <Moment at={heldAt} />
          </Rich>
        )}
      </Fact>
      <Fact name={t("Price")}>
        {pricing && `${categoryName(pricing.category.toUpperCase())}, ${pricing.type === "regular" ? t("charged") : t("free")}`}
      </Fact>
    </>
  );
}

function Origins({ siteId, eventId, event, bindingId, templateId, template, language }: MessageDetails) {
  const siteName = useSiteName();
  return (
    <>
      <Fact name={t("Site")}>
        <TextLink to={paths.site} params={{ siteId }}>
          {siteName(siteId)}
        </TextLink>
      </Fact>
      <Fact name={t("Event")}>
        <TextLink to={paths.events} search={{ open: eventId }}>
          {event}
        </TextLink>
      </Fact>
      <OrderOf eventId={eventId} />
      {/* The test of a template alone has no binding: the template's id stands in its place. */}
      <Fact name={t("Binding")}>
        {bindingId !== templateId && (
          <TextLink to={paths.binding} params={{ bindingId }}>
            {event} → {template}
          </TextLink>
        )}
      </Fact>
      <Fact name={t("Template")}>
        <TextLink to={paths.template} params={{ templateId }}>
          {template} ({language})
        </TextLink>
      </Fact>
    </>
  );
}

function OrderOf({ eventId }: { eventId: string }) {
  const event = trpc.events.get.useQuery({ id: eventId }, { staleTime: 5000 });
  const { orderId = null, payload = null } = event.data?.event ?? {};
  if (orderId === null) return null;
  const { number, externalId } = orderSummary(payload === null ? {} : (JSON.parse(payload) as JsonObject));
  return (
    <Fact name={t("Order")}>
      <TextLink to={paths.order} params={{ orderId }}>
        {t("Order {value}", { value: number ?? externalId })}
      </TextLink>
    </Fact>
  );
}

/** The thing that a message waits for, or the reason why it was stopped. */
function WaitingPart({ message }: { message: MessageDetails }) {
  const mayChange = useMay("operator");
  const { status, dueAt, nextAttemptAt, explanation, siteId } = message;
  if (isDropped(status))
    return (
      <Alert color="gray" title={translated(statusFacts[status].label)}>
        {explanation !== null && toldExplanation(explanation)}
      </Alert>
    );
  if (status === "queued" && nextAttemptAt !== null) {
    return (
      <Alert color="gray" title={message.tries.length === 0 ? t("Waits for its turn") : t("Waiting to retry")}>
        {message.tries.length === 0 ? t("Due") : t("Next attempt")}: <Due at={nextAttemptAt} />
      </Alert>
    );
  }
  if (status !== "scheduled") return null;
  return (
    <Alert color="violet" title={dueAt === null ? t("Waits for its site") : t("Waits for its time")}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          {dueAt === null ? (
            <Rich text={t("The <0>site</0> pauses sending or has just resumed it.")}>
              <TextLink to={paths.site} params={{ siteId }} c="inherit" />
            </Rich>
          ) : (
            <>
              {t("Due: ")}
              <Due at={dueAt} />
            </>
          )}
        </Text>
        {mayChange && <WaitingActions message={message} />}
      </Stack>
    </Alert>
  );
}

/** The tries that WhatsApp refused before the last one. */
function Tries({ tries }: Pick<MessageDetails, "tries">) {
  if (tries.length === 0) return null;
  return (
    <Section title={t("Earlier attempts")}>
      <List type="ordered" size="sm" spacing={4}>
        {tries.map(({ at, code, title }) => (
          <List.Item key={at}>
            <Moment at={at} seconds />
            {`: ${title} · ${code}`}
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
      <List type="ordered" size="sm" spacing={4} aria-label={t("Resends")}>
        {attempts.map((each) => (
          <List.Item key={each.id} aria-current={each.id === id}>
            <Group gap="xs" component="span">
              {each.id === id ? (
                <Moment at={each.createdAt} seconds />
              ) : (
                <TextLink to={paths.log} search={changeLogSearch({ open: each.id })}>
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
