import { Card, Progress, Stack, Switch, Text } from "@mantine/core";
import { useMay, WithSettings } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";

/** Whether customers' data is encrypted at rest, and how far that of earlier events has come. */
export function EncryptionSection() {
  const mayChange = useMay("owner");
  return (
    <Section title="Encryption" lead="Payloads, phones and texts in the database, under a key of this account.">
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

const stateWords = (isOn: boolean): string => (isOn ? "New events are encrypted." : "New events are stored in the clear.");

/** Takes effect with the next event. */
function EncryptionSwitch({ isOn }: { isOn: boolean }) {
  const cache = trpc.useUtils();
  const update = trpc.settings.update.useMutation({ onSuccess: (settings) => cache.settings.get.setData(undefined, settings) });
  return (
    <>
      {update.error !== null && <FailureNotice title="The setting was not changed" error={update.error} />}
      <Switch
        label="Encrypt payloads and phones"
        description="Each event takes the gateway 10 to 30 % more processor time and the database more room. The log still finds whole phone numbers. If the master key is lost, what is encrypted can never be read again. Switched off, new events are stored in the clear, and what is encrypted stays so."
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
        Earlier events are being encrypted: {percent} %
      </Text>
      <Progress value={percent} aria-label="Earlier events that are encrypted" />
    </div>
  );
}
