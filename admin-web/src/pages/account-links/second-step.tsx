import { Anchor, Button, Divider, Stack, Text } from "@mantine/core";
import { trpc } from "../../trpc.ts";
import { InputForm, useInputForm } from "../../ui/input-form.tsx";
import { answerWithPasskey, hasPasskeys, CodeInput, PasskeyFailure, usePasskeyCall } from "../../ui/second-factor.tsx";

interface SecondStepProps {
  challenge: string;
  onSignedIn: () => Promise<void>;
  onRestart: () => void;
}

/** Asks for the code after the password was right. */
export function SecondStep({ challenge, onSignedIn, onRestart }: SecondStepProps) {
  const pass = trpc.auth.secondFactor.useMutation();
  const form = useInputForm({
    initialValues: { code: "" },
    toInput: ({ code }) => ({ challenge, code }),
    check: ({ code }) => (code.trim() === "" ? [{ path: ["code"], message: "Enter the code" }] : []),
    submit: pass.mutateAsync,
    onSaved: onSignedIn,
  });
  return (
    <InputForm form={form} label="Second step" failure="You are not signed in" isGuarded={false}>
      <Text size="sm">Your password is right. Enter the code that your authenticator app shows, or one of your recovery codes.</Text>
      <CodeInput label="Code" {...form.at("code")} />
      <Button type="submit" loading={form.isSaving}>
        Sign in
      </Button>
      <Text size="sm">
        Lost both? Ask an owner of your account to remove your second factor.{" "}
        <Anchor component="button" type="button" size="sm" underline="always" onClick={onRestart}>
          Start again
        </Anchor>
      </Text>
    </InputForm>
  );
}

/** The way in without a password, where the browser has it. */
export function PasskeySignIn({ onSignedIn }: { onSignedIn: () => Promise<void> }) {
  const start = trpc.auth.startPasskeySignIn.useMutation();
  const signIn = trpc.auth.passkeySignIn.useMutation();
  const call = usePasskeyCall(async () => {
    await signIn.mutateAsync(await answerWithPasskey(await start.mutateAsync()));
    await onSignedIn();
  });
  if (!hasPasskeys()) return null;
  return (
    <Stack gap="sm">
      <Divider label="or" />
      <PasskeyFailure title="You are not signed in" error={call.error} />
      <Button variant="default" loading={call.isRunning} onClick={call.run}>
        Use a passkey
      </Button>
    </Stack>
  );
}
