import { Anchor, Text, Button, Stack, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { signUpInput } from "shared/core/input/team";
import { paths } from "../../paths.ts";
import { useEnter } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { NewPasswordInput } from "../../ui/inputs.tsx";
import { FailureNotice, Loading } from "../../ui/page-states.tsx";
import { CardPage } from "../../ui/page.tsx";
import { fieldErrors, type Issue } from "../../ui/use-input-form.ts";

export function SignUpPage() {
  const state = trpc.auth.state.useQuery();
  if (state.error !== null) {
    return (
      <CardPage title="Open an account">
        <FailureNotice title="The server does not answer" error={state.error} onRetry={() => void state.refetch()} />
      </CardPage>
    );
  }
  if (state.data === undefined) return <Loading what="the page" />;
  const { signUp, setupCodeNeeded } = state.data;
  if (signUp === "closed") return <Closed />;
  const isFirst = signUp === "first";
  return (
    <CardPage
      title={isFirst ? "Set up Tidings" : "Open an account"}
      lead={isFirst ? "Nobody has an account here yet. Yours will be the first, and its owner." : "You will be its owner."}
    >
      <SignUpForm setupCodeNeeded={setupCodeNeeded} />
      {!isFirst && <SignInInstead />}
    </CardPage>
  );
}

function Closed() {
  return (
    <CardPage title="Sign-up is closed">
      <Text>Ask the owner of an account to invite you.</Text>
      <SignInInstead />
    </CardPage>
  );
}

function SignInInstead() {
  return (
    <Text size="sm">
      Have an account?{" "}
      <Anchor component={Link} to={paths.signIn} underline="always">
        Sign in
      </Anchor>
    </Text>
  );
}

function SignUpForm({ setupCodeNeeded }: { setupCodeNeeded: boolean }) {
  const enter = useEnter();
  const [issues, setIssues] = useState<Issue[]>([]);
  const signUp = trpc.auth.signUp.useMutation({
    onSuccess: () => enter(paths.gettingStarted),
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
