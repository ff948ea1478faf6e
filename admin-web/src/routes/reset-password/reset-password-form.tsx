import { Button, Stack } from "@mantine/core";
import { resetPasswordInput } from "shared/core/input/team";
import { useEnter } from "../../session/use-enter.ts";
import { trpc } from "../../trpc.ts";
import { NewPasswordInput } from "../../ui/form/new-password-input.tsx";
import { useInputForm } from "../../ui/form/use-input-form.ts";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";

export function ResetPasswordForm({ token, onGone }: { token: string; onGone: () => void }) {
  const enter = useEnter();
  const reset = trpc.auth.resetPassword.useMutation({
    onSuccess: () => enter(),
    onError: (error) => {
      if (error.data?.code === "NOT_FOUND") onGone();
    },
  });
  const { form, refusal, onSubmit } = useInputForm({
    schema: resetPasswordInput,
    initialValues: { password: "" },
    toInput: ({ password }) => ({ token, password }),
    submit: reset.mutateAsync,
  });
  return (
    <form onSubmit={onSubmit} aria-label="Set a new password" noValidate>
      <Stack gap="sm">
        {refusal !== null && <FailureNotice title="The password was not set" error={refusal} />}
        <NewPasswordInput {...form.getInputProps("password")} />
        <Button type="submit" loading={reset.isPending}>
          Set it and sign in
        </Button>
      </Stack>
    </form>
  );
}
