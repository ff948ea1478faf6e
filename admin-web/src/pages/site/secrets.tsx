import { Code, NativeSelect, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { sources } from "shared/core/sources/sources";
import { t, translated } from "../../language.ts";
import { cache, settled, trpcClient } from "../../trpc.ts";
import { SmallButton } from "../../ui/base/buttons.tsx";
import { ConfirmForm, Dialog, SecretOnce, type ShownSecret } from "../../ui/base/dialogs.tsx";
import { Moment, Status } from "../../ui/base/facts.tsx";
import { bound } from "../../ui/base/fields.ts";
import { choicesOf, tableOf } from "../../ui/base/labels.ts";
import { rich, Section } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { UnsavedGuard } from "../../ui/form/unsaved-guard.tsx";
import { useMadeSites } from "../../ui/site/made-site.tsx";
import { buttonsOf, type Column, DataTable } from "../../ui/table/data-table.tsx";
import labels from "./secret-labels.json";
import type { Site, SiteSecret } from "./use-site.ts";

type RotatedSecret = SiteSecret & { kind: RotatedKind };

const columns: Column<RotatedSecret>[] = [
  { name: t("Name"), kind: "title", cell: (secret) => <SecretName {...secret} /> },
  { name: t("State"), kind: "short", cell: ({ expiresAt }) => <SecretState expiresAt={expiresAt} /> },
  { name: t("Created"), kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
];

const lastUsed: Column<RotatedSecret> = {
  name: t("Last used"),
  kind: "short",
  cell: ({ lastUsedAt }) => (lastUsedAt === null ? t("Never") : <Moment at={lastUsedAt} />),
};

const rotation = (rotate: (kind: RotatedKind) => void) =>
  function Rotation({ kind, expiresAt }: RotatedSecret) {
    if (expiresAt !== null) return null;
    const name = t("Rotate the {name}", { name: rotatedWords[kind].name });
    return (
      <SmallButton onClick={() => rotate(kind)} aria-label={name}>
        {t("Rotate")}
      </SmallButton>
    );
  };

/** What a backend's events need; of a shop, the secret that it signs with by itself comes first. */
export function SecretsSection({ site: { id: siteId, sourceType }, secrets }: { site: Site; secrets: SiteSecret[] }) {
  const isShop = sourceType !== "generic";
  const lost = useMay("operator") ? t("Lost it? Rotate.") : "";
  const signs = isShop && sources[sourceType].secret === "webhook_secret";
  return (
    <>
      {signs && (
        <Section title={t("Webhook secret")} lead={[t("The shop signs each request with it. It is not shown again."), lost].join(" ")}>
          <SecretsTable label={t("Webhook secret")} kinds={["webhook_secret"]} {...{ siteId, secrets }} />
        </Section>
      )}
      <Section
        title={isShop ? t("Other ways to send") : t("Key and secret")}
        lead={[
          t("The backend sends the API key with each event and signs the event with the webhook secret. Neither is shown again."),
          lost,
        ].join(" ")}
      >
        <SecretsTable label={t("Key and secret")} kinds={signs ? ["api_key"] : ["api_key", "webhook_secret"]} {...{ siteId, secrets }} />
      </Section>
    </>
  );
}

/** All valid secrets of these kinds: the current ones, and replaced ones that have not expired. */
export function SecretsTable({
  siteId,
  secrets,
  label,
  kinds,
}: { siteId: string; secrets: SiteSecret[] } & { label: string; kinds: RotatedKind[] }) {
  const isShown = (secret: SiteSecret): secret is RotatedSecret => kinds.some((kind) => kind === secret.kind);
  const mayRotate = useMay("operator");
  const [rotating, setRotating] = useState<RotatedKind | null>(null);
  const shown = [...columns, ...(kinds.includes("outbound_secret") ? [] : [lastUsed]), ...buttonsOf(mayRotate, rotation(setRotating))];
  return (
    <>
      <DataTable label={label} columns={shown} rows={secrets.filter(isShown)} rowKey={({ id }) => id} />
      {/* The dialog is outside the rows, since the old row may disappear while the new secret is shown. */}
      {kinds.map((kind) => (
        <RotateDialog key={kind} siteId={siteId} kind={kind} opened={rotating === kind} onClose={() => setRotating(null)} />
      ))}
    </>
  );
}

const SecretName = ({ kind, hint }: RotatedSecret) => (
  <>
    {rotatedWords[kind].name} <Code>{hint}</Code>
  </>
);

function SecretState({ expiresAt }: Pick<SiteSecret, "expiresAt">) {
  if (expiresAt === null) return <Status tone="delivered">{t("current")}</Status>;
  return <span>{rich(t("Expires <0/>"), <Moment at={expiresAt} />)}</span>;
}

/** The secrets that the service makes itself: only these can be rotated here. */
type RotatedKind = Exclude<SiteSecret["kind"], "source_secret">;

/** Asks when the old secret ends, then shows the new one, once. */
function RotateDialog({ siteId, kind, opened, onClose }: { siteId: string; kind: RotatedKind; opened: boolean; onClose: () => void }) {
  const [made, setMade] = useState<ShownSecret | null>(null);
  const { name, place } = rotatedWords[kind];
  const close = () => {
    onClose();
    setMade(null);
  };
  return (
    // A dialog that was closed before the answer opens again: the new secret is shown nowhere else.
    <Dialog
      title={made === null ? t("Rotate the {name}?", { name }) : t("New {name}", { name })}
      opened={opened || made !== null}
      onClose={close}
      insists={made !== null}
    >
      {made === null ? (
        <RotateForm siteId={siteId} kind={kind} onRotated={setMade} onCancel={onClose} />
      ) : (
        <SecretOnce label={name} {...made} onSaved={close}>
          <UnsavedGuard isUnsaved={() => true} loss={t("You have not saved the new {name}. It is not shown again.", { name })} />
          {t("Replace the old one {place} with it.", { place })}
        </SecretOnce>
      )}
    </Dialog>
  );
}

type RotateFormProps = { siteId: string; kind: RotatedKind; onRotated: (made: ShownSecret) => void; onCancel: () => void };

/** Replaces the secret; explains the effect of each choice. */
function RotateForm({ siteId, kind, onRotated, onCancel }: RotateFormProps) {
  const { name, later } = rotatedWords[kind];
  const [overlap, setOverlap] = useState("86400");
  const rotate = useRotation(siteId, kind, onRotated);
  const isAtOnce = overlap === "0";
  return (
    <ConfirmForm action={t("Rotate the {name}", { name })} isMild={!isAtOnce} onClose={onCancel} onConfirm={() => rotate(Number(overlap))}>
      <Stack>
        <NativeSelect label={t("When the old one stops working")} data={overlaps} {...bound(overlap, setOverlap)} />
        <Text aria-live="polite">{isAtOnce ? translated(labels.kinds[kind].atOnce, { name }) : later}</Text>
      </Stack>
    </ConfirmForm>
  );
}

function useRotation(siteId: string, kind: RotatedKind, onRotated: (made: ShownSecret) => void) {
  const { forget } = useMadeSites();
  const { sites, webhooks } = trpcClient;
  const ways: Record<RotatedKind, (overlapSeconds: number) => Promise<ShownSecret>> = {
    api_key: async (overlapSeconds) => ({ secret: (await sites.rotateApiKey.mutate({ id: siteId, overlapSeconds })).apiKey }),
    webhook_secret: async (overlapSeconds) => {
      const { webhookSecret: secret, webhookSecretStandard: standard } = await sites.rotateWebhookSecret.mutate({
        id: siteId,
        overlapSeconds,
      });
      return { secret, standard };
    },
    outbound_secret: (overlapSeconds) => webhooks.rotateSecret.mutate({ siteId, overlapSeconds }),
  };
  return (overlapSeconds: number) =>
    settled(
      ways[kind](overlapSeconds)
        .then(onRotated)
        .finally(() => forget(siteId)),
      cache.sites.get,
    );
}

/** For how many seconds the old secret keeps working. */
export const overlaps = choicesOf(labels.overlaps);

/** What each is called, where the operator replaces the old one, and the effect of each choice. */
const rotatedWords = tableOf(labels.kinds);
