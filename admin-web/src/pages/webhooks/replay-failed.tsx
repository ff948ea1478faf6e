import { Button, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type FormEvent, useState } from "react";
import { formatCountOf } from "../../format.ts";
import { trpc } from "../../trpc.ts";
import { Dialog } from "../../ui/dialogs.tsx";
import type { Endpoint } from "../../ui/endpoints.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";

interface ReplayFailedProps {
  /** Those that are on. */
  endpoints: Endpoint[];
  /** The one that is looked at. */
  webhookId: string | undefined;
}

/** Tells an endpoint again what it has failed to take since a time, and says how much that was. */
export function ReplayFailedButton(props: ReplayFailedProps) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [count, setCount] = useState<number | null>(null);
  return (
    <Stack gap={0}>
      <Button variant="default" onClick={open}>
        Replay failed…
      </Button>
      <Text size="sm" role="status">
        {count !== null && `${formatCountOf(count, "delivery", "deliveries")} replayed.`}
      </Text>
      <Dialog title="Replay all that failed" opened={isOpen} onClose={close}>
        <ReplayFailedForm {...props} onClose={close} onDone={setCount} />
      </Dialog>
    </Stack>
  );
}

interface ReplayFailedFormProps extends ReplayFailedProps {
  onClose: () => void;
  onDone: (count: number) => void;
}

function ReplayFailedForm({ endpoints, webhookId, onClose, onDone }: ReplayFailedFormProps) {
  const [chosen, choose] = useState(endpoints.find(({ id }) => id === webhookId)?.id ?? endpoints[0]?.id ?? "");
  const [since, setSince] = useState(() => localTime(Date.now() - dayMs));
  const cache = trpc.useUtils();
  const replay = trpc.webhookDeliveries.replayFailed.useMutation({
    onSuccess: async ({ count }) => {
      onDone(count);
      onClose();
      await cache.webhookDeliveries.invalidate();
    },
  });
  const at = new Date(since);
  const isTime = !Number.isNaN(at.getTime());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isTime) replay.mutate({ webhookId: chosen, since: at.toISOString() });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <NativeSelect
          label="Endpoint"
          data={endpoints.map(({ id, url }) => ({ value: id, label: url }))}
          value={chosen}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
          data-autofocus
        />
        <TextInput
          label="Since"
          description="In your time zone"
          type="datetime-local"
          error={!isTime && "Enter a date and a time"}
          value={since}
          onChange={({ currentTarget }) => setSince(currentTarget.value)}
        />
        <Text size="sm">
          What was given up since then is due again now, the oldest first, at most 10,000 at a time. Each keeps its webhook-id, by which the
          endpoint recognises what it has taken already.
        </Text>
        {replay.error !== null && <FailureNotice title="Nothing was replayed" error={replay.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={replay.isPending}>
            Replay all that failed
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const dayMs = 86_400_000;

/** As an input takes it: YYYY-MM-DDTHH:MM in the reader's zone. */
function localTime(at: number): string {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
