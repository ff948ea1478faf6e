import { Button, Card, Group, NumberInput, type NumberInputProps, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { retentionSchema } from "shared/core/input/sites";
import { trpc } from "../../../trpc.ts";
import { UnsavedGuard } from "../../../ui/form/unsaved-guard.tsx";
import { useInputForm } from "../../../ui/form/use-input-form.ts";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import { KeepLessDialog } from "./keep-less-dialog.tsx";
import { isShorter, type Retention, retentionWords } from "./retention.ts";
import classes from "./retention-form.module.css";

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
