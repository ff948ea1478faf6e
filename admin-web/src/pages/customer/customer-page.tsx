import { Card, Group, Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { isE164 } from "shared/core/phone";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { RoleOnly } from "../../session.tsx";
import { type Outputs, trpc } from "../../trpc.ts";
import { ButtonLink, CopyButton, TextLink } from "../../ui/buttons.tsx";
import { EmptyState } from "../../ui/data-table.tsx";
import { Fact, Facts, Moment, LabelBadge, TimeFact } from "../../ui/facts.tsx";
import { optOutScopeLabels, optOutSourceLabels } from "../../ui/labels.ts";
import { Page, rich, Loaded } from "../../ui/page.tsx";
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
        <MessageTimeline entries={entries} truncated={truncated} isOfOrders />
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
