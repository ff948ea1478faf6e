import { Code, Group } from "@mantine/core";
import { paths } from "../../../paths.ts";
import { useSiteName } from "../../../pickers/use-site-name.ts";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { Fact, Facts } from "../../../ui/facts.tsx";
import { Moment } from "../../../ui/moment.tsx";
import { TextLink } from "../../../ui/text-link.tsx";
import { changeEventsSearch } from "../events-search.ts";
import { OrderLink } from "../list/event-table.tsx";
import type { EventDetails } from "./event-details.ts";

export function EventFacts({ event }: { event: EventDetails }) {
  const { id, siteId, source, receivedAt, orderId, idempotencyKey } = event;
  const siteName = useSiteName();
  return (
    <Facts>
      <Fact name="Received">
        <Moment at={receivedAt} seconds />
      </Fact>
      <Fact name="Site">
        <TextLink to={paths.site} params={{ siteId }}>
          {siteName(siteId)}
        </TextLink>
      </Fact>
      <Fact name="Source">{source}</Fact>
      <Fact name="Order">{orderId !== null && <Order orderId={orderId} />}</Fact>
      <Fact name="Idempotency key">{idempotencyKey}</Fact>
      <Fact name="Event id">
        <Group gap="xs">
          <Code>{id}</Code>
          <CopyButton text={id} what="the event's id" size="compact-xs" />
        </Group>
      </Fact>
    </Facts>
  );
}

function Order({ orderId }: { orderId: string }) {
  return (
    <>
      <OrderLink orderId={orderId} />,{" "}
      <TextLink to={paths.events} search={changeEventsSearch({ open: null, orderId })}>
        its other events
      </TextLink>
    </>
  );
}
