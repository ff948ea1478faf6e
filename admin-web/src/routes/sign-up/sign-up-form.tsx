import { Button, Stack, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { signUpInput } from "shared/core/input/team";
import { paths } from "../../paths.ts";
import { useEnter } from "../../session/use-enter.ts";
import { trpc } from "../../trpc.ts";
import { fieldErrors, type Issue } from "../../ui/form/field-errors.ts";
import { NewPasswordInput } from "../../ui/form/new-password-input.tsx";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";

export function SignUpForm({ setupCodeNeeded }: { setupCodeNeeded: boolean }) {
  const enter = useEnter();
  const [issues, setIssues] = useState<Issue[]>([]);
  const signUp = trpc.auth.signUp.useMutation({
    onSuccess: () => enter(paths.firstDay),
    onError: (error) => setIssues(error.data?.issues ?? []),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const input = signUpInput.safeParse(Object.fromEntries(values));
    setIssues(input.error?.issues ?? []);
    if (input.success) signUp.mutate(input.data);
  };
  const errors = fieldErrors(issues);
  return (
    <form onSubmit={submit} aria-label="Open an account">
      <Stack gap="sm">
        {signUp.error !== null && issues.length === 0 && <FailureNotice title="The account was not opened" error={signUp.error} />}
        <TextInput
          label="Account name"
          description="Your company or shop"
          autoComplete="organization"
          required
          name="accountName"
          error={errors["accountName"]}
        />
        <TextInput label="E-mail" type="email" autoComplete="username" required name="email" error={errors["email"]} />
        <NewPasswordInput label="Password" name="password" error={errors["password"]} />
        {setupCodeNeeded && (
          <TextInput
            label="Set-up code"
            description="The server printed it when it started"
            autoComplete="off"
            required
            name="setupCode"
            error={errors["setupCode"]}
          />
        )}
        <Button type="submit" loading={signUp.isPending}>
          Open the account
        </Button>
      </Stack>
    </form>
  );
}
