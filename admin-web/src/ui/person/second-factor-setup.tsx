import { Alert, Button, Code, Group, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { t } from "../../language.ts";
import { trpc } from "../../trpc.ts";
import { CopyButton, CopyField } from "../base/buttons.tsx";
import { DialogButtons } from "../base/dialogs.tsx";
import { bound, doing } from "../base/fields.ts";
import { DownloadButton } from "../base/files.tsx";
import { later } from "../base/later.tsx";
import { FailureNotice } from "../base/page.tsx";
import { FormButtons, InputForm, useInputForm } from "../form/input-form.tsx";
import { by } from "../form/input-issues.ts";
import { makePasskey, hasPasskeys, CodeInput, PasskeyFailure, usePasskeyCall } from "./second-factor.tsx";

const QrCode = later(async () => (await import("../base/qr-code.tsx")).QrCode);

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
    <Stack>
      <Text>
        {t(
          "An authenticator app, such as one on your phone, shows a new code every 30 seconds. When you sign in, you enter the code after your password.",
        )}
      </Text>
      <FailureNotice title={t("The key was not created")} of={enroll} />
      <DialogButtons action={t("Continue")} onAct={() => enroll.mutate()} onClose={onCancel} loading={enroll.isPending} data-autofocus />
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
  const form = useInputForm({
    initialValues: { code: "" },
    check: by("confirmTotpInput"),
    submit: trpc.auth.confirmTotp.useMutation().mutateAsync,
    onSaved: ({ recoveryCodes }) => onConfirmed(recoveryCodes),
  });
  return (
    <InputForm form={form} label={t("First code")} failure={t("The app is not set up")} isGuarded={false}>
      <Text>{t("1. Scan this code with the app, or type the key into it.")}</Text>
      <Group justify="center">
        <QrCode text={otpauthUrl} label={t("QR code with the key; the same key is below")} />
      </Group>
      <CopyField label={t("Key")} value={secret} />
      <CodeInput label={t("2. Enter the code that the app shows")} inputMode="numeric" {...form.at("code")} />
      <FormButtons form={form} submit={t("Confirm code")} onCancel={onCancel} />
    </InputForm>
  );
}

function RecoveryCodes({ codes, onSaved }: { codes: string[]; onSaved: () => unknown }) {
  const text = codes.join("\n");
  return (
    <Stack>
      <Text>
        {t(
          "The app is set up. Store these recovery codes apart from it: each signs you in once if you lose the app. To get new codes, set up the app again.",
        )}
      </Text>
      <Code block aria-label={t("Recovery codes")}>
        {text}
      </Code>
      <Group gap="sm">
        <CopyButton text={text} label={t("Copy codes")} />
        <DownloadButton fileName="tidings-recovery-codes.txt" text={`${text}\n`}>
          {t("Download codes")}
        </DownloadButton>
      </Group>
      <Alert color="yellow">{t("They are shown only once.")}</Alert>
      <Button data-autofocus onClick={() => onSaved()}>
        {t("I have saved them")}
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
    return <Text>{t("Passkeys do not work at this address: they need https, or the dashboard on your own machine at localhost.")}</Text>;
  return (
    <form aria-label={t("Add passkey")} onSubmit={doing(call.mutate)}>
      <Stack>
        <Text>
          {t("A passkey stays on your device, which asks for your fingerprint, face or PIN. It signs you in without a password.")}
        </Text>
        <PasskeyFailure title={t("The passkey was not added")} error={call.error} />
        <TextInput
          label={t("Name")}
          description={t("To tell your passkeys apart, such as Work laptop")}
          required
          maxLength={200}
          {...bound(name, setName)}
        />
        <DialogButtons action={t("Add passkey")} onClose={onCancel} loading={call.isPending} />
      </Stack>
    </form>
  );
}
