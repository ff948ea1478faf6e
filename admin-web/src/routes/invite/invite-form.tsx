import { Button, Stack, TextInput } from "@mantine/core";
import { acceptInviteInput } from "shared/core/input/team";
import { useEnter } from "../../session/use-enter.ts";
import { trpc } from "../../trpc.ts";
import { NewPasswordInput } from "../../ui/form/new-password-input.tsx";
import { useInputForm } from "../../ui/form/use-input-form.ts";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";

export function InviteForm({ token, onGone }: { token: string; onGone: () => void }) {
  const enter = useEnter();
  const accept = trpc.users.acceptInvite.useMutation({
    onSuccess: () => enter(),
    onError: (error) => {
      if (error.data?.code === "NOT_FOUND") onGone();
    },
  });
  const { form, refusal, onSubmit } = useInputForm({
    schema: acceptInviteInput,
    initialValues: { name: "", password: "" },
    toInput: (values) => ({ token, ...values }),
    submit: accept.mutateAsync,
  });
  return (
    <form onSubmit={onSubmit} aria-label="Accept the invitation" noValidate>
      <Stack gap="sm">
        {refusal !== null && <FailureNotice title="The invitation was not accepted" error={refusal} />}
        <TextInput label="Your name" autoComplete="name" required {...form.getInputProps("name")} />
        <NewPasswordInput label="Password" {...form.getInputProps("password")} />
        <Button type="submit" loading={accept.isPending}>
          Accept and sign in
        </Button>
      </Stack>
    </form>
  );
}
