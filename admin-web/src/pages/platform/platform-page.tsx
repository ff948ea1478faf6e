import { Card, Code, Stack, Text, Button, Group, PasswordInput, TextInput, List, Alert } from "@mantine/core";
import { platformSchema, type PlatformInput } from "shared/core/input/sites";
import { useMay, WithSettings, type Settings } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { CopyField } from "../../ui/buttons.tsx";
import { Moment } from "../../ui/facts.tsx";
import { UnsavedGuard } from "../../ui/inputs.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { useInputForm } from "../../ui/use-input-form.ts";
import { Connection } from "./connection.tsx";
import classes from "./platform.module.css";

export function PlatformPage() {
  const isOwner = useMay("owner");
  return (
    <Page
      title="Platform"
      lead="The messaging platform that carries the account's messages: WhatsApp's Cloud API, or the sandbox to try everything out."
    >
      <WithSettings>
        {({ platform }) => (
          <>
            <PlatformNotice platform={platform} />
            <Section title="Connection">
              <Connection platform={platform} />
            </Section>
            {isOwner && (
              <Section
                title="Credentials"
                lead="All of them stand in the platform's app settings. The two secrets are encrypted, and never shown again."
              >
                <CredentialsForm platform={platform} />
              </Section>
            )}
            <Section
              title="Callback"
              lead="By it the platform reports what became of messages and templates. Without it messages stay at sent."
            >
              <Callback webhookUrl={platform.webhookUrl} verifyToken={platform.verifyToken} />
            </Section>
          </>
        )}
      </WithSettings>
    </Page>
  );
}

interface CallbackProps {
  webhookUrl: string;
  /** Null for whoever may not see it. */
  verifyToken: string | null;
}

const subscribed = [
  "messages",
  "message_template_status_update",
  "message_template_quality_update",
  "message_template_components_update",
  "template_category_update",
  "user_preferences",
];

/** What to enter at the platform, and where. */
function Callback({ webhookUrl, verifyToken }: CallbackProps) {
  const isReachable = webhookUrl.startsWith("https://");
  return (
    <Card withBorder>
      <Stack gap="md">
        <CopyField label="Callback URL" value={webhookUrl} />
        {!isReachable && (
          <Text size="sm" c="dimmed">
            The real platform calls https addresses that the internet reaches; this one serves the sandbox alone.{" "}
            <Code>PUBLIC_GATEWAY_URL</Code> sets it.
          </Text>
        )}
        {verifyToken === null ? (
          <Text size="sm" c="dimmed">
            The verify token is shown to operators and owners.
          </Text>
        ) : (
          <CopyField label="Verify token" value={verifyToken} />
        )}
        <div>
          <Text size="sm" fw={600} mb={4}>
            How to set it at the platform
          </Text>
          <ol className={classes["steps"]}>
            <li>In the platform&apos;s developer console open your app, then WhatsApp, then Configuration.</li>
            <li>Under Webhook choose Edit; enter the callback URL and the verify token from above.</li>
            <li>Choose Verify and save: the platform asks this server at once, and says so if it gets no answer.</li>
            <li>
              Under Webhook fields subscribe to{" "}
              {subscribed.map((field, index) => (
                <span key={field}>
                  {index > 0 && ", "}
                  <Code>{field}</Code>
                </span>
              ))}
              .
            </li>
            <li>Test the connection here: its last check is whether the app is subscribed.</li>
          </ol>
        </div>
      </Stack>
    </Card>
  );
}

function CredentialsForm({ platform }: { platform: Settings["platform"] }) {
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

/** What the form's fields hold. Secrets are empty unless one is entered. */
export interface CredentialsValues extends Record<string, unknown> {
  wabaId: string;
  phoneNumberId: string;
  accessToken: string;
  appId: string;
  appSecret: string;
  apiVersion: string;
}

const storedValues = ({ wabaId, phoneNumberId, appId, apiVersion }: Settings["platform"]): CredentialsValues => ({
  wabaId: wabaId ?? "",
  phoneNumberId: phoneNumberId ?? "",
  accessToken: "",
  appId: appId ?? "",
  appSecret: "",
  apiVersion,
});

/** A secret that is left empty is left out, which keeps the stored one; an app id that is emptied is taken away. */
export const credentialsInput = ({ accessToken, appSecret, appId, ...rest }: CredentialsValues): PlatformInput => ({
  ...rest,
  appId: appId.trim() || null,
  ...(accessToken.trim() !== "" && { accessToken }),
  ...(appSecret.trim() !== "" && { appSecret }),
});

/** What comes of a change, said before it is made. */
function WhatSavingDoes({ configured }: { configured: boolean }) {
  if (!configured) {
    return (
      <Text size="sm" c="dimmed">
        From then on events are sent. Set the callback below too, and sync the templates.
      </Text>
    );
  }
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        A change holds from the next message on
      </Text>
      <List size="sm" spacing={4}>
        <List.Item>Another phone number: recipients see a new sender, in a new chat.</List.Item>
        <List.Item>
          Another business account: it has templates of its own. Sync the templates; messages of those that it lacks fail until it has them.
        </List.Item>
        <List.Item>Another app secret: callbacks that are signed with the old one are refused, and the platform repeats them.</List.Item>
        <List.Item>A stop by the platform ends, and the next message is tried.</List.Item>
      </List>
    </div>
  );
}

/** Where messages go, said plainly, and what keeps them from going. */
function PlatformNotice({ platform: { configured, sandbox, problem } }: { platform: Settings["platform"] }) {
  return (
    <>
      {problem !== null && (
        <Alert color="red" title="The platform refuses this account" role="alert">
          {problem.reason} (code {problem.code}, since <Moment at={problem.since} />
          ). Messages are logged as failed until it takes one again: it is asked once a minute, and when the connection test passes.
        </Alert>
      )}
      {!configured && (
        <Alert color="yellow" title="Nothing is connected">
          Events are stored, and nothing is sent, until {sandbox ? "the sandbox is connected" : "the credentials are entered"}.
        </Alert>
      )}
      {configured && sandbox && (
        <Alert color="teal" title="This account sends to the sandbox">
          No message reaches a real phone; the sandbox phone shows them all. To send for real, whoever runs this server sets{" "}
          <code>PLATFORM_API_URL</code> to <code>https://graph.facebook.com</code> and starts it anew; then enter the credentials of your
          business account here.
        </Alert>
      )}
    </>
  );
}
