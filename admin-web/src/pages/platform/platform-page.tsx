import { Alert, Anchor, Code, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { checkName, webhookFields } from "shared/core/connection-check";
import type { PlatformInput } from "shared/core/input/settings";
import { t, translated } from "../../language.ts";
import { paths } from "../../paths.ts";
import { cache, type OrEarlier, trpc } from "../../trpc.ts";
import { CopyField, TextLink } from "../../ui/base/buttons.tsx";
import { Fact, Facts, Moment, TimeFact } from "../../ui/base/facts.tsx";
import { tableOf } from "../../ui/base/labels.ts";
import { Dimmed, Page, Section, rich } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { Sentences } from "../../ui/base/sentences.tsx";
import { FormButtons, InputForm, useInputForm } from "../../ui/form/input-form.tsx";
import { by } from "../../ui/form/input-issues.ts";
import { WithSettings, type Settings } from "../../ui/form/with-settings.tsx";
import { tellState } from "../../ui/list/state-line.ts";
import { Connection, connectionState, withoutCallbacks } from "./connection.tsx";
import effectLabels from "./effect-labels.json";
import labels from "./field-labels.json";

export function PlatformPage() {
  const mayChange = useMay("changePlatform");
  const [missing] = trpc.problems.list.useQuery({ kind: "callbacks_missing", limit: 1 }).data?.items ?? [];
  const unreportedAt = missing === undefined || missing.state === "resolved" ? undefined : missing.lastAt;
  const isMissing = unreportedAt !== undefined;
  const { platform } = trpc.settings.get.useQuery().data ?? {};
  return (
    <Page title={t("WhatsApp")} lead={platform && tellConnection(platform, isMissing, mayChange)}>
      <WithSettings>
        {({ platform, updatedAt }) => (
          <Stack gap="lg" maw="40rem">
            <PlatformNotice platform={platform} />
            {(platform.configured || (mayChange && platform.sandbox)) && (
              <Section title={t("Connection")} isCard>
                <Connection platform={isMissing ? { ...platform, checks: platform.checks.map(withoutCallbacks) } : platform} />
              </Section>
            )}
            {mayChange && (
              <Section
                title={t("Credentials")}
                lead={t("Find them in the settings of your Meta app. The two secrets are stored encrypted and never shown again.")}
                isCard
              >
                <CredentialsForm platform={platform} updatedAt={updatedAt} />
              </Section>
            )}
            <Section
              title={t("Callback")}
              lead={t("WhatsApp reports message and template statuses here. Without it messages stay at sent.")}
              isCard
            >
              <Callback platform={platform} unreportedAt={unreportedAt} isMissing={isMissing} />
            </Section>
          </Stack>
        )}
      </WithSettings>
    </Page>
  );
}

/** How the connection stands, and the way on where nothing else leads there. */
function tellConnection(platform: Settings["platform"], isSilent: boolean, mayChange: boolean) {
  const failed = platform.configured && platform.checks.find(({ state }) => state === "failed");
  const told = tellState("platform", {
    state: connectionState(platform),
    failed: failed && checkName(failed.check, t),
    silent: isSilent && 1,
  });
  if (!platform.configured && mayChange)
    return rich(`${told} · <0>${t("Get started")}</0>`, <TextLink to={paths.gettingStarted} search={{ step: "platform" }} />);
  if (!platform.configured || platform.lastCallbackAt !== null || platform.verifyToken === null) return told;
  return rich(`${told} · ${t("No callback yet: <0>set it up</0>")}`, <Anchor href="#callback" />);
}

interface CallbackProps {
  platform: OrEarlier<Settings["platform"], "lastCallbackAt">;
  /** When the newest message was made that is not reported on. */
  unreportedAt: string | undefined;
  isMissing: boolean;
}

/** The values to enter at the platform, with instructions, and whether it reports on what leaves. */
function Callback({ platform: { webhookUrl, verifyToken, lastCallbackAt = null }, unreportedAt, isMissing }: CallbackProps) {
  const isReachable = webhookUrl.startsWith("https://");
  return (
    <>
      {isMissing && (
        <Alert color="yellow" title={t("Callbacks do not arrive")}>
          {t(
            "Messages have left since the last callback, and WhatsApp has reported on none of them: they stay at Sent. Check in the Meta app that the callback URL below is the one that is set, and that it has the verify token.",
          )}
        </Alert>
      )}
      <Facts>
        <Fact name={t("Last callback")}>{lastCallbackAt === null ? t("None yet") : <Moment at={lastCallbackAt} />}</Fact>
        <TimeFact name={t("Newest message still at Sent")} at={unreportedAt} />
      </Facts>
      <CopyField label={t("Callback URL")} value={webhookUrl} />
      {!isReachable && (
        <Dimmed>
          {rich(
            t("WhatsApp calls only public https URLs; this one works only for the sandbox. Set it with <0>PUBLIC_GATEWAY_URL</0>."),
            <Code />,
          )}
        </Dimmed>
      )}
      {verifyToken === null ? (
        <Dimmed>{t("Only operators and owners see the verify token.")}</Dimmed>
      ) : (
        <CopyField label={t("Verify token")} value={verifyToken} />
      )}
      <details id="callback" open={isMissing || lastCallbackAt === null} hidden={verifyToken === null}>
        <summary>{t("How to set up the callback")}</summary>
        <Sentences
          type="ordered"
          spacing="xs"
          mt="xs"
          of={[
            t("In the Meta developer console, open your app, then WhatsApp, then Configuration."),
            t("Under Webhook, choose Edit and enter the callback URL and the verify token from above."),
            t("Choose Verify and save. WhatsApp checks this server immediately."),
            rich(`${t("Under Webhook fields, subscribe to ")}${webhookFields.map((field) => `<0>${field}</0>`).join(", ")}.`, <Code />),
            t("Test the connection here: it checks whether the app is subscribed, and to which fields."),
          ]}
        />
      </details>
    </>
  );
}

function CredentialsForm({ platform, updatedAt }: Pick<Settings, "platform" | "updatedAt">) {
  // What was saved is checked at once; the page shows what that finds.
  const check = trpc.settings.testConnection.useMutation({ onSettled: () => cache.settings.get.invalidate() });
  const update = trpc.settings.update.useMutation({
    onSuccess: (settings) => {
      cache.settings.get.setData(undefined, settings);
      check.mutate();
    },
  });
  const form = useInputForm({
    initialValues: { platform: storedValues(platform) },
    toInput: (values) => ({ platform: credentialsInput(values.platform) }),
    check: by("updateSettingsInput"),
    submit: update.mutateAsync,
    afterSave: (sent) => ({ platform: { ...sent.platform, accessToken: "", appSecret: "" } }),
    versioned: {
      updatedAt,
      fill: (settings: Settings) => ({ platform: storedValues(settings.platform) }),
      // Nobody sees another's secret: one that was entered stays entered.
      tell: ({ platform: values }) =>
        fieldNames.map((name) => ({ name: fields[name].label, text: values[name], at: [`platform/${name}`] })),
    },
  });
  const field = (name: keyof typeof fields) => ({ ...fields[name], ...form.at(`platform.${name}`) });
  const keeps = (isStored: boolean, hint: string) => (isStored ? t("{hint} Leave empty to keep the stored one.", { hint }) : hint);
  return (
    <InputForm form={form} label={t("Credentials")} failure={t("The credentials were not saved")}>
      <TextInput {...field("wabaId")} required />
      <TextInput {...field("phoneNumberId")} required />
      <PasswordInput
        {...field("accessToken")}
        description={keeps(platform.configured, t("From a system user, with both WhatsApp permissions and no expiry."))}
        required={!platform.configured}
      />
      <PasswordInput {...field("appSecret")} description={keeps(platform.hasAppSecret, t("Proves that callbacks come from WhatsApp."))} />
      <TextInput {...field("appId")} />
      <TextInput {...field("apiVersion")} />
      <EffectOfSaving configured={platform.configured} />
      <FormButtons
        form={form}
        saved={check.isPending ? t("Saved. Checking the connection…") : t("Saved. The checks above tell whether it works.")}
      />
    </InputForm>
  );
}

const fields = tableOf(labels);

const fieldNames = Object.keys(fields) as (keyof typeof fields)[];

/** The fields. Secrets are empty unless one is entered. */
type CredentialsValues = Record<keyof typeof fields, string>;

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
  if (!configured) return <Dimmed>{t("After saving, messages are sent. Also set up the callback below and sync the templates.")}</Dimmed>;
  return (
    <div>
      <Text fw={600} mb={4}>
        {t("Changes apply to new messages")}
      </Text>
      <Sentences spacing={4} of={tableOf(effectLabels)} />
    </div>
  );
}

