import { Button, Card, Group, NativeSelect, NumberInput, Stack, Text, TextInput } from "@mantine/core";
import { updateSiteInput } from "shared/core/input/sites";
import { trpc } from "../../../trpc.ts";
import { PhoneInput } from "../../../ui/form/phone-input.tsx";
import { UnsavedGuard } from "../../../ui/form/unsaved-guard.tsx";
import { useInputForm } from "../../../ui/form/use-input-form.ts";
import { sourceTypeChoices } from "../../../ui/source-type-words.ts";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import type { Site } from "../site.ts";
import { useKeepSite } from "../use-keep-site.ts";
import { detailsInput, detailsOf } from "./details.ts";

export function DetailsForm({ site }: { site: Site }) {
  const update = trpc.sites.update.useMutation({ onSuccess: useKeepSite() });
  const { form, refusal, onSubmit } = useInputForm({
    schema: updateSiteInput,
    initialValues: detailsOf(site),
    toInput: (values) => detailsInput(site.id, values),
    submit: update.mutateAsync,
  });
  return (
    <Card withBorder component="form" onSubmit={onSubmit} onInput={update.reset} noValidate>
      <UnsavedGuard isUnsaved={form.isDirty} />
      <Stack gap="md">
        {refusal !== null && <FailureNotice title="The details were not saved" error={refusal} />}
        <TextInput label="Name" autoComplete="off" required {...form.getInputProps("name")} />
        <TextInput label="URL" type="url" autoComplete="off" required {...form.getInputProps("url")} />
        <NativeSelect
          label="Source type"
          description="Also what the address to post to says; older addresses keep working"
          data={sourceTypeChoices}
          {...form.getInputProps("sourceType")}
        />
        <PhoneInput
          label="Test phone"
          description="Test events go to it alone; without one they reach nobody"
          {...form.getInputProps("testPhone")}
        />
        <NumberInput
          label="Requests a second, at most"
          description="More are refused with 429, to be posted again. Empty: no limit"
          min={1}
          max={1_000_000}
          clampBehavior="none"
          allowDecimal={false}
          allowNegative={false}
          hideControls
          {...form.getInputProps("rateLimitPerSecond")}
        />
        <Group justify="flex-end" gap="sm">
          <Text size="sm" c="dimmed" role="status">
            {update.isSuccess && "Saved"}
          </Text>
          <Button type="submit" loading={update.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}
