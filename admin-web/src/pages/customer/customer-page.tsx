import { Button, Card, Group, Text, Title } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { isE164 } from "shared/core/phone";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { RoleOnly } from "../../session.tsx";
import { type Outputs, trpc } from "../../trpc.ts";
import { ButtonLink, CopyButton, TextLink } from "../../ui/buttons.tsx";
import { EmptyState } from "../../ui/data-table.tsx";
import { Fact, Facts, Moment, LabelBadge, TimeFact } from "../../ui/facts.tsx";
import { optOutScopeLabels, optOutSourceLabels } from "../../ui/labels.ts";
import { Page, rich, Loaded, Section } from "../../ui/page.tsx";
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
        <Page title={t("Customer not found")} back={back}>
          <EmptyState title={t("This is no phone number")}>
            {t("A customer's page is named by a phone number with its country code.")}
          </EmptyState>
        </Page>
      )}
    </RoleOnly>
  );
}

type Timeline = Outputs["customers"]["timeline"];

function Customer({ phone }: { phone: string }) {
  const timeline = trpc.customers.timeline.useQuery({ phone }, { refetchInterval: ({ state }) => state.data !== undefined && lookEveryMs });
  return (
    <Page
      title={timeline.data?.name ?? t("Customer {phone}", { phone })}
      back={back}
      actions={
        <ButtonLink variant="default" to={paths.log} search={{ phone }}>
          {t("Show messages")}
        </ButtonLink>
      }
    >
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
          <Fact name={t("Phone")}>
            <Group gap="xs">
              {phone}
              <CopyButton text={phone} what={t("phone number")} size="compact-xs" />
            </Group>
          </Fact>
          <Fact name={t("Opted out")}>
            <OptedOut optOuts={optOuts} />
          </Fact>
          <TimeFact name={t("First seen")} at={first?.at} seconds />
          <TimeFact name={t("Last seen")} at={last?.at} seconds />
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

/** How many orders are shown at first, and with each look for more. */
const ordersAtOnce = 10;

/** What happened, order by order, the newest first. */
function Orders({ entries, truncated }: Pick<Timeline, "entries" | "truncated">) {
  const [most, setMost] = useState(ordersAtOnce);
  const orders = byOrder(entries);
  const isWhole = orders.length <= most;
  return (
    <Section title={t("What happened")}>
      {orders.slice(0, most).map(({ id, number: value, entries: own }) => (
        <Card key={id}>
          {value !== null && (
            <Title order={3} size="sm" mb="sm">
              <TextLink to={paths.order} params={{ orderId: id }}>
                {t("Order {value}", { value })}
              </TextLink>
            </Title>
          )}
          <MessageTimeline entries={own} isOfPerson />
        </Card>
      ))}
      {!isWhole && (
        <Button variant="default" onClick={() => setMost(most + ordersAtOnce)}>
          {t("Show more")}
        </Button>
      )}
      {isWhole && truncated && <Text>{t("Older events are not shown.")}</Text>}
    </Section>
  );
}

interface OrderEntries {
  /** The order's, or that of an event without one. */
  id: string;
  /** What the order is called; null where there is none. */
  number: string | null;
  entries: Timeline["entries"];
}

/** The entries of each order, and of each event without one. What was received last comes first: the platform's times are whole seconds, and come in any order. */
function byOrder(entries: Timeline["entries"]): OrderEntries[] {
  const events = new Map(entries.flatMap((entry) => (entry.kind === "event" ? [[entry.event.id, entry.event]] : [])));
  const orders = new Map<string, OrderEntries>();
  // By their ids, which carry the time to the millisecond, and differ within one.
  const newestFirst = entries.toSorted((a, b) => eventIdOf(b).localeCompare(eventIdOf(a)));
  for (const entry of newestFirst) {
    const { orderId, orderNumber } = events.get(eventIdOf(entry)) ?? { orderId: null, orderNumber: null };
    const [id, number] = orderId === null || orderNumber === null ? [eventIdOf(entry), null] : [orderId, orderNumber];
    const order = orders.get(id) ?? { id, number, entries: [] };
    order.entries.push(entry);
    orders.set(id, order);
  }
  return [...orders.values()];
}

const eventIdOf = (entry: Timeline["entries"][number]): string => (entry.kind === "event" ? entry.event.id : entry.message.eventId);

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
