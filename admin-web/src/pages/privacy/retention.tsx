import { Card, Text, Button, Group, NumberInput, type NumberInputProps, Stack } from "@mantine/core";
import { useState } from "react";
import { retentionSchema } from "shared/core/input/sites";
import type { Settings } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { ConfirmDialog } from "../../ui/dialogs.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { UnsavedGuard } from "../../ui/inputs.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { useInputForm } from "../../ui/use-input-form.ts";
import classes from "./privacy.module.css";

/** For whoever may not change it. */
export function RetentionFacts({ retention: { payloadDays, logDays } }: { retention: Retention }) {
  return (
    <Card withBorder>
      <Facts>
        <Fact name={`Payloads: ${payloadDays} days`}>{retentionWords.payloadDays}</Fact>
        <Fact name={`Log: ${logDays} days`}>{retentionWords.logDays}</Fact>
        <Fact name="Not removed by age">{retentionWords.stays}</Fact>
      </Facts>
      <Text size="sm" c="dimmed" mt="sm">
        What is older is gone within about an hour. Owners change this.
      </Text>
    </Card>
  );
}

export function RetentionForm({ retention }: { retention: Retention }) {
  const [asked, setAsked] = useState<Retention | null>(null);
  const cache = trpc.useUtils();
  const update = trpc.settings.update.useMutation({ onSuccess: (settings) => cache.settings.get.setData(undefined, settings) });
  const save = (wanted: Retention) => update.mutateAsync({ retention: wanted });
  const { form, refusal, onSubmit } = useInputForm({
    schema: retentionSchema,
    member: "retention",
    initialValues: { ...retention },
    toInput: (values) => values,
    submit: async (wanted) => {
      if (isShorter(wanted, retention)) setAsked(wanted);
      else await save(wanted);
    },
  });
  const isUnsaved = () => Object.entries(form.getValues()).some(([name, value]) => value !== retention[name as keyof Retention]);
  return (
    <Card withBorder>
      <UnsavedGuard isUnsaved={isUnsaved} />
      <form onSubmit={onSubmit} aria-label="How long things are kept" noValidate>
        <Stack gap="md">
          {refusal !== null && <FailureNotice title="Nothing was changed" error={refusal} />}
          <div className={classes["fields"]}>
            <NumberInput
              key={form.key("payloadDays")}
              label="Payloads, days"
              description={retentionWords.payloadDays}
              {...daysProps}
              {...form.getInputProps("payloadDays")}
            />
            <NumberInput
              key={form.key("logDays")}
              label="Log, days"
              description={retentionWords.logDays}
              {...daysProps}
              {...form.getInputProps("logDays")}
            />
          </div>
          <Text size="sm" c="dimmed" maw="44rem">
            What is older is gone within about an hour. A payload never outlives its event. Not removed by age:{" "}
            {retentionWords.stays.toLowerCase()}
          </Text>
          <Group gap="sm">
            <Button type="submit" loading={update.isPending}>
              Save
            </Button>
            <Text size="sm" role="status">
              {update.isSuccess && "Saved."}
            </Text>
          </Group>
        </Stack>
      </form>
      <KeepLessDialog wanted={asked} onClose={() => setAsked(null)} onConfirm={save} />
    </Card>
  );
}

/** With the description below, the two stay in line. */
const daysProps: NumberInputProps = {
  inputWrapperOrder: ["label", "input", "description", "error"],
  min: 1,
  max: 3650,
  allowDecimal: false,
  allowNegative: false,
  clampBehavior: "none",
};

interface KeepLessDialogProps {
  /** What was asked for; null while nothing is. */
  wanted: Retention | null;
  onClose: () => void;
  onConfirm: (wanted: Retention) => Promise<unknown>;
}

/** Asks before a change that lets something be removed. */
function KeepLessDialog({ wanted, onClose, onConfirm }: KeepLessDialogProps) {
  return (
    <ConfirmDialog
      title="Keep less?"
      action="Keep less"
      opened={wanted !== null}
      onClose={onClose}
      onConfirm={async () => wanted && onConfirm(wanted)}
    >
      Payloads older than {wanted?.payloadDays} days and the log older than {wanted?.logDays} days are removed within about an hour, and
      nobody can bring them back.
    </ConfirmDialog>
  );
}

type Retention = Settings["retention"];

/** Whether a change lets something be removed that is there now. */
export const isShorter = (next: Retention, stored: Retention): boolean =>
  next.payloadDays < stored.payloadDays || next.logDays < stored.logDays;

/** What goes with each of the two, and what stays. */
const retentionWords = {
  payloadDays: "The text of each event as it was received, the notes of its way, and samples of its fields.",
  logDays: "Events and messages, orders whose last event is gone, deleted sites, and what the sandbox phone holds.",
  stays: "Counts by day, the audit, everything that was set up, and who opted out.",
};
