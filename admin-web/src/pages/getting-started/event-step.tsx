import { Alert, Button, Text, Stack, Group } from "@mantine/core";
import { useState } from "react";
import { exampleEvent, examplePayload } from "shared/core/example";
import { statusFacts } from "shared/core/message";
import { isE164 } from "shared/core/phone";
import { t, translated } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { cache, type Outputs, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { CodeSample } from "../../ui/base/code-sample.tsx";
import { Moment, StatusBadge } from "../../ui/base/facts.tsx";
import { running } from "../../ui/base/fields.ts";
import { toldReason } from "../../ui/base/labels.ts";
import { WideColumns } from "../../ui/base/layout.tsx";
import { Dimmed, FailureNotice, rich } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { PhoneInput } from "../../ui/form/inputs.tsx";
import { toldSummary } from "../../ui/message/event-summary.ts";
import type { MadeSite } from "../../ui/site/made-site.tsx";
import { MessageBubble, PhonePreview } from "../../ui/template/message.tsx";
import { eventSamples } from "./event-samples.ts";
import type { Facts } from "./progress.ts";
import { ForRole } from "./setup-steps.tsx";
import classes from "./getting-started.module.css";

export function EventSummary({ event }: Facts) {
  if (event === undefined) return t("A few lines of code in your backend send the first message.");
  return rich(t("<0>{name}</0>, <1/>", { name: event.name }), <bdi />, <Moment at={event.receivedAt} />);
}

export function EventStep({ made, ...facts }: Facts & { made: MadeSite | undefined }) {
  const { site, binding, event, settings } = facts;
  if (site === undefined) return <Text>{t("Add a site first: it posts the event.")}</Text>;
  return (
    <WideColumns data-wide>
      <Stack miw={0}>
        {!site.enabled && <Text>{t("{name} is disabled: its events are refused until you enable it.", { name: site.name })}</Text>}
        {binding === undefined && <Text>{t("No bindings yet: events are stored, but nothing is sent.")}</Text>}
        <EventCode site={site} settings={settings} binding={binding} made={made} />
      </Stack>
      <LiveArrival last={event} isSandbox={settings.platform.sandbox} siteId={site.id} />
    </WideColumns>
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
    gatewayUrl: settings.gatewayUrl,
    source: site.sourceType,
    event: name,
    siteKey: secrets?.apiKey ?? "YOUR_SITE_KEY",
    webhookSecret: secrets?.webhookSecret ?? "YOUR_WEBHOOK_SECRET",
    phone: isE164(phone) ? phone : "YOUR_PHONE",
  });
  return (
    <Stack miw={0}>
      {!sandbox && (
        <PhoneInput
          label={t("Recipient")}
          description={t("For example your own phone: this is a real message.")}
          value={phone}
          onChange={setPhone}
          maw="20rem"
        />
      )}
      <Text>
        {secrets === undefined ? (
          <WithoutSecrets site={site} />
        ) : (
          t("The code contains the API key and the webhook secret of {name}: paste it into a terminal or a file, and run it.", {
            name: site.name,
          })
        )}
      </Text>
      <CodeSample label={t("Post {name}", { name })} samples={samples} />
      <Dimmed>{t("curl posts once. The programs in the other tabs try again when no answer comes.")}</Dimmed>
      <ForRole>
        <SendForMe siteId={site.id} event={name} phone={isE164(phone) ? phone : undefined} isSandbox={sandbox} />
      </ForRole>
      <Dimmed>
        {rich(
          t("The secret signs the body, byte for byte. The <0>documentation</0> describes all fields, and when to retry."),
          <TextLink to={paths.developers} />,
        )}
      </Dimmed>
    </Stack>
  );
}

/** Posts the same event from here. For a real account the recipient must be known first. */
function SendForMe({ siteId, event, phone, isSandbox }: { siteId: string; event: string; phone: string | undefined; isSandbox: boolean }) {
  const send = trpc.sites.sendExample.useMutation();
  return (
    <Stack gap="xs" align="flex-start">
      <FailureNotice title={t("The event was not sent")} of={send} />
      <Button disabled={!isSandbox && phone === undefined} {...running(send, { id: siteId, event, phone })}>
        {t("Send it for me")}
      </Button>
      <Dimmed>{t("Posts this event once, signed as your backend would.")}</Dimmed>
    </Stack>
  );
}

function WithoutSecrets({ site }: Pick<EventCodeProps, "site">) {
  const mayRotate = useMay("operator");
  return (
    <>
      {t(
        "Replace YOUR_SITE_KEY and YOUR_WEBHOOK_SECRET with the API key and the webhook secret of {name}. They were shown once, when the site was added. ",
        { name: site.name },
      )}
      {mayRotate && rich(t("Lost them? <0>Rotate them for {name}</0>", { name: site.name }), <TextLink {...pages.site(site.id, "keys")} />)}
    </>
  );
}

export function LiveArrival({ last, isSandbox, siteId }: { last: Facts["event"]; isSandbox: boolean; siteId: string }) {
  const { latest, isListening } = useArrivals(last, siteId);
  return (
    <Stack
      component="section"
      p="md"
      bdrs="var(--mantine-radius-default)"
      className={classes["card"] ?? ""}
      aria-label={t("Events as they come")}
      data-arrived={latest !== undefined || undefined}
    >
      <Group gap="sm">
        <span className={classes["light"]} data-listening={isListening || undefined} aria-hidden />
        <Text fw={600} role="status">
          {latest === undefined
            ? describeConnection(isListening)
            : rich(t("{name} arrived, <0/>", { name: latest.name }), <Moment at={latest.receivedAt} />)}
        </Text>
      </Group>
      <LatestRefusal siteId={siteId} since={latest?.receivedAt} />
      {latest !== undefined && <Outcome key={latest.id} eventId={latest.id} isSandbox={isSandbox} />}
    </Stack>
  );
}

