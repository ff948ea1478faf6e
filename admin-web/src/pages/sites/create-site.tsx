import { Alert, Button, Checkbox, Stack, Text, NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { createSiteInput } from "shared/core/input/sites";
import { type SourceType } from "shared/core/site";
import { trpc, type Outputs } from "../../trpc.ts";
import { CopyField, DownloadButton } from "../../ui/buttons.tsx";
import { UnsavedGuard, FormButtons, PhoneInput } from "../../ui/inputs.tsx";
import { sourceTypeChoices } from "../../ui/labels.ts";
import { FailureNotice } from "../../ui/page-states.tsx";
import { useInputForm } from "../../ui/use-input-form.ts";

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

/** A site and its two secrets, which the server will not show again. */
export type MadeSite = Outputs["sites"]["create"];

interface CreateSiteFormProps {
  onMade: (made: MadeSite) => void;
  /** Where the form can be left without a site. */
  onCancel?: () => void;
}

const initialValues: { name: string; url: string; sourceType: SourceType; testPhone: string } = {
  name: "",
  url: "",
  sourceType: "generic",
  testPhone: "",
};

export function CreateSiteForm({ onMade, onCancel }: CreateSiteFormProps) {
  const cache = trpc.useUtils();
  const create = trpc.sites.create.useMutation({
    onSuccess: async (made) => {
      onMade(made);
      await cache.sites.invalidate();
    },
  });
  const { form, refusal, onSubmit } = useInputForm({
    schema: createSiteInput,
    initialValues,
    toInput: ({ testPhone, ...rest }) => ({ ...rest, testPhone: testPhone === "" ? null : testPhone }),
    submit: create.mutateAsync,
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <UnsavedGuard isUnsaved={form.isDirty} />
      <Stack gap="md">
        {refusal !== null && <FailureNotice title="No site was made" error={refusal} />}
        <TextInput
          label="Name"
          description="As your team calls it"
          autoComplete="off"
          required
          data-autofocus
          {...form.getInputProps("name")}
        />
        <TextInput
          label="URL"
          description="Of the shop, clinic or product that sends the events"
          type="url"
          placeholder="https://shop.example"
          autoComplete="off"
          required
          {...form.getInputProps("url")}
        />
        <NativeSelect label="Source type" data={sourceTypeChoices} {...form.getInputProps("sourceType")} />
        <PhoneInput label="Test phone" description="Optional: test events go here only" {...form.getInputProps("testPhone")} />
        <FormButtons submit="Make the site" isPending={create.isPending} onCancel={onCancel} />
      </Stack>
    </form>
  );
}

interface SenderSecrets {
  /** Undefined where it could not be looked up. */
  gatewayUrl: string | undefined;
  apiKey: string;
  webhookSecret: string;
}

/** What a site's sender needs to know, under the names that the documentation's examples read from the environment. */
export const envFile = ({ gatewayUrl, apiKey, webhookSecret }: SenderSecrets): string =>
  `${gatewayUrl === undefined ? "" : `BASE_URL=${gatewayUrl}\n`}SITE_KEY=${apiKey}\nWEBHOOK_SECRET=${webhookSecret}\n`;

/** Named after the site, so that two of them in one folder are told apart. */
export const envFileName = (siteName: string): string =>
  `${
    siteName
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
      .replaceAll(/^-|-$/gu, "") || "site"
  }.env`;
