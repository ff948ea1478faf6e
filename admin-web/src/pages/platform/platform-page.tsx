import { Alert, Card, Code, List, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { type PlatformInput, updateSettingsInput } from "shared/core/input/sites";
import { useMay, WithSettings, type Settings } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { CopyField } from "../../ui/buttons.tsx";
import { Moment } from "../../ui/facts.tsx";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Connection } from "./connection.tsx";
import classes from "./platform.module.css";

export function PlatformPage() {
  const isOwner = useMay("owner");
  return (
    <Page title="Platform" lead="The connection that sends messages: the WhatsApp Cloud API, or the sandbox for trying things out.">
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
                lead="Find them in the settings of your Meta app. The two secrets are stored encrypted and never shown again."
              >
                <CredentialsForm platform={platform} />
              </Section>
            )}
            <Section title="Callback" lead="WhatsApp reports message and template statuses here. Without it messages stay at sent.">
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
  /** Null for roles that cannot see it. */
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

/** The values to enter at the platform, with instructions. */
function Callback({ webhookUrl, verifyToken }: CallbackProps) {
  const isReachable = webhookUrl.startsWith("https://");
  return (
    <Card withBorder>
      <Stack gap="md">
        <CopyField label="Callback URL" value={webhookUrl} />
        {!isReachable && (
          <Text size="sm" c="dimmed">
            WhatsApp calls only public https URLs; this one works only for the sandbox. Set it with <Code>PUBLIC_GATEWAY_URL</Code>.
          </Text>
        )}
        {verifyToken === null ? (
          <Text size="sm" c="dimmed">
            Only operators and owners see the verify token.
          </Text>
        ) : (
          <CopyField label="Verify token" value={verifyToken} />
        )}
        <div>
          <Text size="sm" fw={600} mb={4}>
            How to set up the callback
          </Text>
          <ol className={classes["steps"]}>
            <li>In the Meta developer console, open your app, then WhatsApp, then Configuration.</li>
            <li>Under Webhook, choose Edit and enter the callback URL and the verify token from above.</li>
            <li>Choose Verify and save. WhatsApp checks this server immediately.</li>
            <li>
              Under Webhook fields, subscribe to{" "}
              {subscribed.map((field, index) => (
                <span key={field}>
                  {index > 0 && ", "}
                  <Code>{field}</Code>
                </span>
              ))}
              .
            </li>
            <li>Test the connection here: the last check is whether the app is subscribed.</li>
          </ol>
        </div>
      </Stack>
    </Card>
  );
}

function CredentialsForm({ platform }: { platform: Settings["platform"] }) {
  const cache = trpc.useUtils();
  const update = trpc.settings.update.useMutation({ onSuccess: (settings) => cache.settings.get.setData(undefined, settings) });
  const form = useInputForm({
    initialValues: { platform: storedValues(platform) },
    toInput: (values) => ({ platform: credentialsInput(values.platform) }),
    check: by(updateSettingsInput),
    submit: update.mutateAsync,
    afterSave: (sent) => ({ platform: { ...sent.platform, accessToken: "", appSecret: "" } }),
  });
  const field = (name: keyof typeof fields) => ({ ...fields[name], ...layout, ...form.at(`platform.${name}`) });
  const keeps = (isStored: boolean, hint: string) => (isStored ? `${hint} Leave empty to keep the stored one.` : hint);
  return (
    <Card withBorder>
      <InputForm form={form} label="Credentials" failure="The credentials were not saved">
        <div className={classes["fields"]}>
          <TextInput {...field("wabaId")} required />
          <TextInput {...field("phoneNumberId")} required />
          <PasswordInput
            {...field("accessToken")}
            description={keeps(platform.configured, "Of a system user, with both WhatsApp permissions and no expiry.")}
            required={!platform.configured}
          />
          <PasswordInput {...field("appSecret")} description={keeps(platform.hasAppSecret, "Proves that callbacks come from WhatsApp.")} />
          <TextInput {...field("appId")} />
          <TextInput {...field("apiVersion")} />
        </div>
        <EffectOfSaving configured={platform.configured} />
        <FormButtons form={form} submit="Save credentials" saved="Saved. Now test the connection." />
      </InputForm>
    </Card>
  );
}

/** The description stands below, so that fields side by side are in line. */
const layout = { inputWrapperOrder: ["label", "input", "description", "error"] as ("label" | "input" | "description" | "error")[] };
const autoComplete = "off";
const fields = {
  wabaId: { label: "Business account ID", description: "The ID of the WhatsApp business account (WABA).", autoComplete },
  phoneNumberId: { label: "Phone number ID", description: "The ID next to the number, not the number itself.", autoComplete },
  accessToken: { label: "Access token", autoComplete },
  appSecret: { label: "App secret", autoComplete },
  appId: { label: "App ID", description: "For templates with a media header, and for a fuller connection test.", autoComplete },
  apiVersion: { label: "API version", description: "Version of the WhatsApp Cloud API, such as v25.0.", autoComplete },
};

/** The fields. Secrets are empty unless one is entered. */
export interface CredentialsValues {
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

/** An empty secret is left out, which keeps the stored one; an empty app ID removes it. */
export const credentialsInput = ({ accessToken, appSecret, appId, ...rest }: CredentialsValues): PlatformInput => ({
  ...rest,
  appId: appId.trim() || null,
  ...(accessToken.trim() !== "" && { accessToken }),
  ...(appSecret.trim() !== "" && { appSecret }),
});

/** The effect of a change, shown before it is made. */
function EffectOfSaving({ configured }: { configured: boolean }) {
  if (!configured) {
    return (
      <Text size="sm" c="dimmed">
        After saving, messages are sent. Also set up the callback below and sync the templates.
      </Text>
    );
  }
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        Changes apply to new messages
      </Text>
      <List size="sm" spacing={4}>
        <List.Item>A different phone number: recipients see a new sender in a new chat.</List.Item>
        <List.Item>A different business account has its own templates. Sync them; messages with missing templates fail.</List.Item>
        <List.Item>A different app secret: callbacks signed with the old one are refused, and WhatsApp sends them again.</List.Item>
        <List.Item>If sending is stopped, the next message is tried again.</List.Item>
      </List>
    </div>
  );
}

/** Where messages go, and any problem that stops them. */
function PlatformNotice({ platform: { configured, sandbox, problem } }: { platform: Settings["platform"] }) {
  return (
    <>
      {problem !== null && (
        <Alert color="red" title="WhatsApp refuses this account" role="alert">
          {problem.reason} (code {problem.code}, since <Moment at={problem.since} />
          ). Messages fail until WhatsApp accepts one again. One message per minute is tried, and the connection test resumes sending if it
          passes.
        </Alert>
      )}
      {!configured && (
        <Alert color="yellow" title="Not connected">
          Events are stored, but nothing is sent until {sandbox ? "the sandbox is connected" : "you enter the credentials"}.
        </Alert>
      )}
      {configured && sandbox && (
        <Alert color="teal" title="This account uses the sandbox">
          No message reaches a real phone; the sandbox phone shows them all. To send real messages, whoever runs this server sets{" "}
          <code>PLATFORM_API_URL</code> to <code>https://graph.facebook.com</code> and restarts it; then enter the credentials of your
          business account here.
        </Alert>
      )}
    </>
  );
}
