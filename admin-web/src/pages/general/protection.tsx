import { Progress, Stack, Switch, Text } from "@mantine/core";
import { formatPercent } from "../../format.ts";
import { t } from "../../language.ts";
import { useMay } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { Section } from "../../ui/page.tsx";
import { useSwitch } from "../../ui/use-switch.ts";
import { type Settings, useUpdateSettings } from "../../ui/with-settings.tsx";

/** Whether customers' data is encrypted at rest, and the progress for earlier events. */
export function EncryptionSection({ encryptPayloads, encryptionProgress: progress }: Settings) {
  const mayChange = useMay("encryptPayloads");
  return (
    <Section
      title={t("Encryption")}
      lead={t("Payloads, phone numbers and texts in the database, encrypted with this account's own key.")}
      isCard
    >
      <Stack gap="sm">
        {mayChange ? <EncryptionSwitch isOn={encryptPayloads} /> : <Text size="md">{stateWords(encryptPayloads)}</Text>}
        {progress !== null && <EarlierEvents progress={progress} />}
      </Stack>
    </Section>
  );
}

const stateWords = (isOn: boolean): string => (isOn ? t("New events are encrypted.") : t("New events are stored unencrypted."));

/** Switches encryption on or off with the next event. */
function EncryptionSwitch({ isOn }: { isOn: boolean }) {
  const update = useUpdateSettings();
  return (
    <Switch
      label={t("Encrypt payloads and phones")}
      description={t(
        "Each event takes the gateway 10 to 30% more processor time, and the database needs more space. Messages are still found by whole phone numbers. If the master key is lost, encrypted data can never be read again. If you switch this off, new events are stored unencrypted, and encrypted data stays encrypted.",
      )}
      {...useSwitch(isOn, (encryptPayloads) => update.mutateAsync({ encryptPayloads }))}
    />
  );
}

const pollMs = 2_000;

function EarlierEvents({ progress }: { progress: number }) {
  trpc.settings.get.useQuery(undefined, { refetchInterval: pollMs });
  return (
    <div>
      <Text mb={4}>{t("Earlier events are being encrypted: {percent}", { percent: formatPercent(progress) })}</Text>
      <Progress value={progress * 100} aria-label={t("Earlier events that are encrypted")} />
    </div>
  );
}
