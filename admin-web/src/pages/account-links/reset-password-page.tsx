import { Button, Stack } from "@mantine/core";
import { useState } from "react";
import { resetPasswordInput } from "shared/core/input/team";
import { DeadLink, useLinkToken, OtherSession, useEnter } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { NewPasswordInput } from "../../ui/inputs.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { CardPage } from "../../ui/page.tsx";
import { useInputForm } from "../../ui/use-input-form.ts";

export function ResetPasswordPage() {
  const token = useLinkToken();
  const [gone, setGone] = useState<string | null>(null);
  if (token === "") {
    return <DeadLink title="The link is not whole">The part after the # is missing. Open the link again, or copy all of it.</DeadLink>;
  }
  if (gone === token) {
    return (
      <DeadLink title="This link cannot be used">
        It was used already, a newer one was made, or it is older than a day. Ask an owner of your account for a new one.
      </DeadLink>
    );
  }
  return (
    <CardPage title="Set a new password" lead="It takes the place of the old one, and you are signed out everywhere else.">
      <OtherSession />
      <ResetPasswordForm key={token} token={token} onGone={() => setGone(token)} />
    </CardPage>
  );
}

function ResetPasswordForm({ token, onGone }: { token: string; onGone: () => void }) {
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
