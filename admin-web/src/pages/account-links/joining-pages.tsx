import { Alert, Divider, Stack, TextInput, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { t, translated } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useEnter, useSession } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { SecondaryButton } from "../../ui/base/buttons.tsx";
import { running } from "../../ui/base/fields.ts";
import { tableOf } from "../../ui/base/labels.ts";
import { CardPage, FailureNotice, Loading, rich } from "../../ui/base/page.tsx";
import { InputForm, SubmitButton, useInputForm } from "../../ui/form/input-form.tsx";
import { by } from "../../ui/form/input-issues.ts";
import { NewPasswordInput } from "../../ui/form/inputs.tsx";
import labels from "./link-labels.json";
import { DeadLink, useLinkToken, SignInInstead } from "./link.tsx";
import { SecondStep } from "./second-step.tsx";

const words = tableOf(labels);

export const InvitePage = () => (
  <LinkPage words={words.invite}>
    {(link) => (
      <>
        <Invitation key={`${link.token} words`} {...link} />
        <InviteForm key={link.token} {...link} />
        <JoinByIssuer key={`${link.token} issuer`} {...link} />
      </>
    )}
  </LinkPage>
);

interface LinkPageProps {
  /** `incomplete`: for a link without its token. `gone` and `why`: once the server no longer knows the token. */
  words: (typeof words)["invite"];
  children: (link: LinkProps) => ReactNode;
}

interface LinkProps {
  token: string;
  onGone: () => void;
  /** Takes the refusal of a call with the token. */
  onError: (error: { data?: { code: string } | null | undefined }) => void;
  /** Takes the answer of the call with which the link has done its work. */
  onSaved: (answer: object | { challenge: string }) => unknown;
}

/** The page of a link with a token; once the link has done its work, that of the code by which a person with an authenticator app signs in. */
function LinkPage({ words: { title, lead, incomplete, gone: goneTitle, why }, children }: LinkPageProps) {
  const token = useLinkToken();
  // Another link opened in this tab has another token.
  const [gone, setGone] = useState<string | null>(null);
  const [challenge, setChallenge] = useState<string | null>(null);
  const enter = useEnter();
  const navigate = useNavigate();
  if (token === "") return <DeadLink title={t("This link is incomplete")}>{incomplete}</DeadLink>;
  if (gone === token) return <DeadLink title={goneTitle}>{why}</DeadLink>;
  if (challenge !== null)
    return (
      <CardPage title={t("Sign in")}>
        <SecondStep challenge={challenge} onSignedIn={() => enter()} onRestart={() => void navigate({ to: paths.signIn })} />
      </CardPage>
    );
  const onGone = () => setGone(token);
  return (
    <CardPage title={title} lead={lead}>
      {children({
        token,
        onGone,
        onError: ({ data }) => data?.code === "NOT_FOUND" && onGone(),
        onSaved: (answer) => ("challenge" in answer ? setChallenge(answer.challenge) : enter()),
      })}
    </CardPage>
  );
}

/** The account, role and address of the invitation, with a warning where somebody else is signed in. */
function Invitation({ token, onGone }: LinkProps) {
  const { me } = useSession();
  const read = trpc.users.readInvite.useMutation({
    onSuccess: ({ invitation }) => {
      if (invitation === null) onGone();
    },
  });
  const { mutate } = read;
  useEffect(() => mutate({ token }), [mutate, token]);
  if (!read.data?.invitation) return <OtherSession />;
  const { account, role, email } = read.data.invitation;
  const isOther = me !== undefined && me.user.email.toLowerCase() !== email.toLowerCase();
  return (
    <Alert color={isOther ? "yellow" : "teal"} title={t("{account}, as {role}", { account, role: translated(role) })}>
      {rich(
        t("The invitation is for <0>{email}</0>. {value}", {
          email,
          value:
            isOther &&
            t("You are signed in as {email}: going on ends this session in the browser. If it is not for you, send the link on.", {
              email: me.user.email,
            }),
        }),
        <strong />,
      )}
    </Alert>
  );
}

/** Takes neither name nor password from a person for whom the company's own sign-in vouches. */
function JoinByIssuer({ token, onError }: LinkProps) {
  const sso = trpc.auth.state.useQuery().data?.sso;
  const { me } = useSession();
  const enter = useEnter();
  const accept = trpc.users.acceptInvite.useMutation({ onError, onSuccess: () => enter() });
  if (!sso) return null;
  return (
    <Stack gap="sm">
      <Divider label={t("or")} />
      <FailureNotice title={t("The invitation was not accepted")} of={accept} />
      {me?.way === "sso" ? (
        <SecondaryButton {...running(accept, { token })}>{t("Join as {email}", { email: me.user.email })}</SecondaryButton>
      ) : (
        <>
          <SecondaryButton component="a" href="/auth/oidc">
            {t("Sign in with {name}", { name: sso.name })}
          </SecondaryButton>
          <Text>
            {t("Use the invited e-mail address. If you have another account here already, open this link again after you sign in.")}
          </Text>
        </>
      )}
    </Stack>
  );
}

