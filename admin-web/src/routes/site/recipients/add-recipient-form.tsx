import { Button, Card, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { addRecipientInput } from "shared/core/input/sites";
import { trpc } from "../../../trpc.ts";
import { PhoneInput } from "../../../ui/form/phone-input.tsx";
import { UnsavedGuard } from "../../../ui/form/unsaved-guard.tsx";
import { useInputForm } from "../../../ui/form/use-input-form.ts";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import classes from "./add-recipient-form.module.css";

/** Made anew after each phone that was added, ready for the next. */
export function AddRecipientForm({ siteId }: { siteId: string }) {
  const [added, setAdded] = useState(0);
  return <OneRecipientForm key={added} siteId={siteId} isNext={added > 0} onAdded={() => setAdded(added + 1)} />;
}

interface OneRecipientFormProps {
  siteId: string;
  /** Whether one was added just now, so that the field has the focus again. */
  isNext: boolean;
  onAdded: () => void;
}

function OneRecipientForm({ siteId, isNext, onAdded }: OneRecipientFormProps) {
  const cache = trpc.useUtils();
  const add = trpc.recipients.add.useMutation({
    onSuccess: async () => {
      await cache.recipients.list.invalidate({ siteId });
      onAdded();
    },
  });
  const { form, refusal, onSubmit } = useInputForm({
    schema: addRecipientInput,
    initialValues: { phone: "", label: "" },
    toInput: ({ phone, label }) => ({ siteId, phone, label: label.trim() }),
    submit: add.mutateAsync,
  });
  return (
    <Card withBorder component="form" padding="md" onSubmit={onSubmit} noValidate>
      <UnsavedGuard isUnsaved={form.isDirty} />
      <Stack gap="sm">
        {refusal !== null && <FailureNotice title="The phone was not added" error={refusal} />}
        <div className={classes["fields"]} ref={isNext ? focusFirst : undefined}>
          <PhoneInput label="Phone" required {...form.getInputProps("phone")} />
          <TextInput label="Label" placeholder="Whose it is" autoComplete="off" {...form.getInputProps("label")} />
          <Button type="submit" variant="light" loading={add.isPending}>
            Add
          </Button>
        </div>
      </Stack>
    </Card>
  );
}

const focusFirst = (fields: HTMLElement | null) => fields?.querySelector("input")?.focus();
