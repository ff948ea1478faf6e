import { Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { type WebhookType, webhookTypes } from "shared/core/webhook";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { DeliveryBadge, DeliveryOutcome, type Endpoint, webhookTypeLabels } from "../../ui/endpoints.tsx";
import { movingPollMs } from "../../ui/live-list.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";

const typeChoices = webhookTypes.map((value) => ({ value, label: `${value}: ${webhookTypeLabels[value]}` }));

/** Posts an example to an endpoint and shows what comes of it. */
export function EndpointTest({ endpoint: { id, url, types }, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const [type, setType] = useState<WebhookType>(types[0] ?? "message.sent");
  const cache = trpc.useUtils();
  const test = trpc.webhooks.test.useMutation({ onSuccess: () => cache.webhookDeliveries.list.invalidate() });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    test.mutate({ id, type });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {url} gets an example, signed as any other request: of no real event or message, and of a phone that nobody has.
        </Text>
        <NativeSelect
          label="Type"
          data={typeChoices}
          value={type}
          onChange={(event) => setType(event.currentTarget.value as WebhookType)}
          data-autofocus
        />
        {test.error !== null && <FailureNotice title="The test event was not sent" error={test.error} />}
        {test.data !== undefined && <Outcome key={test.data.delivery.id} id={test.data.delivery.id} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button type="submit" loading={test.isPending}>
            {test.data === undefined ? "Send test event" : "Send again"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Follows a delivery until it has arrived or is given up. */
function Outcome({ id }: { id: string }) {
  const query = trpc.webhookDeliveries.get.useQuery(
    { id },
    { refetchInterval: ({ state }) => state.data?.delivery.status === "pending" && movingPollMs },
  );
  const delivery = query.data?.delivery;
  return (
    <Stack gap={4} role="status">
      {query.error !== null && <Text size="sm">{query.error.message}</Text>}
      {delivery !== undefined && (
        <>
          <Group gap="xs">
            <DeliveryBadge {...delivery} />
            <TextLink to={paths.webhooks} search={{ webhookId: delivery.webhookId, open: id }} size="sm">
              Details
            </TextLink>
          </Group>
          <Text size="sm">
            <DeliveryOutcome delivery={delivery} />
          </Text>
        </>
      )}
    </Stack>
  );
}
