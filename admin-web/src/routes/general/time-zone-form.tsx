import { Button, Group, Select, Stack, Text } from "@mantine/core";
import { useMemo } from "react";
import { updateSettingsInput } from "shared/core/input/sites";
import { trpc } from "../../trpc.ts";
import { UnsavedGuard } from "../../ui/form/unsaved-guard.tsx";
import { useInputForm } from "../../ui/form/use-input-form.ts";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { TimeZoneFact } from "./time-zone-fact.tsx";
import { TimeZoneOption } from "./time-zone-option.tsx";
import { timeZoneChoices } from "./time-zones.ts";

export function TimeZoneForm({ timezone }: { timezone: string }) {
  const choices = useMemo(() => timeZoneChoices(timezone), [timezone]);
  const cache = trpc.useUtils();
  const update = trpc.settings.update.useMutation({ onSuccess: (settings) => cache.settings.get.setData(undefined, settings) });
  const { form, refusal, onSubmit } = useInputForm({
    schema: updateSettingsInput,
    initialValues: { timezone },
    toInput: (values) => values,
    submit: update.mutateAsync,
  });
  return (
    <form onSubmit={onSubmit} aria-label="Time zone" noValidate>
      <UnsavedGuard isUnsaved={form.isDirty} />
      <Stack gap="md">
        {refusal !== null && <FailureNotice title="The time zone was not changed" error={refusal} />}
        <div>
          <TimeZoneFact timezone={timezone} />
        </div>
        <Select
          key={form.key("timezone")}
          label="Time zone"
          placeholder="A city or a region"
          maw="26rem"
          data={choices}
          searchable
          allowDeselect={false}
          nothingFoundMessage="No such zone: try a larger city nearby"
          renderOption={({ option }) => <TimeZoneOption {...option} />}
          {...form.getInputProps("timezone")}
        />
        <Group gap="sm">
          <Button type="submit" loading={update.isPending}>
            Save the time zone
          </Button>
          <Text size="sm" role="status">
            {update.isSuccess && "Saved. It holds from the next message on."}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}
