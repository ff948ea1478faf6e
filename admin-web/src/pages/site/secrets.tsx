import { Button, Code, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useMay } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Dialog, SecretOnce } from "../../ui/dialogs.tsx";
import { Moment } from "../../ui/facts.tsx";
import { UnsavedGuard } from "../../ui/inputs.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";
import { LabelBadge } from "../../ui/status-badge.tsx";
import type { SiteSecret } from "./use-site.ts";

const columns: Column<SiteSecret>[] = [
  { name: "Name", kind: "title", cell: (secret) => <SecretName {...secret} /> },
  { name: "State", kind: "short", cell: ({ expiresAt }) => <SecretState expiresAt={expiresAt} /> },
  { name: "Made", kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: "Last used", kind: "short", cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : <Moment at={lastUsedAt} />) },
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

/** Each key and secret that counts, the current ones and those that were replaced and still run out. */
export function SecretsSection({ siteId, secrets }: { siteId: string; secrets: SiteSecret[] }) {
  const mayRotate = useMay("operator");
  const [rotating, setRotating] = useState<SiteSecret["kind"] | null>(null);
  return (
    <Section
      title="Key and secret"
      lead="The backend sends the API key with each event and signs the event with the webhook secret. Neither can be shown again: who has lost one rotates it."
    >
      <DataTable
        label="Key and secret"
        columns={mayRotate ? [...columns, actions(setRotating)] : columns}
        rows={secrets}
        rowKey={({ id }) => id}
      />
      {/* Not in the rows: that of the old one may be gone while the new one is shown. */}
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
      ends <Moment at={expiresAt} />
    </span>
  );
}

interface RotateDialogProps {
  siteId: string;
  kind: SiteSecret["kind"];
  opened: boolean;
  onClose: () => void;
}

/** Asks how, then shows the new one this once. */
function RotateDialog({ siteId, kind, opened, onClose }: RotateDialogProps) {
  const [secret, setSecret] = useState<string | null>(null);
  const name = secretNames[kind];
  const close = () => {
    onClose();
    setSecret(null);
  };
  return (
    // Left before the answer came, it opens again: the new one is shown nowhere else.
    <Dialog
      title={secret === null ? `Rotate the ${name}?` : `The new ${name}`}
      opened={opened || secret !== null}
      onClose={close}
      insists={secret !== null}
    >
      {secret === null ? (
        <RotateForm siteId={siteId} kind={kind} onRotated={setSecret} onCancel={close} />
      ) : (
        <SecretOnce label={name} secret={secret} onSaved={close}>
          <UnsavedGuard isUnsaved={() => true} loss={`The new ${name} is not saved, and will not be shown again.`} />
          Give it to the backend in place of the old one.
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

/** Says what comes of it before it is done, by how long the old one still counts. */
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
          label="The old one"
          data={overlaps}
          value={overlap}
          onChange={(event) => setOverlap(event.currentTarget.value)}
          data-autofocus
        />
        <Text size="sm" aria-live="polite">
          {isAtOnce
            ? `From now on every event with the old ${secretNames[kind]} is refused with 401, until the backend has the new one. That holds for older ones that still count, too. Choose this when somebody may have seen it.`
            : "Until then both count, so that no event is lost while the backend gets the new one. Choose this when nobody has seen the old one."}
        </Text>
        {rotate.error !== null && <FailureNotice title="Nothing was rotated" error={rotate.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={rotate.isPending} {...(isAtOnce && { color: "red.9" })}>
            {isAtOnce ? "Rotate at once" : "Rotate"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const secretKinds: SiteSecret["kind"][] = ["api_key", "webhook_secret"];

const secretNames: Record<SiteSecret["kind"], string> = { api_key: "API key", webhook_secret: "Webhook secret" };

const hour = 3600;

/** For how long the one that is replaced may still count, in seconds. */
const overlaps = [
  { value: "0", label: "It ends at once" },
  { value: String(hour), label: "It counts for an hour more" },
  { value: String(8 * hour), label: "It counts for 8 hours more" },
  { value: String(24 * hour), label: "It counts for 24 hours more" },
];
