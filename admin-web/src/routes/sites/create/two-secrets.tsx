import { Alert, Button, Checkbox, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { trpc } from "../../../trpc.ts";
import { CopyField } from "../../../ui/copy-field.tsx";
import { DownloadButton } from "../../../ui/download-button.tsx";
import { UnsavedGuard } from "../../../ui/form/unsaved-guard.tsx";
import type { MadeSite } from "./create-site-form.tsx";
import { envFile, envFileName } from "./env-file.ts";

interface TwoSecretsProps {
  made: MadeSite;
  /** Said only after the person has said that both are saved. */
  onSaved: () => void;
}

/** The API key and the webhook secret of a new site, this once. */
export function TwoSecrets({ made: { site, apiKey, webhookSecret }, onSaved }: TwoSecretsProps) {
  const [isSaved, setSaved] = useState(false);
  const settings = trpc.settings.get.useQuery();
  const file = envFile({ gatewayUrl: settings.data?.gatewayUrl, apiKey, webhookSecret });
  return (
    <Stack gap="md">
      <UnsavedGuard
        isUnsaved={() => !isSaved}
        loss={`The key and the secret of ${site.name} are not saved, and will not be shown again.`}
      />
      <Text size="sm">The backend of {site.name} sends the key with each event, and signs the event with the secret.</Text>
      <CopyField label="API key" value={apiKey} data-autofocus />
      <CopyField label="Webhook secret" value={webhookSecret} />
      <Alert color="yellow">They are shown this once. Whoever has both can send messages in your name: keep them on the server.</Alert>
      <DownloadButton fileName={envFileName(site.name)} text={file} loading={settings.isLoading}>
        Download both as .env
      </DownloadButton>
      <Checkbox label="I have saved them" checked={isSaved} onChange={(event) => setSaved(event.currentTarget.checked)} />
      <Button disabled={!isSaved} onClick={onSaved}>
        Done
      </Button>
    </Stack>
  );
}
