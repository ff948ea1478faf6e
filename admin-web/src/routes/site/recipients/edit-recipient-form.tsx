import { Stack, TextInput } from "@mantine/core";
import { updateRecipientInput } from "shared/core/input/sites";
import { trpc } from "../../../trpc.ts";
import { FormButtons } from "../../../ui/form/form-buttons.tsx";
import { PhoneInput } from "../../../ui/form/phone-input.tsx";
import { UnsavedGuard } from "../../../ui/form/unsaved-guard.tsx";
import { useInputForm } from "../../../ui/form/use-input-form.ts";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import type { Recipient } from "./recipient.ts";

export function EditRecipientForm({ recipient, onDone }: { recipient: Recipient; onDone: () => void }) {
  const { id, siteId } = recipient;
  const cache = trpc.useUtils();
  const update = trpc.recipients.update.useMutation({
    onSuccess: async () => {
      await cache.recipients.list.invalidate({ siteId });
      onDone();
    },
  });
  const { form, refusal, onSubmit } = useInputForm({
    schema: updateRecipientInput,
    initialValues: { phone: recipient.phone, label: recipient.label },
    toInput: ({ phone, label }) => ({ id, phone, label: label.trim() }),
    submit: update.mutateAsync,
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <UnsavedGuard isUnsaved={form.isDirty} />
      <Stack gap="md">
        {refusal !== null && <FailureNotice title="Nothing was changed" error={refusal} />}
        <PhoneInput label="Phone" required {...form.getInputProps("phone")} />
        <TextInput label="Label" autoComplete="off" data-autofocus {...form.getInputProps("label")} />
        <FormButtons submit="Save" isPending={update.isPending} onCancel={onDone} />
      </Stack>
    </form>
  );
}
