import { Anchor, Text, Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { Link, Navigate, useSearch } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useEnter } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { later } from "../../ui/base/later.tsx";
import { CardPage, FailureNotice, rich } from "../../ui/base/page.tsx";

const SecondStep = later(async () => (await import("./second-step.tsx")).SecondStep);
const PasskeySignIn = later(async () => (await import("./second-step.tsx")).PasskeySignIn);
const DemoHint = later(async () => (await import("./forgotten-password.tsx")).DemoHint);
const ForgottenPassword = later(async () => (await import("./forgotten-password.tsx")).ForgottenPassword);
const OpenIdSignIn = later(async () => (await import("./second-step.tsx")).OpenIdSignIn);

export function SignInPage() {
  const state = trpc.auth.state.useQuery();
  const { next } = useSearch({ from: paths.signIn });
  if (state.data?.signUp === "first") return <Navigate to={paths.signUp} replace />;
  return (
    <CardPage title={t("Sign in")}>
      <FailureNotice title={t("The server does not respond")} of={state} />
      <SignInForm next={next} />
      {state.data?.demo === true && <DemoHint />}
      {state.data?.mail === true && <ForgottenPassword />}
      {state.data?.sso && <OpenIdSignIn {...state.data.sso} />}
      {state.data?.signUp === "open" && (
        <Text>{rich(t("No account yet? <0>Create one</0>"), <Anchor component={Link} to={paths.signUp} />)}</Text>
      )}
    </CardPage>
  );
}

/** A plain form, since signing in loads neither the schemas nor the form engine. `next`: the page to open then. */
function SignInForm({ next }: { next: string | undefined }) {
  const enter = useEnter();
  const [challenge, setChallenge] = useState<string>();
  const onSignedIn = () => enter(next);
  const login = trpc.auth.login.useMutation({
    onSuccess: (answer) => ("challenge" in answer ? setChallenge(answer.challenge) : onSignedIn()),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    login.mutate({ email: textOf(values, "email"), password: textOf(values, "password") });
  };
  if (challenge !== undefined)
    return <SecondStep challenge={challenge} onSignedIn={onSignedIn} onRestart={() => setChallenge(undefined)} />;
  return (
    <form onSubmit={submit} aria-label={t("Sign in")}>
      <Stack gap="sm">
        <FailureNotice title={t("You are not signed in")} of={login} />
        <TextInput label={t("E-mail")} type="email" autoComplete="username" required name="email" />
        <PasswordInput label={t("Password")} autoComplete="current-password" required name="password" />
        <Button type="submit" loading={login.isPending}>
          {t("Sign in")}
        </Button>
        <PasskeySignIn onSignedIn={onSignedIn} />
      </Stack>
    </form>
  );
}

function textOf(values: FormData, name: string): string {
  const value = values.get(name);
  return typeof value === "string" ? value : "";
}
