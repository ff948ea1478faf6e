import { Anchor, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { demoEmail } from "shared/core/example";
import { t } from "../../language.ts";
import { trpc } from "../../trpc.ts";
import { SecondaryButton } from "../../ui/base/buttons.tsx";
import { CodeBlock } from "../../ui/base/code-sample.tsx";
import { rich } from "../../ui/base/page.tsx";
import { InputForm, useInputForm } from "../../ui/form/input-form.tsx";
import { by } from "../../ui/form/input-issues.ts";

/** Offers a link by e-mail. The answer does not tell whether anybody has the address. */
export function ForgottenPassword() {
  const [isOpen, setOpen] = useState(false);
  const [sentTo, setSentTo] = useState<string | null>(null);
  if (sentTo !== null)
    return (
      <Text role="status">
        {t(
          "If {sentTo} can sign in here, an e-mail with a link is on its way. The link works for an hour. Nothing arrived? Check your spam folder, or ask an owner of your account for a link.",
          { sentTo },
        )}
      </Text>
    );
  if (isOpen) return <AddressForm onSent={setSentTo} />;
  return (
    <Anchor component="button" type="button" onClick={() => setOpen(true)}>
      {t("Forgot your password?")}
    </Anchor>
  );
}

function AddressForm({ onSent }: { onSent: (address: string) => void }) {
  const ask = trpc.auth.forgotPassword.useMutation();
  const form = useInputForm({
    initialValues: { email: "" },
    check: by("forgotPasswordInput"),
    submit: async (input) => {
      await ask.mutateAsync(input);
      return input.email;
    },
    onSaved: onSent,
  });
  return (
    <InputForm form={form} label={t("Forgotten password")} failure={t("The e-mail was not requested")} isGuarded={false}>
      <Stack gap="sm">
        <TextInput label={t("Your e-mail address")} type="email" autoComplete="username" required data-autofocus {...form.at("email")} />
        <SecondaryButton type="submit" loading={form.isSaving}>
          {t("E-mail me a link")}
        </SecondaryButton>
      </Stack>
    </InputForm>
  );
}

/** Shown while the demo's owner is the only user. */
export const DemoHint = () => (
  <Stack gap="xs">
    <Text>
      {rich(
        t(
          "This is the demo: the e-mail is <0>{demoEmail}</0>, and the terminal of <1>npm start</1> showed the password once. To set a new one, run this in the folder of Tidings:",
          { demoEmail },
        ),
        <strong />,
        <code />,
      )}
    </Text>
    <CodeBlock code={`npm run reset-password -- ${demoEmail}`} language="sh" label={t("Command that sets a new password")} />
  </Stack>
);
