import { Alert, Anchor, Text } from "@mantine/core";
import { useState } from "react";
import { t, translated } from "../../language.ts";
import { trpc } from "../../trpc.ts";
import { SecondaryButton } from "../../ui/base/buttons.tsx";
import { rich } from "../../ui/base/page.tsx";
import { InputForm, SubmitButton, useInputForm } from "../../ui/form/input-form.tsx";
import { CodeInput, PasskeyButton } from "../../ui/person/second-factor.tsx";
import labels from "./labels.json";

/** Asks for the code after the password was right. */
export function SecondStep({
  challenge,
  onSignedIn,
  onRestart,
}: {
  challenge: string;
  onSignedIn: () => Promise<void>;
  onRestart: () => void;
}) {
  const form = useInputForm({
    initialValues: { code: "" },
    toInput: ({ code }) => ({ challenge, code }),
    check: ({ code }) => (code.trim() === "" ? [{ path: ["code"], message: t("Enter the code") }] : []),
    submit: trpc.auth.secondFactor.useMutation().mutateAsync,
    onSaved: onSignedIn,
  });
  return (
    <InputForm form={form} label={t("Second step")} failure={t("You are not signed in")} isGuarded={false}>
      <Text>{t("Your password is right. Enter the code that your authenticator app shows, or one of your recovery codes.")}</Text>
      <CodeInput label={t("Code")} {...form.at("code")} />
      <SubmitButton form={form}>{t("Sign in")}</SubmitButton>
      <Text>
        {rich(
          t("Lost both? Ask an owner of your account to remove your second factor. <0>Start again</0>"),
          <Anchor component="button" type="button" onClick={onRestart} />,
        )}
      </Text>
    </InputForm>
  );
}

/** Signs in without a password, where the browser has passkeys. */
export function PasskeySignIn({ onSignedIn }: { onSignedIn: () => Promise<void> }) {
  const start = trpc.auth.startPasskeySignIn.useMutation();
  const signIn = trpc.auth.passkeySignIn.useMutation({ onSuccess: onSignedIn });
  return <PasskeyButton failure={t("You are not signed in")} start={start.mutateAsync} finish={signIn.mutateAsync} />;
}

/** Leads to the company's own sign-in, and says why it let nobody in. `name` is the company's name for it. */
export function OpenIdSignIn({ name }: { name: string }) {
  const [refused] = useState(() => new URLSearchParams(window.location.search).get("refused"));
  return (
    <>
      {refused !== null && (
        <Alert color="red" title={t("{name} did not sign you in", { name })} role="alert">
          {translated(reasons[refused] ?? "") || t("The answer could not be verified. Try again; the server's log says more.")}
        </Alert>
      )}
      <SecondaryButton component="a" href="/auth/oidc">
        {t("Sign in with {name}", { name })}
      </SecondaryButton>
    </>
  );
}

const reasons: Record<string, string> = labels;
