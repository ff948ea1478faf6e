import { Card, Group, Text, Title } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { isE164 } from "shared/core/phone";
import { formatCount } from "../../format.ts";
import { t } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { RoleOnly } from "../../role-page.tsx";
import { type Outputs, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { Fact, Facts, Moment, LabelBadge, TimeFact } from "../../ui/base/facts.tsx";
import { optOutScopeLabels, optOutSourceLabels } from "../../ui/base/labels.ts";
import { PageTabs } from "../../ui/base/page-tabs.tsx";
import { Page, rich, Loaded, Section, EmptyState } from "../../ui/base/page.tsx";
import { useCount } from "../../ui/list/count.ts";
import { tellState } from "../../ui/list/state-line.ts";
import { CopyFact } from "../../ui/operation/link-fact.tsx";
import { useFirst } from "../../ui/table/data-table.tsx";
import { MessageTimeline } from "../order/order-page.tsx";

const lookEveryMs = 5000;
const back = { to: paths.log, label: t("Messages") };

/** Everything about one phone. */
export function CustomerPage() {
  const { phone } = useParams({ from: `/signed-in${paths.customer}` });
  return (
    <RoleOnly needed="operator">
      {isE164(phone) ? (
        <Customer key={phone} phone={phone} />
      ) : (
        <Page title={t("Customer not found")} lead={t("A customer's page is named by a phone number with its country code.")} back={back} />
      )}
    </RoleOnly>
  );
}

type Timeline = Outputs["customers"]["timeline"];

const tabs = [{ name: "overview", label: t("Overview") }] as const;
const lists = [
  { to: paths.log, label: t("Messages") },
  { to: paths.events, label: t("Events") },
];

function Customer({ phone }: { phone: string }) {
  const timeline = trpc.customers.timeline.useQuery({ phone }, { refetchInterval: ({ state }) => state.data !== undefined && lookEveryMs });
  const messages = useCount("notifications.count", { phone }).data;
  const failed = useCount("notifications.count", { phone, status: "failed" }).data;
  return (
    <Page
      title={timeline.data?.name ?? t("Customer {phone}", { phone })}
      lead={messages === undefined ? "" : tellState("timeline", { messages, failed: messages.total > 0 && failed })}
      back={back}
    >
      <PageTabs tabs={tabs} open="overview" lists={lists} search={{ phone }} />
      <Loaded query={timeline} what={t("the customer")}>
        {(data) => <Known phone={phone} timeline={data} />}
      </Loaded>
    </Page>
  );
}

function Known({ phone, timeline: { optOuts, entries, truncated, isSearched } }: { phone: string; timeline: Timeline }) {
  const [first, last] = [entries[0], entries.at(-1)];
  return (
    <>
      <Card>
        <Facts>
          <CopyFact name={t("Phone")} text={phone} what={t("phone number")}>
            {phone}
          </CopyFact>
          <Fact name={t("Opted out")}>
            <OptedOut optOuts={optOuts} />
          </Fact>
          <TimeFact name={t("First seen")} at={truncated ? null : first?.at} />
          <TimeFact name={t("Last seen")} at={last?.at} />
        </Facts>
      </Card>
      {!isSearched && <Text>{t("This account encrypts its payloads: only events that led to a message are listed.")}</Text>}
      {entries.length > 0 ? (
        <Orders entries={entries} truncated={truncated} />
      ) : (
        <EmptyState title={t("Nothing is stored of this phone number")}>
          {rich(
            t("Events and messages are kept for a limited time. <0>Events</0> lists what your sites send."),
            <TextLink to={paths.events} />,
          )}
        </EmptyState>
      )}
    </>
  );
}

const fewOrders = 10;

/** What happened, order by order, the newest first. */
function Orders({ entries, truncated }: Pick<Timeline, "entries" | "truncated">) {
  const orders = byOrder(entries);
  const { shown, button } = useFirst(orders, fewOrders, "orders", t("Show all {count}", { count: formatCount(orders.length) }));
  return (
    <Section title={t("What happened")}>
      {shown.map(([key, own]) => (
        <Order key={key} entries={own} />
      ))}
      {button}
      {truncated && <Text>{t("Older events are not shown.")}</Text>}
    </Section>
  );
}

type Entries = Timeline["entries"];

/** The entries of each order, or of an event without one. What was received last comes first: its id has the millisecond, and the platform's times only the second. */
function byOrder(entries: Entries): [key: string, Entries][] {
  const orders = new Map(entries.flatMap((entry) => (entry.kind === "event" ? [[entry.event.id, entry.event.orderId]] : [])));
  const found = new Map<string, Entries>();
  for (const entry of entries.toSorted((a, b) => eventIdOf(a).localeCompare(eventIdOf(b)))) {
    const key = orders.get(eventIdOf(entry)) ?? eventIdOf(entry);
    const own = found.get(key) ?? [];
    // What has news moves to the end.
    found.delete(key);
    found.set(key, [...own, entry]);
  }
  return [...found].toReversed();
}

const eventIdOf = (entry: Entries[number]): string => (entry.kind === "event" ? entry.event.id : entry.message.eventId);

function Order({ entries }: { entries: Entries }) {
  const [event] = entries.flatMap((entry) => (entry.kind === "event" ? [entry.event] : []));
  const { orderId = null, orderNumber: value = null } = event ?? {};
  return (
    <Card>
      {orderId !== null && value !== null && (
        <Title order={3} size="sm" mb="sm">
          <TextLink {...pages.order(orderId)}>{t("Order {value}", { value })}</TextLink>
        </Title>
      )}
      <MessageTimeline entries={entries} isOfPerson />
    </Card>
  );
}

function OptedOut({ optOuts }: { optOuts: Timeline["optOuts"] }) {
  if (optOuts.length === 0) return t("No");
  return optOuts.map(({ id, scope, source, since }) => (
    <Group key={id} gap="xs">
      <LabelBadge>{optOutScopeLabels[scope]}</LabelBadge>
      <span>{rich(t("{words}, <0/>", { words: optOutSourceLabels[source] }), <Moment at={since} />)}</span>
      <TextLink to={paths.privacy}>{t("Opt-outs")}</TextLink>
    </Group>
  ));
}
