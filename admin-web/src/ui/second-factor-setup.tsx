import { Alert, Button, Code, Group, Stack, Text, TextInput } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { confirmTotpInput } from "shared/core/input/team";
import { trpc } from "../trpc.ts";
import { CopyButton, CopyField, DownloadButton } from "./buttons.tsx";
import { by, FormButtons, InputForm, useInputForm } from "./input-form.tsx";
import { FailureNotice } from "./page-states.tsx";
import { makePasskey, hasPasskeys, CodeInput, PasskeyFailure, usePasskeyCall } from "./second-factor.tsx";

const QrCode = lazy(async () => ({ default: (await import("./qr-code.tsx")).QrCode }));

interface SetupProps {
  /** The recovery codes are saved, or the passkey is stored. */
  onDone: () => unknown;
  onCancel?: () => void;
}

/** Sets up an authenticator app: the key, its first code, the recovery codes. */
export function AppSetup({ onDone, onCancel }: SetupProps) {
  const enroll = trpc.auth.enrollTotp.useMutation();
  const [codes, setCodes] = useState<string[] | null>(null);
  if (codes !== null) return <RecoveryCodes codes={codes} onSaved={onDone} />;
  if (enroll.data !== undefined) return <FirstCode {...enroll.data} onConfirmed={setCodes} onCancel={onCancel} />;
  return (
    <Stack gap="md">
      <Text size="sm">
        An authenticator app, such as one on your phone, shows a new code every 30 seconds. After your password, the sign-in asks for it.
      </Text>
      {enroll.error !== null && <FailureNotice title="The key was not created" error={enroll.error} />}
      <Group gap="sm" justify={onCancel === undefined ? "flex-start" : "flex-end"}>
        {onCancel !== undefined && (
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        )}
        <Button data-autofocus loading={enroll.isPending} onClick={() => enroll.mutate()}>
          Create key
        </Button>
      </Group>
    </Stack>
  );
}

interface FirstCodeProps {
  secret: string;
  otpauthUrl: string;
  onConfirmed: (codes: string[]) => void;
  onCancel: (() => void) | undefined;
}

function FirstCode({ secret, otpauthUrl, onConfirmed, onCancel }: FirstCodeProps) {
  const confirm = trpc.auth.confirmTotp.useMutation();
  const form = useInputForm({
    initialValues: { code: "" },
    toInput: (values) => values,
    check: by(confirmTotpInput),
    submit: confirm.mutateAsync,
    onSaved: ({ recoveryCodes }) => onConfirmed(recoveryCodes),
  });
  return (
    <InputForm form={form} label="First code" failure="The app is not set up" isGuarded={false}>
      <Text size="sm">1. Scan this code with the app, or type the key into it.</Text>
      <Group justify="center">
        <Suspense fallback={null}>
          <QrCode text={otpauthUrl} label="QR code with the key; the same key stands below" />
        </Suspense>
      </Group>
      <CopyField label="Key" value={secret} />
      <CodeInput label="2. Enter the code that the app shows" inputMode="numeric" {...form.at("code")} />
      <FormButtons form={form} submit="Confirm code" onCancel={onCancel} />
    </InputForm>
  );
}

function RecoveryCodes({ codes, onSaved }: { codes: string[]; onSaved: () => unknown }) {
  const text = codes.join("\n");
  return (
    <Stack gap="md">
      <Text size="sm">
        The app is set up. Keep these recovery codes apart from it: each signs you in once when the app is lost. New ones come with setting
        up the app again.
      </Text>
      <Code block aria-label="Recovery codes">
        {text}
      </Code>
      <Group gap="sm">
        <CopyButton text={text} label="Copy codes" />
        <DownloadButton fileName="tidings-recovery-codes.txt" text={`${text}\n`}>
          Download codes
        </DownloadButton>
      </Group>
      <Alert color="yellow">They are shown only once.</Alert>
      <Button data-autofocus onClick={() => onSaved()}>
        I have saved them
      </Button>
    </Stack>
  );
}

/** Names a new passkey and has the browser make it. */
export function PasskeySetup({ onDone, onCancel }: SetupProps) {
  const start = trpc.auth.startPasskey.useMutation();
  const add = trpc.auth.addPasskey.useMutation();
  const [name, setName] = useState("");
  const call = usePasskeyCall(async () => {
    const { options } = await start.mutateAsync();
    await add.mutateAsync({ name: name.trim(), response: await makePasskey(options) });
    await onDone();
  });
  if (!hasPasskeys())
    return <Text size="sm">This browser has no passkeys here: they need https, or the dashboard on your own machine at localhost.</Text>;
  return (
    <form
      aria-label="Add passkey"
      onSubmit={(event) => {
        event.preventDefault();
        call.run();
      }}
    >
      <Stack gap="md">
        <Text size="sm">
          A passkey stays on your device, which asks for your fingerprint, face or PIN. It signs you in without a password.
        </Text>
        <PasskeyFailure title="The passkey was not added" error={call.error} />
        <TextInput
          label="Name"
          description="To tell your passkeys apart, such as Work laptop"
          required
          maxLength={200}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Group gap="sm" justify={onCancel === undefined ? "flex-start" : "flex-end"}>
          {onCancel !== undefined && (
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          )}
          <Button type="submit" loading={call.isRunning}>
            Add passkey
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
