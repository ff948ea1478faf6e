import { Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { FormEvent } from "react";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { FailureNotice } from "../../ui/failure-notice.tsx";

export function SignInForm() {
  const navigate = useNavigate();
  const cache = useQueryClient();
  const login = trpc.auth.login.useMutation({
    onSuccess: async () => {
      // Nothing of whoever was signed in before may show.
      cache.clear();
      await navigate({ to: paths.home });
    },
  });
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
