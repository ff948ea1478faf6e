import { Group, Stack, Text, Code, SegmentedControl, Card } from "@mantine/core";
import IconPlayerPlay from "@tabler/icons-react/dist/esm/icons/IconPlayerPlay.mjs";
import { useState } from "react";
import { type JsonObject, lookUp, parseJson, printJson } from "shared/core/json";
import { isDropped } from "shared/core/message";
import { mergeSchedule } from "shared/core/schedule/merge";
import { t } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { AskAbout } from "../../ui/assistant/assistant-button.tsx";
import { SecondaryButton, TextLink } from "../../ui/base/buttons.tsx";
import { CodeBlock, prettyJson } from "../../ui/base/code-sample.tsx";
import { Due, Fact, Facts, StatusBadge } from "../../ui/base/facts.tsx";
import { sourceTypeLabels, toldExplanation } from "../../ui/base/labels.ts";
import { Columns } from "../../ui/base/layout.tsx";
import { Section, FailureNotice, Loaded, rich, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { DrawerHead, openHere } from "../../ui/list/detail-drawer.tsx";
import { isMoving, isYoung, movingPollMs } from "../../ui/list/live-list.tsx";
import { eventSteps, TraceSteps } from "../../ui/message/event-steps.tsx";
import { toldSummary } from "../../ui/message/event-summary.ts";
import { CopyFact, LinkFact, SiteFact } from "../../ui/operation/link-fact.tsx";
import { ToldFact } from "../../ui/site/endpoints.tsx";
import { type Column, DataTable, ListSkeleton } from "../../ui/table/data-table.tsx";
import { ChatPaper } from "../../ui/template/message.tsx";
import { LiveAnswer, PreviewMessage } from "../binding/preview.tsx";
import { SentMessage, StatusTimeline } from "../log/message-parts.tsx";
import { EventBadges, OutcomeBadge, recipientOf } from "./event-table.tsx";
import { ReplayLive, Replays } from "./replay-event.tsx";
import { changeEventsSearch } from "./route.ts";

type EventDetails = Outputs["events"]["get"]["event"];

/** One event beside the list. */
export function EventDetail({ id }: { id: string }) {
  const query = trpc.events.get.useQuery({ id }, { refetchInterval: ({ state }) => mayChange(state.data?.event) && movingPollMs });
  return (
    <Loaded
      query={query}
      what={t("the event")}
      missing={<EmptyState title={t("Event not found")}>{t("It may no longer be kept, or it belongs to another account.")}</EmptyState>}
    >
      {({ event }) => <Event event={event} />}
    </Loaded>
  );
}

/** What was sent again had failed. */
const firstStatuses = ({ bindings }: EventDetails["trace"]) =>
  bindings.flatMap(({ messages }) => messages.map(({ resendOf, status }) => (resendOf === null ? status : "failed")));

function Event({ event }: { event: EventDetails }) {
  const seesPhones = useMay("seePhones");
  return (
    <Stack gap="lg">
      <DrawerHead
        name={event.name}
        order={event.orderNumber}
        state={
          <>
            <EventBadges {...event} />
            <OutcomeBadge {...event} statuses={[...new Set(firstStatuses(event.trace))]} />
          </>
        }
        at={event.receivedAt}
      >
        <Text>{recipientOf(event)}</Text>
        <Text>{toldSummary(event.trace)}</Text>
      </DrawerHead>
      <AskAbout eventId={event.id} />
      <EventFacts event={event} />
      <Section title={t("How it went")}>
        <TraceSteps label={t("How it went")} steps={eventSteps(event, event.trace)} />
      </Section>
      <EventMessages bindings={event.trace.bindings} />
      <MessageParts bindings={event.trace.bindings} />
      {/* Without the role the payload has no phones, so a replay would give another result. */}
      {seesPhones && event.payload !== null && <Replay id={event.id} siteId={event.siteId} name={event.name} payload={event.payload} />}
      <Replays replays={event.replays} />
      <Payload payload={event.payload} isOfShop={event.trace.topic !== null} />
    </Stack>
  );
}

/** Whether a young event may still change. */
function mayChange(event: EventDetails | undefined): boolean {
  if (event === undefined) return false;
  const { chat, receivedAt, trace, replays } = event;
  if (replays.some(({ state }) => state === "waiting")) return true;
  const messages = trace.bindings.flatMap((binding) => binding.messages);
  return chat === null ? isYoung(receivedAt) : messages.some(({ status }) => isMoving({ status, createdAt: receivedAt }));
}

function EventFacts({ event }: { event: EventDetails }) {
  const { id, siteId, source, orderId, idempotencyKey, trace } = event;
  return (
    <Facts>
      <SiteFact siteId={siteId} />
      <Fact name={t("Source")}>{(sourceTypeLabels as Partial<Record<string, string>>)[source] ?? source}</Fact>
      <Fact name={t("Topic")}>{trace.topic !== null && <Code>{trace.topic}</Code>}</Fact>
      <Fact name={t("Order")}>{orderId !== null && <Order orderId={orderId} />}</Fact>
      <ToldFact eventId={id} />
      <Fact name={t("Idempotency key")}>{idempotencyKey}</Fact>
      {event.replayOf !== null && (
        <LinkFact name={t("Replay of")} {...openHere(event.replayOf)}>
          {t("an earlier event")}
        </LinkFact>
      )}
      <CopyFact name={t("Event ID")} text={id} what={t("event ID")} />
    </Facts>
  );
}

const Order = ({ orderId }: { orderId: string }) => (
  <Group gap="0 var(--mantine-spacing-sm)">
    <TextLink {...pages.order(orderId)}>{t("Order timeline")}</TextLink>
    <TextLink to={paths.events} search={changeEventsSearch({ open: null, orderId })}>
      {t("Other events of this order")}
    </TextLink>
  </Group>
);

type Binding = EventDetails["trace"]["bindings"][number];
type Row = Binding["messages"][number] & { template: string };

const columns: Column<Row>[] = [
  { name: t("To"), kind: "title", cell: ({ id, toPhone }) => <TextLink {...pages.message(id)}>{toPhone}</TextLink> },
  { name: t("Template"), cell: ({ template }) => template },
  { name: t("Status"), cell: (message) => <MessageStatus {...message} /> },
];

/** The status; a waiting message also shows when it is due, a cancelled one why. */
const MessageStatus = ({ status, dueAt, explanation, resendOf }: Row) => (
  <>
    <StatusBadge status={status} />
    {resendOf !== null && ` ${t("(Resend)")}`}
    {status === "scheduled" && (
      <Text>
        <Due at={dueAt} />
      </Text>
    )}
    {isDropped(status) && explanation !== null && <Text>{toldExplanation(explanation)}</Text>}
  </>
);

function EventMessages({ bindings }: { bindings: Binding[] }) {
  const rows = bindings.flatMap(({ template, messages }) => messages.map((message) => ({ ...message, template })));
  if (rows.length === 0) return null;
  return (
    <Section title={t("Messages")}>
      <DataTable label={t("Messages")} columns={columns} rows={rows} rowKey={({ id }) => id} />
    </Section>
  );
}

/** Events with more messages show none here; the log does. */
const mostParts = 3;

/** Each message as the phone shows it, and how far it came. */
function MessageParts({ bindings }: { bindings: Binding[] }) {
  const ids = bindings.flatMap(({ messages }) => messages.map(({ id }) => id));
  if (ids.length > mostParts) return null;
  return ids.map((id) => <MessagePart key={id} id={id} isOne={ids.length === 1} />);
}

function MessagePart({ id, isOne }: { id: string; isOne: boolean }) {
  const query = trpc.notifications.get.useQuery(
    { id },
    { refetchInterval: ({ state }) => state.data !== undefined && isMoving(state.data.notification) && movingPollMs },
  );
  return (
    <Loaded query={query} what={t("the message")}>
      {({ notification }) => (
        <Columns least="18rem" gap="var(--mantine-spacing-lg)">
          <SentMessage message={notification} of={isOne ? undefined : notification.toPhone} />
          <StatusTimeline message={notification} of={isOne ? undefined : notification.toPhone} />
        </Columns>
      )}
    </Loaded>
  );
}

const forms = [
  { value: "pretty", label: t("Formatted") },
  { value: "raw", label: t("Raw") },
];
/** Longer texts are not coloured, as that slows the page. */
const longestColoured = 20_000;

interface PayloadProps {
  /** Null once it is deleted, which happens before the event is. */
  payload: string | null;
  /** True for a shop's event, whose payload holds the shop's own body. */
  isOfShop: boolean;
}

function Payload({ payload, isOfShop }: PayloadProps) {
  if (payload === null)
    return (
      <Section title={t("Payload")}>
        <Text>{t("The payload is no longer kept: it is deleted before the rest of the event.")}</Text>
      </Section>
    );
  const parts = isOfShop ? partsOf(payload) : null;
  if (parts === null) return <JsonSection title={t("Payload")} json={payload} />;
  return (
    <>
      <JsonSection title={t("Payload")} lead={t("The shop's own body, below, is data.raw.")} json={parts.mapped} />
      <JsonSection title={t("Body from the shop")} lead={t("As it was posted, with IDs as text.")} json={parts.raw} />
    </>
  );
}

/** A shop's event without its body, and the body; null for an event without one, as generic senders post. */
function partsOf(payload: string): { mapped: string; raw: string } | null {
  const { data, ...mapped } = parseJson(payload) as JsonObject;
  const raw = data === undefined ? undefined : lookUp(data, "raw");
  return raw === undefined ? null : { mapped: printJson(mapped), raw: printJson(raw) };
}

function JsonSection({ title, lead, json }: { title: string; lead?: string; json: string }) {
  const [form, setForm] = useState("pretty");
  const code = form === "raw" ? json : prettyJson(json);
  return (
    <Section
      title={title}
      lead={lead}
      actions={<SegmentedControl size="xs" aria-label={t("{title} format", { title })} data={forms} value={form} onChange={setForm} />}
    >
      <CodeBlock code={code} language={code.length > longestColoured ? "text" : "json"} label={title} />
    </Section>
  );
}

type ReplayProps = Record<"id" | "siteId" | "name" | "payload", string>;

/** The payload with the current bindings: as a dry run, or for real. */
function Replay(props: ReplayProps) {
  const [isAsked, setAsked] = useState(false);
  return (
    <Section
      title={t("Replay")}
      lead={t("Runs the event through the current bindings. A dry run stores and sends nothing.")}
      actions={
        <Group gap="xs">
          {!isAsked && (
            <SecondaryButton size="compact-md" leftSection={<IconPlayerPlay size={16} aria-hidden />} onClick={() => setAsked(true)}>
              {t("Dry run")}
            </SecondaryButton>
          )}
          <ReplayLive id={props.id} />
        </Group>
      }
    >
      {isAsked && <Replayed {...props} />}
    </Section>
  );
}

function Replayed({ siteId, name, payload }: Omit<ReplayProps, "id">) {
  const bindings = trpc.bindings.list.useQuery({ siteId, event: name, limit: 200 }, { refetchOnMount: "always" });
  const enabled = bindings.data?.items.filter((binding) => binding.enabled) ?? [];
  return (
    <Loaded query={bindings} what={t("the bindings")}>
      {() => (
        <Stack role="list" aria-label={t("What each binding would do")}>
          {enabled.map((binding) => (
            <ReplayedBinding key={binding.id} binding={binding} payload={payload} />
          ))}
          {enabled.length === 0 && (
            <Text>
              {rich(
                t("No binding of this site is switched on for {name}, so nothing would be sent. <0>Create binding</0>", { name }),
                <TextLink to={paths.newBinding} search={{ siteId, event: name }} />,
              )}
            </Text>
          )}
        </Stack>
      )}
    </Loaded>
  );
}

/** The message and the recipients of one binding. */
function ReplayedBinding({ binding, payload }: { binding: Outputs["bindings"]["list"]["items"][number]; payload: string }) {
  const { id, siteId, event, templateId, recipient, variableMap, conditions, template, language } = binding;
  const rule = { siteId, event, templateId, recipient, variableMap, conditions, ...mergeSchedule(binding) };
  // Phones, templates and time zone may have changed since the last replay.
  const fresh = { refetchOnMount: "always", gcTime: 0 } as const;
  const preview = trpc.bindings.preview.useQuery({ ...rule, payload }, fresh);
  const definition = trpc.templates.get.useQuery({ id: templateId }, fresh);
  const failed = [preview, definition].find(({ error }) => error !== null);
  return (
    <Card role="listitem">
      <Stack gap="sm">
        <Text>
          <TextLink {...pages.binding(id)} fw={600}>
            {template}
          </TextLink>{" "}
          ({language})
        </Text>
        {failed !== undefined && <FailureNotice title={t("Could not preview this binding")} of={failed} />}
        {failed === undefined && (preview.data === undefined || definition.data === undefined) && <ListSkeleton what={t("the message")} />}
        {preview.data !== undefined && <LiveAnswer preview={preview.data} />}
        {preview.data !== undefined && definition.data !== undefined && (
          <ChatPaper>
            <PreviewMessage template={definition.data.template} preview={preview.data} />
          </ChatPaper>
        )}
      </Stack>
    </Card>
  );
}
