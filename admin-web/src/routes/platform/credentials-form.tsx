import { Button, Card, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { platformSchema } from "shared/core/input/sites";
import type { Settings } from "../../session/with-settings.tsx";
import { trpc } from "../../trpc.ts";
import { UnsavedGuard } from "../../ui/form/unsaved-guard.tsx";
import { useInputForm } from "../../ui/form/use-input-form.ts";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { credentialsInput, storedValues } from "./credentials.ts";
import { WhatSavingDoes } from "./what-saving-does.tsx";
import classes from "./platform.module.css";

export function CredentialsForm({ platform }: { platform: Settings["platform"] }) {
  const cache = trpc.useUtils();
  const update = trpc.settings.update.useMutation({ onSuccess: (settings) => cache.settings.get.setData(undefined, settings) });
  const { form, refusal, onSubmit } = useInputForm({
    schema: platformSchema,
    member: "platform",
    initialValues: storedValues(platform),
    toInput: credentialsInput,
    submit: async (input) => {
      const saved = await update.mutateAsync({ platform: input });
      form.setValues(storedValues(saved.platform));
    },
  });
  const field = (name: keyof typeof fields) => ({ key: form.key(name), ...fields[name], ...layout, ...form.getInputProps(name) });
  const keeps = (isStored: boolean, hint: string) => (isStored ? `${hint} Leave it empty to keep the stored one.` : hint);
  return (
    <Card withBorder>
      <UnsavedGuard isUnsaved={form.isDirty} />
      <form onSubmit={onSubmit} aria-label="Credentials" noValidate>
        <Stack gap="md">
          {refusal !== null && <FailureNotice title="The credentials were not saved" error={refusal} />}
          <div className={classes["fields"]}>
            <TextInput {...field("wabaId")} required />
            <TextInput {...field("phoneNumberId")} required />
            <PasswordInput
              {...field("accessToken")}
              description={keeps(platform.configured, "Of a system user, with both WhatsApp permissions, and never expiring.")}
              required={!platform.configured}
            />
            <PasswordInput
              {...field("appSecret")}
              description={keeps(platform.hasAppSecret, "Proves that callbacks come from the platform.")}
            />
            <TextInput {...field("appId")} />
            <TextInput {...field("apiVersion")} />
          </div>
          <WhatSavingDoes configured={platform.configured} />
          <Group gap="sm">
            <Button type="submit" loading={update.isPending}>
              Save the credentials
            </Button>
            <Text size="sm" role="status">
              {update.isSuccess && "Saved. Test the connection now."}
            </Text>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}

/** With the description below, fields side by side stay in line. */
const layout = { inputWrapperOrder: ["label", "input", "description", "error"] as ("label" | "input" | "description" | "error")[] };
const autoComplete = "off";
const fields = {
  wabaId: { label: "Business account id", description: "WhatsApp business account (WABA) id.", autoComplete },
  phoneNumberId: { label: "Phone number id", description: "The id beside the number, not the number itself.", autoComplete },
  accessToken: { label: "Access token", autoComplete },
  appSecret: { label: "App secret", autoComplete },
  appId: { label: "App id", description: "For templates with a media header, and for a fuller connection test.", autoComplete },
  apiVersion: { label: "API version", description: "Of the platform's API, such as v25.0.", autoComplete },
};
