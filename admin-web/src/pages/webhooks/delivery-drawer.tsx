import { Stack, Text } from "@mantine/core";
import { t } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { cache, type Outputs, trpc } from "../../trpc.ts";
import { SecondaryButton, TextLink } from "../../ui/base/buttons.tsx";
import { CodeBlock, prettyJson } from "../../ui/base/code-sample.tsx";
import { Facts, Moment, TimeFact } from "../../ui/base/facts.tsx";
import { Dimmed, Section, FailureNotice, Loaded, rich, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { DrawerHead } from "../../ui/list/detail-drawer.tsx";
import { movingPollMs } from "../../ui/list/live-list.tsx";
import { CopyFact, LinkFact, SiteFact } from "../../ui/operation/link-fact.tsx";
import { DeliveryBadge, DeliveryOutcome, describeAnswer, type Endpoint, formatMs, webhookTypeLabels } from "../../ui/site/endpoints.tsx";
import { type Column, DataTable } from "../../ui/table/data-table.tsx";

type DeliveryDetails = Outputs["webhookDeliveries"]["get"]["delivery"];

/** One delivery beside the list. */
export function DeliveryDetail({ id, endpoints }: { id: string; endpoints: Endpoint[] }) {
  const mayReplay = useMay("operator");
  const query = trpc.webhookDeliveries.get.useQuery(
    { id },
    { refetchInterval: ({ state }) => state.data?.delivery.status === "pending" && movingPollMs },
  );
  return (
    <Loaded query={query} what={t("the delivery")} missing={<NoSuchDelivery />}>
      {({ delivery }) => {
        const endpoint = endpoints.find((one) => one.id === delivery.webhookId);
        return (
          <Stack gap="lg">
            <Head delivery={delivery} />
            {mayReplay && <Replay delivery={delivery} isOff={endpoint?.enabled === false} />}
            <DeliveryFacts delivery={delivery} endpoint={endpoint} />
            <Attempts delivery={delivery} />
            <Answer answer={delivery.answer} />
            {mayReplay && <Body body={delivery.body} />}
          </Stack>
        );
      }}
    </Loaded>
  );
}

function Head({ delivery }: { delivery: DeliveryDetails }) {
  const { type, eventId, createdAt } = delivery;
  const event = trpc.events.get.useQuery({ id: eventId ?? "" }, { enabled: eventId !== null, staleTime: 5000 }).data?.event;
  return (
    <DrawerHead name={type} order={event?.orderNumber} state={<DeliveryBadge {...delivery} />} at={createdAt}>
      <Dimmed>{webhookTypeLabels[type]}.</Dimmed>
      <Text>
        <DeliveryOutcome delivery={delivery} />
      </Text>
    </DrawerHead>
  );
}

const NoSuchDelivery = () => (
  <EmptyState title={t("Delivery not found")}>{t("Deliveries are kept for 30 days, and are deleted with their endpoint.")}</EmptyState>
);

/** Replays a delivery, unless it is under way or its endpoint is off. */
function Replay({ delivery: { id, webhookId, status, attempts, body }, isOff }: { delivery: DeliveryDetails; isOff: boolean }) {
  const replay = trpc.webhookDeliveries.replay.useMutation({ onSettled: () => cache.webhookDeliveries.invalidate() });
  if (body === null || (status === "pending" && attempts === 0)) return null;
  if (isOff)
    return <Text>{rich(t("The endpoint is off. To retry this, <0>switch it on</0>."), <TextLink {...pages.endpoint(webhookId)} />)}</Text>;
  return (
    <Stack gap="sm" align="flex-start">
      <FailureNotice title={t("Not retried")} of={replay} />
      <SecondaryButton size="xs" loading={replay.isPending} onClick={() => replay.mutate({ id })}>
        {status === "pending" ? t("Try now") : t("Retry")}
      </SecondaryButton>
    </Stack>
  );
}

function DeliveryFacts({ delivery, endpoint }: { delivery: DeliveryDetails; endpoint: Endpoint | undefined }) {
  const { id, siteId, webhookId, eventId, notificationId, occurredAt } = delivery;
  return (
    <Facts>
      <LinkFact name={t("Endpoint")} {...pages.endpoint(webhookId)}>
        {endpoint?.url}
      </LinkFact>
      <SiteFact siteId={siteId} />
      {notificationId !== null && (
        <LinkFact name={t("Message")} to={paths.log} search={{ open: notificationId }}>
          {t("Open the message")}
        </LinkFact>
      )}
      {eventId !== null && (
        <LinkFact name={t("Event")} to={paths.events} search={{ open: eventId }}>
          {t("Open the event")}
        </LinkFact>
      )}
      <TimeFact name={t("Happened")} at={occurredAt} seconds />
      <CopyFact name="webhook-id" text={id} />
    </Facts>
  );
}

const tryColumns: Column<DeliveryDetails["tries"][number]>[] = [
  { name: t("Time"), kind: "status", cell: ({ at }) => <Moment at={at} seconds /> },
  { name: t("Answer"), cell: ({ statusCode: code, error }) => describeAnswer({ code, error }) },
  { name: t("Took"), kind: "short", cell: ({ ms }) => formatMs(ms) },
];

function Attempts({ delivery: { attempts, tries } }: { delivery: DeliveryDetails }) {
  if (tries.length === 0) return null;
  return (
    <Section
      title={t("Attempts")}
      lead={attempts > tries.length && t("The last {count} of {attempts}.", { count: tries.length, attempts })}
    >
      <DataTable label={t("Attempts")} columns={tryColumns} rows={tries} rowKey={({ at }) => at} />
    </Section>
  );
}

/** Headers and the first 4 KB of the last answer's body. */
function Answer({ answer }: Pick<DeliveryDetails, "answer">) {
  if (answer === null) return null;
  const { head, body, isCut } = answer;
  return (
    <Section title={t("Last answer")} lead={isCut && t("The first 4 KB.")}>
      {head !== "" && <CodeBlock code={head} language="text" label={t("Headers")} />}
      {body === "" ? <Text>{t("The body is empty.")}</Text> : <CodeBlock code={body} language="text" label={t("Answer")} />}
    </Section>
  );
}

/** `body` is null once it is no longer kept. */
const Body = ({ body }: Pick<DeliveryDetails, "body">) => (
  <Section title={t("What is sent")}>
    {body === null ? (
      <Text>{t("This is no longer kept: what people write is deleted once it is delivered, the rest with its message.")}</Text>
    ) : (
      <CodeBlock code={prettyJson(body)} language="json" label={t("Body")} />
    )}
  </Section>
);
