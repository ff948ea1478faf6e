import { Card, Text, Timeline, Group } from "@mantine/core";
import IconBolt from "@tabler/icons-react/dist/esm/icons/IconBolt.mjs";
import IconMessage from "@tabler/icons-react/dist/esm/icons/IconMessage.mjs";
import { useParams } from "@tanstack/react-router";
import { isDropped, statusRank } from "shared/core/message";
import { sentenceCase } from "shared/core/text";
import { t, translated } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { trpc, type Outputs } from "../../trpc.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { Due, Fact, Facts, Moment, LabelBadge, toneColor, TimeFact } from "../../ui/base/facts.tsx";
import { toldExplanation, tableOf } from "../../ui/base/labels.ts";
import { ObjectPage } from "../../ui/base/object-page.tsx";
import { Dimmed, Section, rich } from "../../ui/base/page.tsx";
import { DenseTimeline, type MessageStep, statusLabel, statusOfStep, stepFacts, stepLabel } from "../../ui/list/dense-timeline.tsx";
import { tellState } from "../../ui/list/state-line.ts";
import { CustomerLink } from "../../ui/message/customer-link.tsx";
import { SiteFact } from "../../ui/operation/link-fact.tsx";
import labels from "./labels.json";

const lookEveryMs = 3000;
const back = { to: paths.log, label: t("Messages") };

export function OrderPage() {
  const { orderId } = useParams({ from: `/signed-in${paths.order}` });
  const timeline = trpc.orders.timeline.useQuery(
    { id: orderId },
    { refetchInterval: ({ state }) => state.data !== undefined && lookEveryMs },
  );
  return (
    <ObjectPage
      {...{ query: timeline, back }}
      {...{ kind: t("Order"), what: t("the order"), missing: t("No order has this ID") }}
      why={rich(
        t("Orders are kept as long as the events that name them. Search <0>Messages</0> for the customer's phone number."),
        <TextLink to={paths.log} />,
      )}
      head={({ order, ...all }) => ({
        title: t("Order {value}", { value: order.number ?? order.externalId ?? "" }),
        lead: tellMessages(all),
      })}
    >
      {({ order, entries, truncated }) => (
        <>
          <OrderFacts order={order} />
          <Section title={t("What happened")}>
            {truncated && <Text>{t("Older events are not shown.")}</Text>}
            <MessageTimeline entries={entries} />
          </Section>
        </>
      )}
    </ObjectPage>
  );
}

/** The order as the last event describes it. */
function OrderFacts({ order }: { order: Outputs["orders"]["timeline"]["order"] }) {
  const { siteId, externalId, number, status, total, currency } = order;
  return (
    <Card>
      <Facts>
        <SiteFact siteId={siteId} />
        <Fact name={t("ID at the site")}>{number !== null && externalId !== number && externalId}</Fact>
        <Fact name={t("Status")}>{status && sentenceCase(status)}</Fact>
        <Fact name={t("Total")}>{total !== null && `${currency ?? ""} ${total}`}</Fact>
        <TimeFact name={t("First seen")} at={order.createdAt} />
        <TimeFact name={t("Last changed")} at={order.updatedAt} />
      </Facts>
    </Card>
  );
}

type Entries = Outputs["orders"]["timeline"]["entries"];

/** How many messages there are of it, each as its newest attempt, and how many of them failed; of a list that is cut off, at least so many. */
function tellMessages({ entries, truncated: more }: { entries: Entries; truncated: boolean }) {
  const all = new Map(entries.flatMap((entry) => (entry.kind === "event" ? [] : [[entry.message.id, entry.message]])));
  const firstOf = (id: string): string => {
    const former = all.get(id)?.resendOf ?? null;
    return former === null ? id : firstOf(former);
  };
  // Ids are ordered by time; an attempt that was cancelled replaces nothing.
  const attempts = [...all.values()].toSorted((one, other) => one.id.localeCompare(other.id));
  const newest = new Map(
    attempts.filter((one) => one.resendOf === null || !isDropped(one.status)).map((one) => [firstOf(one.id), one.status]),
  );
  const failed = [...newest.values()].filter((status) => status === "failed").length;
  return tellState("timeline", { messages: { total: newest.size, more }, failed: newest.size > 0 && { total: failed, more } });
}

