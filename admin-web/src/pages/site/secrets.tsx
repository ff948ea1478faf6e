import { Button, Code } from "@mantine/core";
import { useState } from "react";
import { useMay } from "../../session.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Moment } from "../../ui/facts.tsx";
import { Section } from "../../ui/page.tsx";
import { LabelBadge } from "../../ui/status-badge.tsx";
import { RotateDialog, type RotatedKind, rotatedWords } from "./rotate.tsx";
import type { SiteSecret } from "./use-site.ts";

type RotatedSecret = SiteSecret & { kind: RotatedKind };

const columns: Column<RotatedSecret>[] = [
  { name: "Name", kind: "title", cell: (secret) => <SecretName {...secret} /> },
  { name: "State", kind: "short", cell: ({ expiresAt }) => <SecretState expiresAt={expiresAt} /> },
  { name: "Created", kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
];

const lastUsed: Column<RotatedSecret> = {
  name: "Last used",
  kind: "short",
  cell: ({ lastUsedAt }) => (lastUsedAt === null ? "Never" : <Moment at={lastUsedAt} />),
};

const actions = (rotate: (kind: RotatedKind) => void): Column<RotatedSecret> => ({
  name: "Actions",
  kind: "buttons",
  cell: ({ kind, expiresAt }) =>
    expiresAt === null && (
      <Button variant="default" size="compact-sm" onClick={() => rotate(kind)} aria-label={`Rotate the ${rotatedWords[kind].name}`}>
        Rotate
      </Button>
    ),
});

interface SecretsProps {
  siteId: string;
  secrets: SiteSecret[];
}

export const SecretsSection = (props: SecretsProps) => (
  <Section
    title="Key and secret"
    lead="The backend sends the API key with each event and signs the event with the webhook secret. Neither is shown again. Lost it? Rotate."
  >
    <SecretsTable label="Key and secret" kinds={senderKinds} {...props} />
  </Section>
);

const senderKinds: RotatedKind[] = ["api_key", "webhook_secret"];

interface SecretsTableProps extends SecretsProps {
  label: string;
  kinds: RotatedKind[];
}

/** All valid ones of these kinds: the current ones, and replaced ones that have not expired. */
export function SecretsTable({ siteId, secrets, label, kinds }: SecretsTableProps) {
  const isShown = (secret: SiteSecret): secret is RotatedSecret => kinds.some((kind) => kind === secret.kind);
  const mayRotate = useMay("operator");
  const [rotating, setRotating] = useState<RotatedKind | null>(null);
  const shown = [...columns, ...(kinds === senderKinds ? [lastUsed] : []), ...(mayRotate ? [actions(setRotating)] : [])];
  return (
    <>
      <DataTable label={label} columns={shown} rows={secrets.filter(isShown)} rowKey={({ id }) => id} />
      {/* Outside the rows, since the old row may disappear while the new secret is shown. */}
      {kinds.map((kind) => (
        <RotateDialog key={kind} siteId={siteId} kind={kind} opened={rotating === kind} onClose={() => setRotating(null)} />
      ))}
    </>
  );
}

function SecretName({ kind, hint }: RotatedSecret) {
  return (
    <>
      {rotatedWords[kind].name} <Code>{hint}</Code>
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
