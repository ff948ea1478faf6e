import { Card, Progress, Stack, Switch, Text, Button, Textarea } from "@mantine/core";
import { updateSettingsInput } from "shared/core/input/settings";
import { t } from "../../language.ts";
import { useMay } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { by, FormButtons, InputForm, linesAt, useInputForm } from "../../ui/input-form.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";
import { Rich } from "../../ui/rich.tsx";
import { WithSettings, type Settings } from "../../ui/with-settings.tsx";

/** Whether customers' data is encrypted at rest, and the progress for earlier events. */
export function EncryptionSection() {
  const mayChange = useMay("encryptPayloads");
  return (
    <Section title={t("Encryption")} lead={t("Payloads, phone numbers and texts in the database, encrypted with this account's own key.")}>
      <Card withBorder>
        <WithSettings>
          {({ encryptPayloads, encryptionProgress: progress }) => (
            <Stack gap="sm">
              {mayChange ? <EncryptionSwitch isOn={encryptPayloads} /> : <Text>{stateWords(encryptPayloads)}</Text>}
              {progress !== null && <EarlierEvents progress={progress} />}
            </Stack>
          )}
        </WithSettings>
      </Card>
    </Section>
  );
}

const stateWords = (isOn: boolean): string => (isOn ? t("New events are encrypted.") : t("New events are stored unencrypted."));

/** Switches encryption on or off with the next event. */
function EncryptionSwitch({ isOn }: { isOn: boolean }) {
  const cache = trpc.useUtils();
  const update = trpc.settings.update.useMutation({ onSuccess: (settings) => cache.settings.get.setData(undefined, settings) });
  return (
    <>
      {update.error !== null && <FailureNotice title={t("The setting was not changed")} error={update.error} />}
      <Switch
        label={t("Encrypt payloads and phones")}
        description={t(
          "Each event takes the gateway 10 to 30 % more processor time, and the database needs more space. The log still finds whole phone numbers. If the master key is lost, encrypted data can never be read again. If you switch this off, new events are stored unencrypted, and encrypted data stays encrypted.",
        )}
        checked={update.isPending ? !isOn : isOn}
        disabled={update.isPending}
        onChange={(event) => update.mutate({ encryptPayloads: event.currentTarget.checked })}
      />
    </>
  );
}

const pollMs = 2_000;

function EarlierEvents({ progress }: { progress: number }) {
  trpc.settings.get.useQuery(undefined, { refetchInterval: pollMs });
  const percent = Math.floor(progress * 100);
  return (
    <div>
      <Text size="sm" mb={4}>
        {t("Earlier events are being encrypted: {percent} %", { percent })}
      </Text>
      <Progress value={percent} aria-label={t("Earlier events that are encrypted")} />
    </div>
  );
}

/** Whether only the company's own sign-in counts. Shown if there is one. */
export function SingleSignOn({ sso, requireSso }: Pick<Settings, "sso" | "requireSso">) {
  const cache = trpc.useUtils();
  const update = trpc.settings.update.useMutation({ onSuccess: (settings) => cache.settings.get.setData(undefined, settings) });
  if (sso === null) return null;
  const lead = requireSso
    ? t("Everybody in this account signs in with {name}.", { name: sso.name })
    : t("People sign in with {name}, or with their password or passkey.", { name: sso.name });
  return (
    <Section title={t("Company sign-in")} lead={lead}>
      <Card withBorder>
        <Stack gap="sm">
          {update.error !== null && <FailureNotice title={t("The setting was not changed")} error={update.error} />}
          <Switch
            label={t("Require {name}", { name: sso.name })}
            description={
              sso.opensThis
                ? t(
                    "Passwords, passkeys and links then stop working here, and sessions that {name} did not open end at once. People without a verified address there lose access. Access tokens keep working.",
                    { name: sso.name },
                  )
                : t("To require it, sign in with {name} yourself first.", { name: sso.name })
            }
            checked={update.isPending ? !requireSso : requireSso}
            disabled={!sso.opensThis || update.isPending}
            onChange={(event) => update.mutate({ requireSso: event.currentTarget.checked })}
          />
        </Stack>
      </Card>
    </Section>
  );
}

type Lists = NonNullable<Settings["allowedAddresses"]>;

interface AllowedAddressesProps extends Pick<Settings, "yourAddress" | "updatedAt"> {
  lists: Lists;
}

const fieldsOf = ({ dashboard, tokens }: Lists) => ({ allowedAddresses: { dashboard: dashboard.join("\n"), tokens: tokens.join("\n") } });

/** The addresses and networks from which the account may be used, one a line. */
export function AllowedAddresses({ lists, yourAddress, updatedAt }: AllowedAddressesProps) {
  const cache = trpc.useUtils();
  const update = trpc.settings.update.useMutation({ onSuccess: (settings) => cache.settings.get.setData(undefined, settings) });
  const form = useInputForm({
    initialValues: fieldsOf(lists),
    toInput: ({ allowedAddresses: { dashboard, tokens } }) => ({
      allowedAddresses: { dashboard: linesOf(dashboard), tokens: linesOf(tokens) },
    }),
    check: by(updateSettingsInput),
    submit: update.mutateAsync,
    versioned: {
      updatedAt,
      fill: (settings: Settings) => settings.allowedAddresses && fieldsOf(settings.allowedAddresses),
      tell: ({ allowedAddresses: { dashboard, tokens } }) => [
        { name: t("Dashboard"), text: linesOf(dashboard).join(", "), at: ["allowedAddresses/dashboard"] },
        { name: t("Access tokens"), text: linesOf(tokens).join(", "), at: ["allowedAddresses/tokens"] },
      ],
    },
  });
  const { allowedAddresses } = form.values;
  const hasMine = linesOf(allowedAddresses.dashboard).includes(yourAddress);
  const size = { minRows: 2, maxRows: 12, maw: "26rem" };
  return (
    <InputForm form={form} label={t("Allowed addresses")} failure={t("The allowed addresses were not saved")}>
      <Textarea
        label={t("Dashboard")}
        description={t("One address or network per line, such as 203.0.113.7 or 203.0.113.0/24. Empty: any address.")}
        {...size}
        {...linesAt(form, "allowedAddresses.dashboard")}
      />
      <Stack gap={4} align="flex-start">
        <Text size="sm">
          <Rich text={t("Your address is now <0>{yourAddress}</0>.", { yourAddress })}>
            <strong />
          </Rich>
        </Text>
        <Button
          size="xs"
          variant="default"
          disabled={hasMine}
          onClick={() => {
            const dashboard = [...linesOf(allowedAddresses.dashboard), yourAddress].join("\n");
            form.change({ allowedAddresses: { ...allowedAddresses, dashboard } });
          }}
        >
          {t("Add mine")}
        </Button>
      </Stack>
      <Textarea
        label={t("Access tokens")}
        description={t("Addresses from which programs may use them. Empty: any address.")}
        {...size}
        {...linesAt(form, "allowedAddresses.tokens")}
      />
      <FormButtons form={form} submit={t("Save addresses")} saved={t("Saved. People and programs at other addresses are refused.")} />
    </InputForm>
  );
}

const linesOf = (text: string): string[] => text.split(/[\s,;]+/).filter((line) => line !== "");
