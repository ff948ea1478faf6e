import { Text, Stack, Group } from "@mantine/core";
import { useState } from "react";
import { exampleEvent, examplePayload } from "shared/core/example";
import { statusFacts } from "shared/core/message";
import { isE164 } from "shared/core/phone";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { type Outputs, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { CodeSample } from "../../ui/code-sample.tsx";
import { Moment } from "../../ui/facts.tsx";
import { PhoneInput } from "../../ui/inputs.tsx";
import { MessageBubble, PhonePreview } from "../../ui/message.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import type { MadeSite } from "../sites/create-site.tsx";
import { eventSamples, ingestUrl } from "./event-samples.ts";
import type { Facts } from "./progress.ts";
import classes from "./getting-started.module.css";

export function EventSummary({ event }: Facts) {
  if (event === undefined) return "A few lines of code in your backend send the first message.";
  return (
    <>
      {event.name}, <Moment at={event.receivedAt} />
    </>
  );
}

export function EventStep({ made, ...facts }: Facts & { made: MadeSite | undefined }) {
  const { site, binding, event, settings } = facts;
  if (site === undefined) return <Text size="sm">Add a site first: it posts the event.</Text>;
  return (
    <div className={classes["eventStepColumns"]} data-wide>
      <div className={classes["code"]}>
        {!site.enabled && <Text size="sm">{site.name} is disabled: its events are refused until you enable it.</Text>}
        {binding === undefined && <Text size="sm">No rules yet: events are stored, but nothing is sent.</Text>}
        <EventCode site={site} settings={settings} binding={binding} made={made} />
      </div>
      <LiveArrival last={event} isSandbox={settings.platform.sandbox} />
    </div>
  );
}

interface EventCodeProps extends Pick<Facts, "settings" | "binding"> {
  site: NonNullable<Facts["site"]>;
  made: MadeSite | undefined;
}

/** Programs that post the bound event, with the real key and secret while they are known. */
function EventCode({ settings, binding, site, made }: EventCodeProps) {
  const { sandbox } = settings.platform;
  const [phone, setPhone] = useState(sandbox ? examplePayload.customer.phone_e164 : (site.testPhone ?? ""));
  const secrets = made?.site.id === site.id ? made : undefined;
  const name = binding?.event ?? exampleEvent;
  const samples = eventSamples({
    url: ingestUrl(settings.gatewayUrl, site.sourceType, name),
    siteKey: secrets?.apiKey ?? "YOUR_SITE_KEY",
    webhookSecret: secrets?.webhookSecret ?? "YOUR_WEBHOOK_SECRET",
    payload: { ...examplePayload, event: name, customer: { ...examplePayload.customer, phone_e164: isE164(phone) ? phone : "YOUR_PHONE" } },
  });
  return (
    <Stack gap="md" miw={0}>
      {!sandbox && (
        <PhoneInput
          label="Recipient"
          description="For example your own phone: this is a real message"
          value={phone}
          onChange={setPhone}
          maw="20rem"
        />
      )}
      <Text size="sm">
        {secrets === undefined ? (
          <WithoutSecrets site={site} />
        ) : (
          `The code contains the API key and the webhook secret of ${site.name}: paste it into a terminal or a file, and run it.`
        )}
      </Text>
      <CodeSample label={`Post ${name}`} samples={samples} />
      <Text size="sm" c="dimmed">
        The secret signs the body, byte for byte. The <TextLink to={paths.developers}>documentation</TextLink> describes all fields, and
        when to retry.
      </Text>
    </Stack>
  );
}

function WithoutSecrets({ site }: Pick<EventCodeProps, "site">) {
  const mayRotate = useMay("operator");
  return (
    <>
      Replace YOUR_SITE_KEY and YOUR_WEBHOOK_SECRET with the API key and the webhook secret of {site.name}. They were shown once, when the
      site was added.{" "}
      {mayRotate && (
        <>
          Lost them?{" "}
          <TextLink to={paths.site} params={{ siteId: site.id }}>
            Rotate them for {site.name}
          </TextLink>
        </>
      )}
    </>
  );
}

interface LiveArrivalProps {
  last: Facts["event"];
  isSandbox: boolean;
  /** Undefined for all sites. */
  siteId?: string | undefined;
}

export function LiveArrival({ last, isSandbox, siteId }: LiveArrivalProps) {
  const { latest, isListening } = useArrivals(last, siteId);
  return (
    <section aria-label="Live" className={classes["card"]} data-arrived={latest !== undefined || undefined}>
      <div className={classes["line"]}>
        <span className={classes["light"]} data-listening={isListening || undefined} aria-hidden />
        <Text size="sm" fw={600} role="status">
          {latest === undefined ? (
            describeConnection(isListening)
          ) : (
            <>
              {latest.name} arrived, <Moment at={latest.receivedAt} />
            </>
          )}
        </Text>
      </div>
      {latest !== undefined && <Outcome key={latest.id} eventId={latest.id} isSandbox={isSandbox} />}
    </section>
  );
}

const describeConnection = (isListening: boolean): string =>
  isListening ? "Listening: the event shows here when it arrives." : "Connecting to the live view…";

type Message = Outputs["notifications"]["list"]["items"][number];

const statusPollMs = 1500;

const isFinal = ({ status }: Message): boolean => statusFacts[status].isFinal;

/** The answers of events that may still change. */
const waitingChats: ReadonlySet<string | null> = new Set([null, "accepted"]);

/** The result of an event: a summary, then its messages. */
function Outcome({ eventId, isSandbox }: { eventId: string; isSandbox: boolean }) {
  const event = trpc.events.get.useQuery(
    { id: eventId },
    { refetchInterval: ({ state }) => waitingChats.has(state.data?.event.chat ?? null) && statusPollMs },
  );
  const messages = trpc.notifications.list.useQuery(
    { eventId, limit: 20 },
    { refetchInterval: ({ state }) => state.data?.items.every(isFinal) !== true && statusPollMs },
  );
  const items = messages.data?.items ?? [];
  const error = event.error ?? messages.error;
  const [first] = items;
  return (
    <>
      {error !== null && <FailureNotice title="Could not load the result" error={error} />}
      {event.data !== undefined && <Text size="sm">{event.data.event.trace.summary}</Text>}
      {items.length > 0 && (
        <ul className={classes["messages"]} aria-label="Messages">
          {items.map((message) => (
            <li key={message.id}>
              <MessageLine {...message} />
            </li>
          ))}
        </ul>
      )}
      {isSandbox && first !== undefined && first.status !== "failed" && <PhoneMessage message={first} />}
      <TextLink to={paths.events} search={{ open: eventId }}>
        Open event
      </TextLink>
    </>
  );
}

function MessageLine({ id, toPhone, status, errorReason }: Message) {
  return (
    <Group gap="sm">
      <StatusBadge status={status} />
      <Text size="sm">to {toPhone}</Text>
      {errorReason !== null && (
        <Text size="sm" c="var(--mantine-color-error)">
          {errorReason}
        </Text>
      )}
      <TextLink to={paths.log} search={{ open: id }}>
        Open in log
      </TextLink>
    </Group>
  );
}

type Sent = Pick<Outputs["notifications"]["list"]["items"][number], "waMessageId" | "template">;
type Received = Outputs["sandbox"]["messages"]["items"][number];

const pollMs = 1000;

function PhoneMessage({ message }: { message: Sent }) {
  const phone = trpc.sandbox.messages.useQuery(
    { limit: 20 },
    { refetchInterval: ({ state }) => find(state.data?.items, message) === undefined && pollMs },
  );
  const received = find(phone.data?.items, message);
  if (phone.error !== null) return <FailureNotice title="Could not load the sandbox phone" error={phone.error} />;
  return <PhonePreview title="On the phone">{received === undefined ? "On its way…" : <MessageBubble {...received} />}</PhonePreview>;
}

/** Viewers see no wamid; they get the newest message of the template. */
function find(messages: Received[] | undefined, { waMessageId, template }: Sent): Received | undefined {
  return messages?.find((message) => (waMessageId === null ? message.template === template : message.id === waMessageId));
}

type Event = Outputs["events"]["list"]["items"][number];

interface Arrivals {
  latest: Event | undefined;
  isListening: boolean;
}

/** Follows the account's events. `last`: the newest loaded one. */
function useArrivals(last: Event | undefined, siteId: string | undefined): Arrivals {
  const cache = trpc.useUtils();
  const [seen, setSeen] = useState<Event>();
  const { status } = trpc.events.tail.useSubscription(
    { siteId },
    {
      onData: ({ events }) => {
        // An event is repeated once it is answered. Ids grow with time.
        const newest = events.toSorted((a, b) => (a.id < b.id ? -1 : 1)).at(-1);
        if (newest === undefined) return;
        setSeen((before) => (before === undefined || newest.id >= before.id ? newest : before));
        void cache.events.list.invalidate();
        void cache.events.get.invalidate({ id: newest.id });
        void cache.notifications.list.invalidate();
      },
    },
  );
  return { latest: seen ?? last, isListening: status === "pending" };
}
