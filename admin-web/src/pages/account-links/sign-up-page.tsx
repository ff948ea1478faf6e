import { Anchor, Button, Text, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { signUpInput } from "shared/core/input/team";
import { paths } from "../../paths.ts";
import { useEnter } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { by, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { NewPasswordInput } from "../../ui/inputs.tsx";
import { FailureNotice, Loading } from "../../ui/page-states.tsx";
import { CardPage } from "../../ui/page.tsx";

export function SignUpPage() {
  const state = trpc.auth.state.useQuery();
  if (state.error !== null) {
    return (
      <CardPage title="Open an account">
        <FailureNotice title="The server does not respond" error={state.error} onRetry={() => void state.refetch()} />
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
      lead={isFirst ? "There is no account on this server yet. You will own the first one." : "You will be its owner."}
    >
      <SignUpForm setupCodeNeeded={setupCodeNeeded} />
      {!isFirst && <SignInInstead />}
    </CardPage>
  );
}

function Closed() {
  return (
    <CardPage title="Sign-up is closed">
      <Text>Ask an account owner to invite you.</Text>
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
  const signUp = trpc.auth.signUp.useMutation();
  const form = useInputForm({
    initialValues: { accountName: "", email: "", password: "", setupCode: "" },
    toInput: ({ setupCode, ...rest }) => ({ ...rest, ...(setupCodeNeeded && { setupCode }) }),
    check: by(signUpInput),
    submit: signUp.mutateAsync,
    onSaved: () => enter(paths.gettingStarted),
  });
  return (
    <InputForm form={form} label="Open an account" failure="The account was not opened" isGuarded={false}>
      <TextInput label="Account name" description="Your company or shop" autoComplete="organization" required {...form.at("accountName")} />
      <TextInput label="E-mail" type="email" autoComplete="username" required {...form.at("email")} />
      <NewPasswordInput label="Password" {...form.at("password")} />
      {setupCodeNeeded && (
        <TextInput
          label="Setup code"
          description="Printed by the server when it started"
          autoComplete="off"
          required
          {...form.at("setupCode")}
        />
      )}
      <Button type="submit" loading={form.isSaving}>
        Open account
      </Button>
    </InputForm>
  );
}
