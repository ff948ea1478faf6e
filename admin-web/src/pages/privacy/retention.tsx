import { Card, NumberInput, type NumberInputProps, Text } from "@mantine/core";
import { useState } from "react";
import { updateSettingsInput } from "shared/core/input/sites";
import type { Settings } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { ConfirmDialog } from "../../ui/dialogs.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import classes from "./privacy.module.css";

/** For roles that cannot change it. */
export function RetentionFacts({ retention: { payloadDays, logDays } }: { retention: Retention }) {
  return (
    <Card withBorder>
      <Facts>
        <Fact name={`Event data: ${formatDays(payloadDays)}`}>{retentionWords.payloadDays}</Fact>
        <Fact name={`Message log: ${formatDays(logDays)}`}>{retentionWords.logDays}</Fact>
        <Fact name="Never deleted by age">{retentionWords.stays}</Fact>
      </Facts>
      <Text size="sm" c="dimmed" mt="sm">
        Older data is deleted within about an hour. Only owners can change this.
      </Text>
    </Card>
  );
}

export function RetentionForm({ retention }: { retention: Retention }) {
  const [asked, setAsked] = useState<Retention | null>(null);
  const cache = trpc.useUtils();
  const update = trpc.settings.update.useMutation({ onSuccess: (settings) => cache.settings.get.setData(undefined, settings) });
  const form = useInputForm({
    initialValues: { retention },
    toInput: (values) => values,
    check: by(updateSettingsInput),
    submit: async (wanted) => {
      if (!isShorter(wanted.retention, retention)) return update.mutateAsync(wanted);
      setAsked(wanted.retention);
      return false;
    },
  });
  const confirm = async () => {
    await update.mutateAsync(form.input);
    form.markSaved();
  };
  return (
    <Card withBorder>
      <InputForm form={form} label="Data retention" failure="The retention was not changed">
        <div className={classes["fields"]}>
          <NumberInput
            label="Keep event data for (days)"
            description={retentionWords.payloadDays}
            {...daysProps}
            {...form.at("retention.payloadDays")}
          />
          <NumberInput
            label="Keep message log for (days)"
            description={retentionWords.logDays}
            {...daysProps}
            {...form.at("retention.logDays")}
          />
        </div>
        <Text size="sm" c="dimmed" maw="44rem">
          Older data is deleted within about an hour. Event data is never kept longer than its event. Never deleted by age:{" "}
          {retentionWords.stays}
        </Text>
        <FormButtons form={form} submit="Save retention" saved="Saved" />
      </InputForm>
      <KeepLessDialog wanted={asked} onClose={() => setAsked(null)} onConfirm={confirm} />
    </Card>
  );
}

/** The description stands below, so that the two inputs are in line. */
const daysProps: NumberInputProps = {
  inputWrapperOrder: ["label", "input", "description", "error"],
  min: 1,
  max: 3650,
  allowDecimal: false,
  allowNegative: false,
  clampBehavior: "none",
};

interface KeepLessDialogProps {
  /** Null while nothing is to be confirmed. */
  wanted: Retention | null;
  onClose: () => void;
  onConfirm: () => Promise<unknown>;
}

/** Confirms a change that deletes data. */
function KeepLessDialog({ wanted, onClose, onConfirm }: KeepLessDialogProps) {
  return (
    <ConfirmDialog title="Keep less data?" action="Delete older data" opened={wanted !== null} onClose={onClose} onConfirm={onConfirm}>
      {wanted !== null &&
        `Event data older than ${formatDays(wanted.payloadDays)} and log entries older than ${formatDays(wanted.logDays)} are deleted for good within about an hour.`}
    </ConfirmDialog>
  );
}

type Retention = Settings["retention"];

/** Whether a change deletes stored data. */
export const isShorter = (next: Retention, stored: Retention): boolean =>
  next.payloadDays < stored.payloadDays || next.logDays < stored.logDays;

const retentionWords = {
  payloadDays: "The JSON of each event, its processing steps, and samples of its fields.",
  logDays: "Events and messages, orders without events, deleted sites, and sandbox messages.",
  stays: "daily counts, the audit log, all settings, and opt-outs.",
};

const formatDays = (days: number): string => days.toLocaleString(undefined, { style: "unit", unit: "day", unitDisplay: "long" });