/** Events and the steps of messages, by time. `isOfPerson`: all are of one person, who is not named again. */
export const MessageTimeline = ({ entries, isOfPerson = false }: { entries: Entries; isOfPerson?: boolean }) => (
  <DenseTimeline active={entries.length} bulletSize={24}>
    {inOrder(entries).map((entry) =>
      entry.kind === "event" ? (
        <Timeline.Item key={entry.event.id} color="gray.7" bullet={<IconBolt size={14} aria-hidden />}>
          <EventEntry {...entry} />
        </Timeline.Item>
      ) : (
        <Timeline.Item
          key={entry.message.id + entry.what}
          color={toneColor(stepFacts(entry.what).tone)}
          bullet={<IconMessage size={14} aria-hidden />}
        >
          <MessageEntry {...entry} isOfPerson={isOfPerson} />
        </Timeline.Item>
      ),
    )}
  </DenseTimeline>
);

type EntryOf<Kind> = Extract<Entries[number], { kind: Kind }>;

const EventEntry = ({ at, event: { id, name, test, dryRun, chat } }: EntryOf<"event">) => (
  <>
    <Group gap="0 8px">
      <Text fw={600}>{rich(t("<0>{name}</0> received", { name }), <TextLink {...pages.event(id)} />)}</Text>
      {dryRun && <LabelBadge>{t("dry run")}</LabelBadge>}
      {test && <LabelBadge>{t("test")}</LabelBadge>}
      <Dimmed>
        <Moment at={at} />
      </Dimmed>
    </Group>
    <Dimmed>{describeOutcome(chat, dryRun)}</Dimmed>
  </>
);

function describeOutcome(outcome: string | null, dryRun: boolean): string {
  if (dryRun) return t("Dry run: nothing is sent.");
  if (outcome === null) return t("In progress.");
  return outcomeLabels[outcome] ?? outcome;
}

/** Outcomes are called `chat` in the gateway's answer. */
const outcomeLabels: Record<string, string> = tableOf(labels);

type TimelineEntry = { at: string; what: "received" | MessageStep };

const rankOf = ({ what }: TimelineEntry): number => (what === "received" ? -1 : statusRank(statusOfStep(what)));

/** The entries by time. The platform reports whole seconds, so within one second the natural order decides. */
export const inOrder = <E extends TimelineEntry>(entries: readonly E[]): E[] =>
  entries.toSorted((a, b) => secondOf(a) - secondOf(b) || rankOf(a) - rankOf(b));

const secondOf = ({ at }: TimelineEntry): number => Math.floor(Date.parse(at) / 1000);

/** The heading is what became of it, also where the only step with a time is an earlier one. */
function MessageEntry({ at, what, message, error, isOfPerson }: EntryOf<"message"> & { isOfPerson: boolean }) {
  const { id, template, language, toPhone, status, resendOf, dueAt } = message;
  const made = stepLabel(what, message);
  const value = resendOf !== null && ` ${t("(Resend)")}`;
  return (
    <>
      <Group gap="0 8px">
        <Text fw={600}>{isDropped(status) ? statusLabel(status) : made}</Text>
        <Dimmed>{isDropped(status) ? rich(t("{name}: <0/>", { name: made }), <Moment at={at} />) : <Moment at={at} />}</Dimmed>
      </Group>
      <Text>
        {rich(
          isOfPerson
            ? t("<0>{template} ({language})</0>{value}", { template, language, value })
            : t("<0>{template} ({language})</0> to <1/>{value}", { template, language, value }),
          <TextLink {...pages.message(id)} />,
          <CustomerLink phone={toPhone} />,
        )}
      </Text>
      {what === "made" && status === "scheduled" && <Dimmed>{rich(t("Due: <0/>"), <Due at={dueAt} />)}</Dimmed>}
      {error !== null && (
        <Text c={isDropped(status) ? "dimmed" : "var(--mantine-color-error)"}>
          {isDropped(status)
            ? toldExplanation(error.explanation)
            : `${translated(error.explanation.text)} ${translated(error.explanation.action)}`}
        </Text>
      )}
    </>
  );
}
