import { Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import type { FormEvent } from "react";
import { useEnter } from "../../session/use-enter.ts";
import { trpc } from "../../trpc.ts";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";

/** `next`: the page that was asked for. */
export function SignInForm({ next }: { next: string | undefined }) {
  const enter = useEnter();
  const login = trpc.auth.login.useMutation({ onSuccess: () => enter(next) });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    login.mutate({ email: textOf(values, "email"), password: textOf(values, "password") });
  };
  return (
    <form onSubmit={submit} aria-label="Sign in">
      <Stack gap="sm">
        {login.error !== null && <FailureNotice title="You are not signed in" error={login.error} />}
        <TextInput label="E-mail" type="email" autoComplete="username" required name="email" />
        <PasswordInput label="Password" autoComplete="current-password" required name="password" />
        <Button type="submit" loading={login.isPending}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}

function textOf(values: FormData, name: string): string {
  const value = values.get(name);
  return typeof value === "string" ? value : "";
}
