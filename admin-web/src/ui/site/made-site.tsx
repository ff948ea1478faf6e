import { Alert, Button, Stack, Text } from "@mantine/core";
import { skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import { sources } from "shared/core/sources/sources";
import { t } from "../../language.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { CopyField } from "../base/buttons.tsx";
import { DownloadButton } from "../base/files.tsx";
import { UnsavedGuard } from "../form/unsaved-guard.tsx";

/** A site with its two secrets, which the server does not show again. */
export type MadeSite = Outputs["sites"]["create"];

export type HeldSite = MadeSite & { isSaved: boolean };

const queryKey = ["made-sites"];

/** The sites that were added since the dashboard was opened, with their secrets. They live in the query cache: other pages do not lose them, and signing out clears them. */
export function useMadeSites() {
  const client = useQueryClient();
  const { data: all = [] } = useQuery<HeldSite[]>({ queryKey, queryFn: skipToken, staleTime: Infinity, gcTime: Infinity });
  const change = (to: (held: HeldSite[]) => HeldSite[]) => void client.setQueryData<HeldSite[]>(queryKey, (held = []) => to(held));
  return {
    all,
    keep: (made: MadeSite) => change((held) => [...held, { ...made, isSaved: false }]),
    markSaved: (id: string) => change((held) => held.map((each) => (each.site.id === id ? { ...each, isSaved: true } : each))),
    /** Once a secret is another one. */
    forget: (id: string) => change((held) => held.filter(({ site }) => site.id !== id)),
  };
}

/** Shows what the sender of a new site needs: a program the API key and the webhook secret, a shop the secret, if it signs with this one. Secrets are shown once. */
export function MadeSecrets({ made }: { made: HeldSite }) {
  const { site, apiKey, webhookSecret, webhookSecretStandard, isSaved } = made;
  const { markSaved } = useMadeSites();
  const settings = trpc.settings.get.useQuery();
  const isShop = site.sourceType !== "generic";
  const save = () => markSaved(site.id);
  if (sources[site.sourceType].secret !== "webhook_secret") return null;
  return (
    <Stack>
      <UnsavedGuard
        isUnsaved={() => !isSaved}
        loss={t("You have not saved the key and the secret of {name}. They are not shown again.", { name: site.name })}
      />
      {isShop ? (
        <CopyField label={t("Secret for the shop")} value={webhookSecret} onCopy={save} />
      ) : (
        <>
          <Text>{t("The backend of {name} sends the key with each event and signs the event with the secret.", { name: site.name })}</Text>
          <CopyField label={t("API key")} value={apiKey} data-autofocus />
          <CopyField label={t("Webhook secret")} value={webhookSecret} />
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
      <Alert color="yellow">{t("Secrets are shown only once. Anyone who has them can send messages in your name.")}</Alert>
      {!isShop && <Button onClick={save}>{t("I have saved them")}</Button>}
    </Stack>
  );
}

/** `gatewayUrl`: undefined if it could not be loaded. */
type SenderSecrets = Pick<MadeSite, "apiKey" | "webhookSecret"> & { gatewayUrl: string | undefined };

/** An .env file with the variables that the documentation's examples read. */
export const envFile = ({ gatewayUrl, apiKey, webhookSecret }: SenderSecrets): string =>
  `${gatewayUrl === undefined ? "" : `BASE_URL=${gatewayUrl}\n`}SITE_KEY=${apiKey}\nWEBHOOK_SECRET=${webhookSecret}\n`;

/** The name contains the site's, so that the files of two sites can share a folder. */
export const envFileName = (siteName: string): string => `${(siteName.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["site"]).join("-")}.env`;
