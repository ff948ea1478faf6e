import { Button, Card, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { changePasswordInput } from "shared/core/input/team";
import { trpc } from "../../trpc.ts";
import { NewPasswordInput } from "../../ui/form/new-password-input.tsx";
import { UnsavedGuard } from "../../ui/form/unsaved-guard.tsx";
import { useInputForm } from "../../ui/form/use-input-form.ts";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";

export function PasswordForm() {
  const cache = trpc.useUtils();
  const change = trpc.auth.changePassword.useMutation({ onSuccess: () => cache.auth.sessions.invalidate() });
  const { form, refusal, onSubmit } = useInputForm({
    schema: changePasswordInput,
    initialValues: { currentPassword: "", newPassword: "" },
    toInput: (values) => values,
    submit: async (input) => {
      await change.mutateAsync(input);
      form.reset();
    },
  });
  return (
    <Card withBorder>
      <UnsavedGuard isUnsaved={form.isDirty} />
      <form onSubmit={onSubmit} aria-label="Change the password" noValidate>
        <Stack gap="sm" maw={420}>
          {refusal !== null && <FailureNotice title="The password was not changed" error={refusal} />}
          <PasswordInput
            key={form.key("currentPassword")}
            label="Current password"
            autoComplete="current-password"
            required
            {...form.getInputProps("currentPassword")}
          />
          <NewPasswordInput key={form.key("newPassword")} {...form.getInputProps("newPassword")} />
          <Group gap="sm">
            <Button type="submit" loading={change.isPending}>
              Change the password
            </Button>
            <Text size="sm" role="status">
              {change.isSuccess && "The password is changed."}
            </Text>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
