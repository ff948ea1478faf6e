import { Alert, Button, Checkbox, Stack, Text, NativeSelect } from "@mantine/core";
import { useState } from "react";
import { createSiteInput } from "shared/core/input/sites";
import { type SiteMode, type SourceType, sourceTypes } from "shared/core/site";
import { sources } from "shared/core/sources/sources";
import { locale, t } from "../../language.ts";
import { cache, type Outputs, trpc } from "../../trpc.ts";
import { CopyField, DownloadButton } from "../../ui/buttons.tsx";
import { ticked } from "../../ui/fields.ts";
import { IdempotencyHoursInput, suggestedIdempotencyHours } from "../../ui/idempotency-hours.tsx";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { NewNameInput, PhoneInput, UrlInput } from "../../ui/inputs.tsx";
import { sourceTypeChoices, sourceTypeLabels } from "../../ui/labels.ts";
import { UnsavedGuard } from "../../ui/unsaved-guard.tsx";

interface TwoSecretsProps {
  made: MadeSite;
  /** Runs once the person confirms that both secrets are saved. */
  onSaved: () => void;
}

/** Shows what the sender of a new site needs: a program the API key and the webhook secret, a shop its address and, if it asks for one, the secret. Secrets are shown once. */
export function TwoSecrets({ made: { site, apiKey, webhookSecret, webhookSecretStandard }, onSaved }: TwoSecretsProps) {
  const [isSaved, setSaved] = useState(false);
  const settings = trpc.settings.get.useQuery();
  const isShop = site.sourceType !== "generic";
  const hasSecret = sources[site.sourceType].secret === "webhook_secret";
  return (
    <Stack>
      <UnsavedGuard
        isUnsaved={() => hasSecret && !isSaved}
        loss={t("You have not saved the key and the secret of {name}. They are not shown again.", { name: site.name })}
      />
      <Text>{usesOf(site, hasSecret)}</Text>
      {isShop && <CopyField label={t("Address for the shop")} value={site.inboundUrl ?? ""} data-autofocus />}
      {!isShop && <CopyField label={t("API key")} value={apiKey} data-autofocus />}
      {hasSecret && <CopyField label={t("Webhook secret")} value={webhookSecret} />}
      {!isShop && (
        <>
          <CopyField label={t("The same for Standard Webhooks libraries")} value={webhookSecretStandard} />
          <DownloadButton
            fileName={envFileName(site.name)}
            text={envFile({ gatewayUrl: settings.data?.gatewayUrl, apiKey, webhookSecret })}
            loading={settings.isLoading}
          >
            {t("Download both as .env")}
          </DownloadButton>
        </>
      )}
      {hasSecret && (
        <>
          <Alert color="yellow">{t("Secrets are shown only once. Anyone who has them can send messages in your name.")}</Alert>
          <Checkbox label={isShop ? t("I have saved it") : t("I have saved them")} {...ticked(isSaved, setSaved)} />
        </>
      )}
      <Button disabled={hasSecret && !isSaved} onClick={onSaved}>
        {t("Done")}
      </Button>
    </Stack>
  );
}

function usesOf({ name, sourceType }: MadeSite["site"], hasSecret: boolean): string {
  if (sourceType === "generic")
    return t("The backend of {name} sends the key with each event and signs the event with the secret.", { name });
  const source = sourceTypeLabels[sourceType];
  return hasSecret
    ? t("{source} asks for this address and this secret. The steps follow.", { source })
    : t("{source} asks for this address. The steps follow.", { source });
}

/** A site with its two secrets, which the server does not show again. */
export type MadeSite = Outputs["sites"]["create"];

interface CreateSiteFormProps {
  onMade: (made: MadeSite) => void;
  /** Absent if the form cannot be left. */
  onCancel?: () => void;
}

const initialValues: {
  name: string;
  url: string;
  sourceType: SourceType;
  mode: SiteMode;
  testPhone: string;
  idempotencyHours: number | "";
} = { name: "", url: "", sourceType: "generic", mode: "live", testPhone: "", idempotencyHours: suggestedIdempotencyHours };

export function CreateSiteForm({ onMade, onCancel }: CreateSiteFormProps) {
  const create = trpc.sites.create.useMutation();
  const form = useInputForm({
    initialValues,
    toInput: ({ testPhone, idempotencyHours, ...rest }) => ({
      ...rest,
      testPhone: testPhone === "" ? null : testPhone,
      idempotencyHours: idempotencyHours === "" ? null : idempotencyHours,
    }),
    check: by(createSiteInput),
    submit: create.mutateAsync,
    onSaved: (made) => {
      onMade(made);
      void cache.sites.invalidate();
    },
  });
  return (
    <InputForm form={form} failure={t("The site was not added")}>
      <NewNameInput description={t("The name your team uses")} data-autofocus {...form.at("name")} />
      <UrlInput
        label={t("URL")}
        description={t("The shop, clinic or product that sends the events")}
        placeholder="https://shop.example"
        {...form.at("url")}
      />
      <NativeSelect
        label={t("Source type")}
        description={t("{shops} connect without code", { shops: new Intl.ListFormat(locale).format(shops.toSorted()) })}
        data={sourceTypeChoices}
        {...form.at("sourceType")}
      />
      <NativeSelect
        label={t("Messages go to")}
        description={t("A test site's messages reach nobody. This cannot be changed later.")}
        data={[
          { value: "live", label: t("WhatsApp (live)") },
          { value: "test", label: t("the sandbox (test)") },
        ]}
        {...form.at("mode")}
      />
      <PhoneInput label={t("Test phone")} description={t("Optional: test events go only to this phone")} {...form.at("testPhone")} />
      <details open={form.faults["idempotencyHours"] !== undefined || undefined}>
        <summary>{t("Advanced")}</summary>
        <IdempotencyHoursInput mt="xs" {...form.at("idempotencyHours")} />
      </details>
      <FormButtons form={form} submit={t("Add site")} onCancel={onCancel} />
    </InputForm>
  );
}

/** Those whose topics mean events by themselves. */
const shops = sourceTypes.filter((type) => sources[type].events !== null).map((type) => sourceTypeLabels[type]);

/** `gatewayUrl`: undefined if it could not be loaded. */
type SenderSecrets = Pick<MadeSite, "apiKey" | "webhookSecret"> & { gatewayUrl: string | undefined };

/** An .env file with the variables that the documentation's examples read. */
export const envFile = ({ gatewayUrl, apiKey, webhookSecret }: SenderSecrets): string =>
  `${gatewayUrl === undefined ? "" : `BASE_URL=${gatewayUrl}\n`}SITE_KEY=${apiKey}\nWEBHOOK_SECRET=${webhookSecret}\n`;

/** The name contains the site's, so that the files of two sites can share a folder. */
export const envFileName = (siteName: string): string => `${(siteName.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["site"]).join("-")}.env`;
