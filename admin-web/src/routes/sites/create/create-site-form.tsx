import { NativeSelect, Stack, TextInput } from "@mantine/core";
import { createSiteInput, type SourceType } from "shared/core/input/sites";
import { type Outputs, trpc } from "../../../trpc.ts";
import { FormButtons } from "../../../ui/form/form-buttons.tsx";
import { PhoneInput } from "../../../ui/form/phone-input.tsx";
import { UnsavedGuard } from "../../../ui/form/unsaved-guard.tsx";
import { useInputForm } from "../../../ui/form/use-input-form.ts";
import { sourceTypeChoices } from "../../../ui/source-type-words.ts";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";

/** A site and its two secrets, which the server will not show again. */
export type MadeSite = Outputs["sites"]["create"];

interface CreateSiteFormProps {
  onMade: (made: MadeSite) => void;
  /** Where the form can be left without a site. */
  onCancel?: () => void;
}

const initialValues: { name: string; url: string; sourceType: SourceType; testPhone: string } = {
  name: "",
  url: "",
  sourceType: "generic",
  testPhone: "",
};

export function CreateSiteForm({ onMade, onCancel }: CreateSiteFormProps) {
  const cache = trpc.useUtils();
  const create = trpc.sites.create.useMutation({
    onSuccess: async (made) => {
      onMade(made);
      await cache.sites.invalidate();
    },
  });
  const { form, refusal, onSubmit } = useInputForm({
    schema: createSiteInput,
    initialValues,
    toInput: ({ testPhone, ...rest }) => ({ ...rest, testPhone: testPhone === "" ? null : testPhone }),
    submit: create.mutateAsync,
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <UnsavedGuard isUnsaved={form.isDirty} />
      <Stack gap="md">
        {refusal !== null && <FailureNotice title="No site was made" error={refusal} />}
        <TextInput
          label="Name"
          description="As your team calls it"
          autoComplete="off"
          required
          data-autofocus
          {...form.getInputProps("name")}
        />
        <TextInput
          label="URL"
          description="Of the shop, clinic or product that sends the events"
          type="url"
          placeholder="https://shop.example"
          autoComplete="off"
          required
          {...form.getInputProps("url")}
        />
        <NativeSelect label="Source type" data={sourceTypeChoices} {...form.getInputProps("sourceType")} />
        <PhoneInput label="Test phone" description="Optional: test events go here only" {...form.getInputProps("testPhone")} />
        <FormButtons submit="Make the site" isPending={create.isPending} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