function InviteForm({ token, onError, onSaved }: LinkProps) {
  const form = useInputForm({
    initialValues: { name: "", password: "" },
    toInput: (values) => ({ token, ...values }),
    check: by("acceptInviteInput"),
    submit: trpc.users.acceptInvite.useMutation({ onError }).mutateAsync,
    onSaved,
  });
  return (
    <InputForm form={form} label={t("Accept the invitation")} failure={t("The invitation was not accepted")} isGuarded={false}>
      <TextInput label={t("Your name")} autoComplete="name" required {...form.at("name")} />
      <NewPasswordInput label={t("Password")} words={[form.values.name]} {...form.at("password")} />
      <SubmitButton form={form}>{t("Accept and sign in")}</SubmitButton>
    </InputForm>
  );
}

export const ResetPasswordPage = () => (
  <LinkPage words={words.reset}>
    {(link) => (
      <>
        <OtherSession />
        <ResetPasswordForm key={link.token} {...link} />
      </>
    )}
  </LinkPage>
);

function ResetPasswordForm({ token, onError, onSaved }: LinkProps) {
  const form = useInputForm({
    initialValues: { password: "" },
    toInput: ({ password }) => ({ token, password }),
    check: by("resetPasswordInput"),
    submit: trpc.auth.resetPassword.useMutation({ onError }).mutateAsync,
    onSaved,
  });
  return (
    <InputForm form={form} label={t("Set a new password")} failure={t("The password was not set")} isGuarded={false}>
      <NewPasswordInput {...form.at("password")} />
      <SubmitButton form={form}>{t("Set password and sign in")}</SubmitButton>
    </InputForm>
  );
}

export function SignUpPage() {
  const state = trpc.auth.state.useQuery();
  if (state.error !== null)
    return (
      <CardPage title={t("Create an account")}>
        <FailureNotice title={t("The server does not respond")} of={state} />
      </CardPage>
    );
  if (state.data === undefined) return <Loading what={t("the page")} />;
  const { signUp, setupCodeNeeded } = state.data;
  if (signUp === "closed")
    return (
      <CardPage title={t("Sign-up is closed")}>
        <Text size="md">{t("Ask an account owner to invite you.")}</Text>
        <SignInInstead />
      </CardPage>
    );
  const isFirst = signUp === "first";
  return (
    <CardPage
      title={isFirst ? t("Set up Tidings") : t("Create an account")}
      lead={isFirst ? t("There is no account on this server yet. You will own the first one.") : t("You will be its owner.")}
    >
      <SignUpForm setupCodeNeeded={setupCodeNeeded} />
      {!isFirst && <SignInInstead />}
    </CardPage>
  );
}

function SignUpForm({ setupCodeNeeded }: { setupCodeNeeded: boolean }) {
  const enter = useEnter();
  const signUp = trpc.auth.signUp.useMutation();
  const form = useInputForm({
    initialValues: { accountName: "", email: "", password: "", setupCode: "" },
    toInput: ({ setupCode, ...rest }) => ({ ...rest, ...(setupCodeNeeded && { setupCode }) }),
    check: by("signUpInput"),
    submit: signUp.mutateAsync,
    onSaved: () => enter(paths.gettingStarted),
  });
  if (signUp.error?.data?.reason === "email")
    return (
      <Text size="md" role="status">
        {t("Your account is made, but many are being opened right now. Open the link that was sent to {email}, then sign in.", {
          email: form.values.email,
        })}
      </Text>
    );
  return (
    <InputForm form={form} label={t("Create an account")} failure={t("The account was not created")} isGuarded={false}>
      <TextInput
        label={t("Account name")}
        description={t("Your company or shop")}
        autoComplete="organization"
        required
        {...form.at("accountName")}
      />
      <TextInput label={t("E-mail")} type="email" autoComplete="username" required {...form.at("email")} />
      <NewPasswordInput label={t("Password")} words={[form.values.accountName, form.values.email]} {...form.at("password")} />
      {setupCodeNeeded && (
        <TextInput label={t("Setup code")} description={t("Printed by the server when it started")} required {...form.at("setupCode")} />
      )}
      <SubmitButton form={form}>{t("Create account")}</SubmitButton>
    </InputForm>
  );
}

/** Warns that going on replaces the current session. */
function OtherSession() {
  const { me } = useSession();
  if (me === undefined) return null;
  return (
    <Alert color="yellow" title={t("You are signed in as {email}", { email: me.user.email })}>
      {t("If you continue, your session in this browser ends. If the link is meant for someone else, send it to them.")}
    </Alert>
  );
}