const refusalPollMs = 2_000;
const hourMs = 3_600_000;

/** The reason why the sender's last request was refused, if that was in the last hour and nothing has arrived since. */
function LatestRefusal({ siteId, since }: { siteId: string; since: string | undefined }) {
  const refused = trpc.sites.refused.useQuery({ siteId, limit: 1 }, { refetchInterval: refusalPollMs });
  const [openedAt] = useState(Date.now);
  const last = refused.data?.items[0];
  if (last === undefined || Date.parse(last.at) < Math.max(openedAt - hourMs, Date.parse(since ?? "1970-01-01"))) return null;
  return (
    <Alert color="yellow" role="status" title={t("A request was refused with {status}", { status: last.status })}>
      <Text>
        <Moment at={last.at} seconds />. {translated(last.text)} {translated(last.action)}{" "}
        <TextLink {...pages.site(siteId, "connect")}>{t("Request details")}</TextLink>
      </Text>
    </Alert>
  );
}

const describeConnection = (isListening: boolean): string =>
  isListening ? t("Listening: the event appears here when it arrives.") : t("Connecting to the live view…");

type Message = Outputs["notifications"]["list"]["items"][number];

const statusPollMs = 1500;

const isFinal = ({ status }: Message): boolean => statusFacts[status].isFinal;

/** The outcomes of events that may still change. */
const openOutcomes: ReadonlySet<string | null> = new Set([null, "accepted"]);

/** The result of an event: a summary, then its messages. */
function Outcome({ eventId, isSandbox }: { eventId: string; isSandbox: boolean }) {
  const event = trpc.events.get.useQuery(
    { id: eventId },
    { refetchInterval: ({ state }) => openOutcomes.has(state.data?.event.chat ?? null) && statusPollMs },
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
      {error !== null && <FailureNotice title={t("Could not load the result")} error={error} />}
      {event.data !== undefined && <Text>{toldSummary(event.data.event.trace)}</Text>}
      {items.length > 0 && (
        <Stack component="ul" gap="xs" aria-label={t("Messages")}>
          {items.map((message) => (
            <li key={message.id}>
              <MessageLine {...message} />
            </li>
          ))}
        </Stack>
      )}
      {isSandbox && first !== undefined && first.status !== "failed" && <PhoneMessage message={first} />}
      <TextLink {...pages.event(eventId)}>{t("Open event")}</TextLink>
    </>
  );
}

function MessageLine(message: Message) {
  const { id, toPhone, status } = message;
  const reason = toldReason(message);
  return (
    <Group gap="sm">
      <StatusBadge status={status} />
      <Text>{t("to {toPhone}", { toPhone })}</Text>
      {reason !== null && <Text c="var(--mantine-color-error)">{reason}</Text>}
      <TextLink {...pages.message(id)}>{t("Open message")}</TextLink>
    </Group>
  );
}

type Sent = Pick<Message, "waMessageId" | "template" | "toPhone" | "status">;
type Received = Outputs["sandbox"]["messages"]["items"][number];

const pollMs = 1000;

function PhoneMessage({ message }: { message: Sent }) {
  const seesPhones = useMay("seePhones");
  const phone = trpc.sandbox.messages.useQuery(
    { limit: 20, ...(seesPhones && { to: message.toPhone }) },
    { refetchInterval: ({ state }) => find(state.data?.items, message) === undefined && pollMs },
  );
  const received = find(phone.data?.items, message);
  if (phone.error !== null) return <FailureNotice title={t("Could not load the sandbox phone")} error={phone.error} />;
  // The sandbox forgets old messages.
  if (phone.isSuccess && received === undefined && (message.status === "delivered" || message.status === "read")) return null;
  return (
    <PhonePreview title={t("On the phone")}>{received === undefined ? t("On its way…") : <MessageBubble {...received} />}</PhonePreview>
  );
}

/** Viewers see no wamid; they get the newest message of the template. */
const find = (messages: Received[] | undefined, { waMessageId, template }: Sent): Received | undefined =>
  messages?.find((message) => (waMessageId === null ? message.template === template : message.id === waMessageId));

type Event = Omit<
  Outputs["events"]["list"]["items"][number],
  "orderNumber" | "recipient" | "recipients" | "isToCustomer" | "customer" | "statuses"
>;

/** Follows the account's events. `last`: the newest loaded one. */
function useArrivals(last: Event | undefined, siteId: string) {
  const [seen, setSeen] = useState<Event>();
  const [openedAt] = useState(Date.now);
  const { status } = trpc.events.tail.useSubscription(
    { siteId },
    {
      onData: ({ events }) => {
        // Test events do not count. An event is repeated once it is answered. Ids grow with time.
        const newest = events
          .filter(({ test }) => !test)
          .toSorted((a, b) => (a.id < b.id ? -1 : 1))
          .at(-1);
        if (newest === undefined) return;
        // What came before is told by the lists, which prefer an event that has sent something.
        if (Date.parse(newest.receivedAt) >= openedAt)
          setSeen((before) => (before === undefined || newest.id >= before.id ? newest : before));
        void cache.events.list.invalidate();
        void cache.events.get.invalidate({ id: newest.id });
        void cache.notifications.list.invalidate();
      },
    },
  );
  return { latest: seen ?? last, isListening: status === "pending" };
}
