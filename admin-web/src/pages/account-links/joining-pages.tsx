import { Button, Divider, Stack, TextInput, Anchor, Text } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { acceptInviteInput, resetPasswordInput, signUpInput } from "shared/core/input/team";
import { paths } from "../../paths.ts";
import { DeadLink, useLinkToken, OtherSession, useEnter, useSession } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { by, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { NewPasswordInput } from "../../ui/inputs.tsx";
import { FailureNotice, Loading } from "../../ui/page-states.tsx";
import { CardPage } from "../../ui/page.tsx";
import { SecondStep } from "./second-step.tsx";

export function InvitePage() {
  const token = useLinkToken();
  // Another link opened in this tab is another invitation.
  const [gone, setGone] = useState<string | null>(null);
  const [challenge, setChallenge] = useState<string | null>(null);
  if (token === "") {
    return (
      <DeadLink title="This link is incomplete">
        The part after the # is missing. Open the invitation again, or copy the whole link.
      </DeadLink>
    );
  }
  if (gone === token) {
    return (
      <DeadLink title="This invitation is no longer valid">
        It was accepted or revoked, or is older than 7 days. Ask the person who invited you for a new one.
      </DeadLink>
    );
  }
  if (challenge !== null) return <CodePage challenge={challenge} />;
  return (
    <CardPage
      title="Accept the invitation"
      lead="Enter your name and choose a password. You sign in with the e-mail address that was invited; if you do so already, enter the password that you have."
    >
      <OtherSession />
      <InviteForm key={token} token={token} onGone={() => setGone(token)} onChallenge={setChallenge} />
      <JoinByIssuer key={`${token} issuer`} token={token} onGone={() => setGone(token)} />
    </CardPage>
  );
}

/** For whom the company's own sign-in vouches: neither name nor password. */
function JoinByIssuer({ token, onGone }: Pick<LinkFormProps, "token" | "onGone">) {
  const sso = trpc.auth.state.useQuery().data?.sso;
  const { me } = useSession();
  const enter = useEnter();
  const accept = trpc.users.acceptInvite.useMutation({
    onError: (error) => {
      if (error.data?.code === "NOT_FOUND") onGone();
    },
    onSuccess: () => enter(),
  });
  if (!sso) return null;
  return (
    <Stack gap="sm">
      <Divider label="or" />
      {accept.error !== null && <FailureNotice title="The invitation was not accepted" error={accept.error} />}
      {me?.way === "sso" ? (
        <Button variant="default" loading={accept.isPending} onClick={() => accept.mutate({ token })}>
          Join as {me.user.email}
        </Button>
      ) : (
        <>
          <Button component="a" href="/auth/oidc" variant="default">
            Sign in with {sso.name}
          </Button>
          <Text size="sm">As the address that was invited. If you have another account here already, open this link again after that.</Text>
        </>
      )}
    </Stack>
  );
}

interface LinkFormProps {
  token: string;
  onGone: () => void;
  onChallenge: (challenge: string) => void;
}

function InviteForm({ token, onGone, onChallenge }: LinkFormProps) {
  const enter = useEnter();
  const accept = trpc.users.acceptInvite.useMutation({
    onError: (error) => {
      if (error.data?.code === "NOT_FOUND") onGone();
    },
  });
  const form = useInputForm({
    initialValues: { name: "", password: "" },
    toInput: (values) => ({ token, ...values }),
    check: by(acceptInviteInput),
    submit: accept.mutateAsync,
    onSaved: (answer) => ("challenge" in answer ? onChallenge(answer.challenge) : enter()),
  });
  return (
    <InputForm form={form} label="Accept the invitation" failure="The invitation was not accepted" isGuarded={false}>
      <TextInput label="Your name" autoComplete="name" required {...form.at("name")} />
      <NewPasswordInput label="Password" words={[form.values.name]} {...form.at("password")} />
      <Button type="submit" loading={form.isSaving}>
        Accept and sign in
      </Button>
    </InputForm>
  );
}

export function ResetPasswordPage() {
  const token = useLinkToken();
  const [gone, setGone] = useState<string | null>(null);
  const [challenge, setChallenge] = useState<string | null>(null);
  if (token === "") {
    return (
      <DeadLink title="This link is incomplete">The part after the # is missing. Open the link again, or copy the whole link.</DeadLink>
    );
  }
  if (gone === token) {
    return (
      <DeadLink title="This link is no longer valid">
        It was used or replaced, or is older than a day. Ask an owner of your account for a new one.
      </DeadLink>
    );
  }
  if (challenge !== null) return <CodePage challenge={challenge} />;
  return (
    <CardPage title="Set a new password" lead="It replaces the old one and signs you out on all other devices.">
      <OtherSession />
      <ResetPasswordForm key={token} token={token} onGone={() => setGone(token)} onChallenge={setChallenge} />
    </CardPage>
  );
}

function ResetPasswordForm({ token, onGone, onChallenge }: LinkFormProps) {
  const enter = useEnter();
  const reset = trpc.auth.resetPassword.useMutation({
    onError: (error) => {
      if (error.data?.code === "NOT_FOUND") onGone();
    },
  });
  const form = useInputForm({
    initialValues: { password: "" },
    toInput: ({ password }) => ({ token, password }),
    check: by(resetPasswordInput),
    submit: reset.mutateAsync,
    onSaved: (answer) => ("challenge" in answer ? onChallenge(answer.challenge) : enter()),
  });
  return (
    <InputForm form={form} label="Set a new password" failure="The password was not set" isGuarded={false}>
      <NewPasswordInput {...form.at("password")} />
      <Button type="submit" loading={form.isSaving}>
        Set password and sign in
      </Button>
    </InputForm>
  );
}

/** The link has done its work; whoever has an authenticator app signs in with its code. */
function CodePage({ challenge }: { challenge: string }) {
  const enter = useEnter();
  const navigate = useNavigate();
  return (
    <CardPage title="Sign in">
      <SecondStep challenge={challenge} onSignedIn={() => enter()} onRestart={() => void navigate({ to: paths.signIn })} />
    </CardPage>
  );
}

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
      <NewPasswordInput label="Password" words={[form.values.accountName, form.values.email]} {...form.at("password")} />
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
