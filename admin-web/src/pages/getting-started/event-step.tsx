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
import { eventSamples, ingestUrl } from "../../ui/event-samples.ts";
import { Moment } from "../../ui/facts.tsx";
import { PhoneInput } from "../../ui/inputs.tsx";
import { MessageBubble, PhonePreview } from "../../ui/message.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import type { MadeSite } from "../sites/create-site.tsx";
import type { Facts } from "./progress.ts";
import classes from "./getting-started.module.css";

export function EventSummary({ event }: Facts) {
  if (event === undefined) return "A few lines of code in your backend, then the message is on its way.";
  return (
    <>
      {event.name}, <Moment at={event.receivedAt} />
    </>
  );
}

export function EventStep({ made, ...facts }: Facts & { made: MadeSite | undefined }) {
  const { site, binding, event, settings } = facts;
  if (site === undefined) return <Text size="sm">It takes a site, which posts it: the second step.</Text>;
  return (
    <div className={classes["eventStepColumns"]} data-wide>
      <div className={classes["code"]}>
        {!site.enabled && <Text size="sm">{site.name} is disabled: what you post is refused until it is enabled.</Text>}
        {binding === undefined && <Text size="sm">No binding names an event yet: what arrives now is stored, and nothing is sent.</Text>}
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

/** Programs that post the bound event for the site, with its real key and secret where they are still at hand. */
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
          label="Who gets the message"
          description="Your own phone, say: the message is real"
          defaultValue={phone}
          onChange={setPhone}
          maw="20rem"
        />
      )}
      <Text size="sm">
        {secrets === undefined ? (
          <WithoutSecrets site={site} />
        ) : (
          `This holds the key and the secret of ${site.name}: paste it into a terminal or a file, and run it.`
        )}
      </Text>
      <CodeSample label={`Post ${name}`} samples={samples} />
      <Text size="sm" c="dimmed">
        The secret signs the body, byte for byte. What else can be sent, and when to retry, stands in the{" "}
        <TextLink to={paths.developers}>documentation</TextLink>.
      </Text>
    </Stack>
  );
}

function WithoutSecrets({ site }: Pick<EventCodeProps, "site">) {
  const mayRotate = useMay("operator");
  return (
    <>
      Put the key and the secret of {site.name} in place of YOUR_SITE_KEY and YOUR_WEBHOOK_SECRET. They were shown once, when the site was
      made.{" "}
      {mayRotate && (
        <>
          Lost?{" "}
          <TextLink to={paths.site} params={{ siteId: site.id }}>
            Give {site.name} new ones
          </TextLink>
        </>
      )}
    </>
  );
}

/** Waits for an event, and shows what becomes of it. */
function LiveArrival({ last, isSandbox }: { last: Facts["event"]; isSandbox: boolean }) {
  const { latest, isListening } = useArrivals(last);
  return (
    <section aria-label="Live" className={classes["card"]} data-arrived={latest !== undefined || undefined}>
      <div className={classes["line"]}>
        <span className={classes["light"]} data-listening={isListening || undefined} aria-hidden />
        <Text size="sm" fw={600} role="status">
          {latest === undefined ? (
            waitingWords(isListening)
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

const waitingWords = (isListening: boolean): string =>
  isListening ? "Listening: the event shows here when it arrives." : "Connecting to the live view…";

type Message = Outputs["notifications"]["list"]["items"][number];

/** Milliseconds between two looks at messages whose way is not over. */
const statusPollMs = 1500;

const isOver = ({ status }: Message): boolean => statusFacts[status].isFinal;

/** What became of an event: in a sentence, then message by message. */
function Outcome({ eventId, isSandbox }: { eventId: string; isSandbox: boolean }) {
  const event = trpc.events.get.useQuery({ id: eventId });
  const messages = trpc.notifications.list.useQuery(
    { eventId, limit: 20 },
    { refetchInterval: ({ state }) => state.data?.items.every(isOver) !== true && statusPollMs },
  );
  const items = messages.data?.items ?? [];
  const error = event.error ?? messages.error;
  const [first] = items;
  return (
    <>
      {error !== null && <FailureNotice title="Could not load what became of it" error={error} />}
      {event.data !== undefined && <Text size="sm">{event.data.event.trace.summary}</Text>}
      {items.length > 0 && (
        <ul className={classes["messages"]} aria-label="Its messages">
          {items.map((message) => (
            <li key={message.id}>
              <MessageLine {...message} />
            </li>
          ))}
        </ul>
      )}
      {isSandbox && first !== undefined && first.status !== "failed" && <PhoneMessage message={first} />}
      <TextLink to={paths.events} search={{ open: eventId }}>
        See the whole event
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
        Open in the log
      </TextLink>
    </Group>
  );
}

type Sent = Pick<Outputs["notifications"]["list"]["items"][number], "waMessageId" | "template">;
type Received = Outputs["sandbox"]["messages"]["items"][number];

const pollMs = 1000;

/** The message as the sandbox's phone has it. */
function PhoneMessage({ message }: { message: Sent }) {
  const phone = trpc.sandbox.messages.useQuery(
    { limit: 20 },
    { refetchInterval: ({ state }) => find(state.data?.items, message) === undefined && pollMs },
  );
  const received = find(phone.data?.items, message);
  if (phone.error !== null) return <FailureNotice title="Could not load the sandbox phone" error={phone.error} />;
  return <PhonePreview title="On the phone">{received === undefined ? "On its way…" : <MessageBubble {...received} />}</PhonePreview>;
}

/** Who may see no phones sees no ids of the platform either: then it is the newest of that template. */
function find(messages: Received[] | undefined, { waMessageId, template }: Sent): Received | undefined {
  return messages?.find((message) => (waMessageId === null ? message.template === template : message.id === waMessageId));
}

type Event = Outputs["events"]["list"]["items"][number];

interface Arrivals {
  /** The newest; undefined while there is none. */
  latest: Event | undefined;
  isListening: boolean;
}

/** Follows the account's events as they come. `last`: the newest that is known without. */
function useArrivals(last: Event | undefined): Arrivals {
  const cache = trpc.useUtils();
  const [seen, setSeen] = useState<Event>();
  const { status } = trpc.events.tail.useSubscription(undefined, {
    onData: ({ events }) => {
      // An event comes again once it is answered; ids grow with time.
      const newest = events.toSorted((a, b) => (a.id < b.id ? -1 : 1)).at(-1);
      if (newest === undefined) return;
      setSeen((before) => (before === undefined || newest.id >= before.id ? newest : before));
      void cache.events.list.invalidate();
      void cache.events.get.invalidate({ id: newest.id });
      void cache.notifications.list.invalidate();
    },
  });
  return { latest: seen ?? last, isListening: status === "pending" };
}
