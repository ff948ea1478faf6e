import { Button, Code, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useMay } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Dialog, SecretOnce } from "../../ui/dialogs.tsx";
import { Moment } from "../../ui/facts.tsx";
import { UnsavedGuard } from "../../ui/input-form.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";
import { LabelBadge } from "../../ui/status-badge.tsx";
import type { SiteSecret } from "./use-site.ts";

const columns: Column<SiteSecret>[] = [
  { name: "Name", kind: "title", cell: (secret) => <SecretName {...secret} /> },
  { name: "State", kind: "short", cell: ({ expiresAt }) => <SecretState expiresAt={expiresAt} /> },
  { name: "Created", kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: "Last used", kind: "short", cell: ({ lastUsedAt }) => (lastUsedAt === null ? "Never" : <Moment at={lastUsedAt} />) },
];

const actions = (rotate: (kind: SiteSecret["kind"]) => void): Column<SiteSecret> => ({
  name: "Actions",
  kind: "buttons",
  cell: ({ kind, expiresAt }) =>
    expiresAt === null && (
      <Button variant="default" size="compact-sm" onClick={() => rotate(kind)} aria-label={`Rotate the ${secretNames[kind]}`}>
        Rotate
      </Button>
    ),
});

/** All valid keys and secrets: the current ones, and replaced ones that have not expired. */
export function SecretsSection({ siteId, secrets }: { siteId: string; secrets: SiteSecret[] }) {
  // What a shop system signs with is made there.
  const own = secrets.filter(({ kind }) => kind !== "source_secret");
  const mayRotate = useMay("operator");
  const [rotating, setRotating] = useState<SiteSecret["kind"] | null>(null);
  return (
    <Section
      title="Key and secret"
      lead="The backend sends the API key with each event and signs the event with the webhook secret. Neither is shown again. Lost it? Rotate."
    >
      <DataTable
        label="Key and secret"
        columns={mayRotate ? [...columns, actions(setRotating)] : columns}
        rows={own}
        rowKey={({ id }) => id}
      />
      {/* Outside the rows, since the old row may disappear while the new secret is shown. */}
      {secretKinds.map((kind) => (
        <RotateDialog key={kind} siteId={siteId} kind={kind} opened={rotating === kind} onClose={() => setRotating(null)} />
      ))}
    </Section>
  );
}

function SecretName({ kind, hint }: SiteSecret) {
  return (
    <>
      {secretNames[kind]} <Code>{hint}</Code>
    </>
  );
}

function SecretState({ expiresAt }: Pick<SiteSecret, "expiresAt">) {
  if (expiresAt === null) return <LabelBadge color="teal">current</LabelBadge>;
  return (
    <span>
      Expires <Moment at={expiresAt} />
    </span>
  );
}

interface RotateDialogProps {
  siteId: string;
  kind: SiteSecret["kind"];
  opened: boolean;
  onClose: () => void;
}

/** Asks when the old one ends, then shows the new one, once. */
function RotateDialog({ siteId, kind, opened, onClose }: RotateDialogProps) {
  const [secret, setSecret] = useState<string | null>(null);
  const name = secretNames[kind];
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
          Replace the old one in the backend with it.
        </SecretOnce>
      )}
    </Dialog>
  );
}

interface RotateFormProps {
  siteId: string;
  kind: SiteSecret["kind"];
  onRotated: (secret: string) => void;
  onCancel: () => void;
}

/** Explains the effect of each choice. */
function RotateForm({ siteId, kind, onRotated, onCancel }: RotateFormProps) {
  const [overlap, setOverlap] = useState("0");
  const cache = trpc.useUtils();
  const onSettled = () => cache.sites.get.invalidate({ id: siteId });
  const rotateKey = trpc.sites.rotateApiKey.useMutation({ onSuccess: ({ apiKey }) => onRotated(apiKey), onSettled });
  const rotateSecret = trpc.sites.rotateWebhookSecret.useMutation({
    onSuccess: ({ webhookSecret }) => onRotated(webhookSecret),
    onSettled,
  });
  const rotate = kind === "api_key" ? rotateKey : rotateSecret;
  const isAtOnce = overlap === "0";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rotate.mutate({ id: siteId, overlapSeconds: Number(overlap) });
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
          {isAtOnce
            ? `Events with the old ${secretNames[kind]}, or with an earlier one, are refused with 401 until the backend has the new one. Choose this if somebody may have seen it.`
            : "Both work until then, so no event is lost while you update the backend. Choose this if nobody else has seen the old one."}
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

const secretKinds: SiteSecret["kind"][] = ["api_key", "webhook_secret"];

const secretNames: Record<SiteSecret["kind"], string> = {
  api_key: "API key",
  webhook_secret: "Webhook secret",
  source_secret: "Secret of the shop",
  outbound_secret: "Secret of the endpoints",
};

const hour = 3600;

/** For how many seconds the old one keeps working. */
const overlaps = [
  { value: "0", label: "Immediately" },
  { value: String(hour), label: "In 1 hour" },
  { value: String(8 * hour), label: "In 8 hours" },
  { value: String(24 * hour), label: "In 24 hours" },
];
