import { Checkbox, Stack, Switch, TextInput } from "@mantine/core";
import { createWebhookInput, updateWebhookInput } from "shared/core/input/webhooks";
import { messageTypes, type WebhookType, webhookTypes } from "shared/core/webhook";
import { trpc } from "../../trpc.ts";
import { type Endpoint, webhookTypeLabels } from "../../ui/endpoints.tsx";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";

interface EndpointFormProps {
  siteId: string;
  /** The one that is changed; without it one is added. */
  endpoint?: Endpoint;
  /** Gets the site's new secret with its first endpoint. */
  onSaved: (secret: string | undefined) => void;
  onCancel: () => void;
}

export function EndpointForm({ siteId, endpoint, onSaved, onCancel }: EndpointFormProps) {
  const cache = trpc.useUtils();
  const create = trpc.webhooks.create.useMutation();
  const update = trpc.webhooks.update.useMutation();
  const { url = "", types = messageTypes, enabled = true } = endpoint ?? {};
  const initialValues = { url, types: [...types] as WebhookType[], enabled };
  const form = useInputForm({
    initialValues,
    toInput: (values) => {
      const input = { ...values, url: values.url.trim() };
      return endpoint === undefined ? { siteId, ...input } : { id: endpoint.id, ...changed(endpoint, input) };
    },
    check: by(endpoint === undefined ? createWebhookInput : updateWebhookInput),
    submit: async (input): Promise<{ secret?: string | undefined }> => {
      if ("siteId" in input) return await create.mutateAsync(input);
      await update.mutateAsync(input);
      return {};
    },
    onSaved: async ({ secret }) => {
      onSaved(secret);
      await Promise.all([cache.webhooks.list.invalidate(), cache.sites.get.invalidate({ id: siteId })]);
    },
  });
  return (
    <InputForm form={form} failure={endpoint === undefined ? "The endpoint was not added" : "The endpoint was not saved"}>
      <TextInput
        label="Address"
        description="Of your backend, reachable from the internet over https"
        type="url"
        placeholder="https://shop.example/hooks/tidings"
        autoComplete="off"
        required
        data-autofocus
        {...form.at("url")}
      />
      <Checkbox.Group label="It is told when" {...form.at("types")}>
        <Stack gap={6} mt={4}>
          {webhookTypes.map((type) => (
            <Checkbox key={type} value={type} label={webhookTypeLabels[type]} description={type} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Switch
        label="On"
        description={form.values.enabled ? "What happens from now on is posted." : "Nothing is posted, and nothing is kept for later."}
        checked={form.values.enabled}
        onChange={({ currentTarget }) => form.change({ enabled: currentTarget.checked })}
      />
      <FormButtons form={form} submit={endpoint === undefined ? "Add endpoint" : "Save endpoint"} onCancel={onCancel} />
    </InputForm>
  );
}

/** An address or a switch that stays as it is ends nothing that is known of the endpoint. */
const changed = (endpoint: Endpoint, { url, types, enabled }: Pick<Endpoint, "url" | "types" | "enabled">) => ({
  types,
  ...(url !== endpoint.url && { url }),
  ...(enabled !== endpoint.enabled && { enabled }),
});
