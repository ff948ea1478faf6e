import { Button, Code } from "@mantine/core";
import { useState } from "react";
import { useMay } from "../../../session/me.ts";
import { type Column, DataTable } from "../../../ui/data-table.tsx";
import { LabelBadge } from "../../../ui/label-badge.tsx";
import { Moment } from "../../../ui/moment.tsx";
import { Section } from "../../../ui/page/section.tsx";
import type { SiteSecret } from "../site.ts";
import { RotateDialog } from "./rotate-dialog.tsx";
import { secretKinds, secretNames } from "./secret-words.ts";

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
