import { Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { trpc } from "../../trpc.ts";
import { Dialog, SecretOnce } from "../../ui/dialogs.tsx";
import { UnsavedGuard } from "../../ui/input-form.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import type { SiteSecret } from "./use-site.ts";

/** What the service makes, so that it can be rotated here. */
export type RotatedKind = Exclude<SiteSecret["kind"], "source_secret">;

interface RotateDialogProps {
  siteId: string;
  kind: RotatedKind;
  opened: boolean;
  onClose: () => void;
}

/** Asks when the old one ends, then shows the new one, once. */
export function RotateDialog({ siteId, kind, opened, onClose }: RotateDialogProps) {
  const [secret, setSecret] = useState<string | null>(null);
  const { name, place } = rotatedWords[kind];
  const close = () => {
    onClose();
    setSecret(null);
  };
  return (
    // Closed before the answer, it opens again: the new one is shown nowhere else.
    <Dialog
      title={secret === null ? `Rotate the ${name}?` : `New ${name}`}
      opened={opened || secret !== null}
      onClose={close}
      insists={secret !== null}
    >
      {secret === null ? (
        <RotateForm siteId={siteId} kind={kind} onRotated={setSecret} onCancel={close} />
      ) : (
        <SecretOnce label={name} secret={secret} onSaved={close}>
          <UnsavedGuard isUnsaved={() => true} loss={`You have not saved the new ${name}. It is not shown again.`} />
          Replace the old one {place} with it.
        </SecretOnce>
      )}
    </Dialog>
  );
}

interface RotateFormProps {
  siteId: string;
  kind: RotatedKind;
  onRotated: (secret: string) => void;
  onCancel: () => void;
}

/** Explains the effect of each choice. */
function RotateForm({ siteId, kind, onRotated, onCancel }: RotateFormProps) {
  const { atOnce, later, suggested } = rotatedWords[kind];
  const [overlap, setOverlap] = useState(suggested);
  const rotate = useRotation(siteId, kind, onRotated);
  const isAtOnce = overlap === "0";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rotate.run(Number(overlap));
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <NativeSelect
          label="When the old one stops working"
          data={overlaps}
          value={overlap}
          onChange={(event) => setOverlap(event.currentTarget.value)}
          data-autofocus
        />
        <Text size="sm" aria-live="polite">
          {isAtOnce ? atOnce : later}
        </Text>
        {rotate.error !== null && <FailureNotice title="Rotation failed" error={rotate.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={rotate.isPending} {...(isAtOnce && { color: "red.9" })}>
            {isAtOnce ? "Rotate now" : "Rotate"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useRotation(siteId: string, kind: RotatedKind, onRotated: (secret: string) => void) {
  const cache = trpc.useUtils();
  const onSettled = () => cache.sites.get.invalidate({ id: siteId });
  const key = trpc.sites.rotateApiKey.useMutation({ onSuccess: ({ apiKey }) => onRotated(apiKey), onSettled });
  const webhook = trpc.sites.rotateWebhookSecret.useMutation({ onSuccess: ({ webhookSecret }) => onRotated(webhookSecret), onSettled });
  const outbound = trpc.webhooks.rotateSecret.useMutation({ onSuccess: ({ secret }) => onRotated(secret), onSettled });
  const { isPending, error } = { api_key: key, webhook_secret: webhook, outbound_secret: outbound }[kind];
  const run = (overlapSeconds: number): void => {
    if (kind === "api_key") key.mutate({ id: siteId, overlapSeconds });
    else if (kind === "webhook_secret") webhook.mutate({ id: siteId, overlapSeconds });
    else outbound.mutate({ siteId, overlapSeconds });
  };
  return { run, isPending, error };
}

const hour = 3600;

/** For how many seconds the old one keeps working. */
const overlaps = [
  { value: "0", label: "Immediately" },
  { value: String(hour), label: "In 1 hour" },
  { value: String(8 * hour), label: "In 8 hours" },
  { value: String(24 * hour), label: "In 24 hours" },
];

interface RotatedWords {
  name: string;
  /** Where the old one is replaced. */
  place: string;
  /** What each choice comes to. */
  atOnce: string;
  later: string;
  /** The choice that the form begins with. */
  suggested: string;
}

const ofSender = (name: string): RotatedWords => ({
  name,
  place: "in the backend",
  atOnce: `Events with the old ${name}, or with an earlier one, are refused with 401 until the backend has the new one. Choose this if somebody may have seen it.`,
  later: "Both work until then, so no event is lost while you update the backend. Choose this if nobody else has seen the old one.",
  suggested: "0",
});

export const rotatedWords: Record<RotatedKind, RotatedWords> = {
  api_key: ofSender("API key"),
  webhook_secret: ofSender("Webhook secret"),
  outbound_secret: {
    name: "Secret of the endpoints",
    place: "at each endpoint",
    atOnce:
      "Requests are signed with the new one alone: an endpoint that still has the old one refuses them, and gets them again later. Choose this if somebody may have seen it.",
    later:
      "Until then webhook-signature has a signature of each, so an endpoint that checks it by either goes on. X-Service-Signature is of the new one at once.",
    suggested: String(24 * hour),
  },
};