/** Whether WhatsApp has told of it by a word of its own, such as a ban, and not by the code of a refusal. */
const isTold = (code: string): boolean => !/^\d/.test(code);

/** The place that messages go to, and any problem that stops them. */
const PlatformNotice = ({ platform: { configured, sandbox, problem } }: { platform: Settings["platform"] }) => (
  <>
    {problem !== null && (
      <Alert color="red" title={t("WhatsApp refuses this account")} role="alert">
        {t("{reason} (code {code}, since ", { reason: translated(problem.reason) || t("WhatsApp gives no reason"), code: problem.code })}
        <Moment at={problem.since} />
        {isTold(problem.code)
          ? t("). Messages wait until WhatsApp lifts this, new settings are saved or the connection test passes.")
          : t(
              "). Messages fail until WhatsApp accepts one again. One message per minute is tried, and the connection test resumes sending if it passes.",
            )}
        {problem.until !== undefined && rich(t(" It ends: <0/>"), <Moment at={problem.until} />)}
      </Alert>
    )}
    {!configured && (
      <Alert color="yellow" title={t("Not connected")}>
        {t("Events are stored, but nothing is sent until {value}.", {
          value: sandbox ? t("the sandbox is connected") : t("an owner enters the credentials"),
        })}
      </Alert>
    )}
    {configured && sandbox && (
      <Alert color="teal" title={t("This account uses the sandbox")}>
        {rich(
          t(
            "No message reaches a real phone; the sandbox phone shows them all. To send real messages, whoever runs this server sets <0>PLATFORM_API_URL</0> to <1>https://graph.facebook.com</1> and restarts it; then an owner enters the credentials of your business account here.",
          ),
          <code />,
          <code />,
        )}
      </Alert>
    )}
  </>
);
