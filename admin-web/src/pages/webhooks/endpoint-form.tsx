import { Checkbox } from "@mantine/core";
import { messageTypes, type WebhookType, webhookTypes } from "shared/core/webhook";
import { formatParts } from "../../format.ts";
import { t } from "../../language.ts";
import { cache, trpc } from "../../trpc.ts";
import { Dialog, SecretOnce } from "../../ui/base/dialogs.tsx";
import { Columns } from "../../ui/base/layout.tsx";
import type { ToldField } from "../../ui/form/conflict.tsx";
import { FormButtons, InputForm, useInputForm } from "../../ui/form/input-form.tsx";
import { by } from "../../ui/form/input-issues.ts";
import { UrlInput } from "../../ui/form/inputs.tsx";
import { SiteSelect } from "../../ui/form/pickers.tsx";
import { UnsavedGuard } from "../../ui/form/unsaved-guard.tsx";
import { type Endpoint, webhookTypeLabels } from "../../ui/site/endpoints.tsx";

interface EndpointFormProps {
  /** The site that a new one begins with. */
  likely?: string | undefined;
  /** The endpoint that is changed; absent for a new one. */
  endpoint?: Endpoint;
  onSecret?: (secret: string | undefined) => void;
  onClose: () => void;
}

/** Adds an endpoint, or changes one. */
export function EndpointForm({ likely = "", endpoint, onSecret, onClose }: EndpointFormProps) {
  const create = trpc.webhooks.create.useMutation();
  const update = trpc.webhooks.update.useMutation();
  const fieldsOf = ({ url, types }: Settable): Fields => ({ siteId: likely, url, types: [...types] });
  const form = useInputForm({
    initialValues: fieldsOf(endpoint ?? { url: "", types: messageTypes }),
    toInput: ({ siteId: of, ...values }) => {
      const input = { ...values, url: values.url.trim() };
      return endpoint === undefined ? { siteId: of, ...input } : { id: endpoint.id, ...changed(endpoint, input) };
    },
    check: by(endpoint === undefined ? "createWebhookInput" : "updateWebhookInput"),
    submit: async (input): Promise<{ secret?: string | undefined }> => {
      if ("siteId" in input) return await create.mutateAsync(input);
      await update.mutateAsync(input);
      return {};
    },
    versioned: endpoint && { updatedAt: endpoint.updatedAt, fill: fieldsOf, tell: tellEndpoint },
    onSaved: async ({ secret }) => {
      onClose();
      onSecret?.(secret);
      await Promise.all([cache.webhooks.list.invalidate(), cache.sites.get.invalidate()]);
    },
  });
  return (
    <InputForm form={form} failure={endpoint === undefined ? t("The endpoint was not added") : t("The endpoint was not saved")}>
      {endpoint === undefined && (
        <SiteSelect
          required
          description={likely !== "" && t("Preselected. Change it if the endpoint is for another site.")}
          {...form.at("siteId")}
        />
      )}
      <UrlInput
        label={t("URL")}
        description={t("An address of your backend, reachable from the internet over https")}
        placeholder="https://shop.example/hooks/tidings"
        data-autofocus
        {...form.at("url")}
      />
      <Checkbox.Group label={t("Notify it when")} {...form.at("types")}>
        <Columns least="15rem" gap="6px">
          {webhookTypes.map((type) => (
            <Checkbox key={type} value={type} label={webhookTypeLabels[type]} description={type} />
          ))}
        </Columns>
      </Checkbox.Group>
      <FormButtons form={form} submit={endpoint === undefined ? t("Add endpoint") : t("Save endpoint")} onCancel={onClose} />
    </InputForm>
  );
}

type Settable = Pick<Endpoint, "url"> & { types: readonly WebhookType[] };

type Fields = Settable & { siteId: string; types: WebhookType[] };

const tellEndpoint = ({ url, types }: Settable): ToldField[] => [
  { name: t("URL"), text: url, at: ["url"] },
  { name: t("Notify it when"), text: formatParts(types.map((type) => webhookTypeLabels[type])), at: ["types"] },
];

/** The changed members. The others are left out, so that known facts of the endpoint stay. */
const changed = (endpoint: Endpoint, { url, types }: Pick<Endpoint, "url" | "types">) => ({
  ...(types.toSorted().join() !== endpoint.types.toSorted().join() && { types }),
  ...(url !== endpoint.url && { url }),
});

/** Shows the secret of a site's first endpoint, once. */
export const EndpointSecret = ({ secret, onSaved }: { secret: string; onSaved: () => void }) => (
  <Dialog title={t("Endpoint secret")} opened onClose={onSaved} insists>
    <SecretOnce label={t("Endpoint secret")} secret={secret} onSaved={onSaved}>
      <UnsavedGuard isUnsaved={() => true} loss={t("You have not saved the endpoint secret. It is not shown again.")} />
      {t("It signs every request to this site's endpoints. Give it to your backend, which uses it to verify each request.")}
    </SecretOnce>
  </Dialog>
);
