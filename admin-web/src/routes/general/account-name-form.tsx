import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { renameAccountInput } from "shared/core/input/sites";
import { trpc } from "../../trpc.ts";
import { UnsavedGuard } from "../../ui/form/unsaved-guard.tsx";
import { useInputForm } from "../../ui/form/use-input-form.ts";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";

export function AccountNameForm({ name }: { name: string }) {
  const cache = trpc.useUtils();
  const rename = trpc.settings.renameAccount.useMutation({
    onSuccess: ({ account }) => cache.auth.me.setData(undefined, (me) => me && { ...me, account }),
  });
  const { form, refusal, onSubmit } = useInputForm({
    schema: renameAccountInput,
    initialValues: { name },
    toInput: (values) => values,
    submit: rename.mutateAsync,
  });
  return (
    <form onSubmit={onSubmit} aria-label="Name of the account" noValidate>
      <UnsavedGuard isUnsaved={form.isDirty} />
      <Stack gap="md">
        {refusal !== null && <FailureNotice title="The account was not renamed" error={refusal} />}
        <TextInput
          key={form.key("name")}
          label="Name"
          description="Stands above the pages, for everybody in the account. The platform and your customers do not see it."
          maw="26rem"
          autoComplete="organization"
          {...form.getInputProps("name")}
        />
        <Group gap="sm">
          <Button type="submit" loading={rename.isPending}>
            Save the name
          </Button>
          <Text size="sm" role="status">
            {rename.isSuccess && "Saved."}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}
