import { Button, Divider, PasswordInput, Stack, Text } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { useState } from "react";
import { t } from "../../language.ts";
import { proof, trpc } from "../../trpc.ts";
import { SecondaryButton } from "../base/buttons.tsx";
import { Dialog, DialogButtons } from "../base/dialogs.tsx";
import { News } from "../base/page.tsx";
import { InputForm, useInputForm } from "../form/input-form.tsx";
import { by } from "../form/input-issues.ts";
import { CodeInput, PasskeyButton } from "./second-factor.tsx";

/** Asks for the password or another proof of the person; the calls that wait for it then go on, or stay refused. */
export function ProofDialog() {
  const factors = trpc.auth.me.useQuery().data?.secondFactor;
  const sso = trpc.auth.state.useQuery().data?.sso;
  const isIssuerOnly = trpc.settings.get.useQuery().data?.requireSso === true;
  const [way, setWay] = useState<"password" | "code">("password");
  const other = way === "password" ? "code" : "password";
  return (
    <Dialog title={t("Confirm that it is you")} opened onClose={() => proof.answer(false)}>
      <Stack>
        {!isIssuerOnly && <ConfirmForm key={way} way={way} />}
        {!isIssuerOnly && factors?.totp === true && (
          <Button variant="subtle" onClick={() => setWay(other)}>
            {t("Use {value} instead", { value: other === "code" ? t("a code from your app") : t("your password") })}
          </Button>
        )}
        {!isIssuerOnly && factors !== undefined && factors.passkeys > 0 && <PasskeyConfirm />}
        {sso && <IssuerConfirm {...sso} isOnly={isIssuerOnly} />}
      </Stack>
    </Dialog>
  );
}

function ConfirmForm({ way }: { way: "password" | "code" }) {
  const confirm = trpc.auth.confirm.useMutation();
  const form = useInputForm({
    initialValues: { proof: "" },
    toInput: (values) => (way === "password" ? { password: values.proof } : { code: values.proof }),
    check: (input) => by("confirmInput")(input).map((issue) => ({ ...issue, path: ["proof"] })),
    submit: async (input) => confirm.mutateAsync(input),
    onSaved: () => proof.answer(true),
    members: ["password", "proof"],
  });
  const fault = form.faults["proof"] ?? form.faults["password"];
  return (
    <InputForm form={form} label={t("Confirm that it is you")} failure={t("Not confirmed")} isGuarded={false}>
      <Text>{t("Confirm that it is you to continue. A confirmation is valid for 10 minutes.")}</Text>
      {way === "password" ? (
        <PasswordInput label={t("Your password")} autoComplete="current-password" required {...form.at("proof")} error={fault} />
      ) : (
        <CodeInput
          label={t("Code")}
          description={t("From your authenticator app, or a recovery code")}
          {...form.at("proof")}
          error={fault}
        />
      )}
      <DialogButtons action={t("Confirm")} onClose={() => proof.answer(false)} loading={form.isSaving} />
    </InputForm>
  );
}

function PasskeyConfirm() {
  const start = trpc.auth.startPasskeyConfirm.useMutation();
  const confirm = trpc.auth.confirm.useMutation({ onSuccess: () => proof.answer(true) });
  return <PasskeyButton failure={t("Not confirmed")} start={start.mutateAsync} finish={confirm.mutateAsync} />;
}

/** Opens the issuer in another tab, so that typed text in this one stays. The call is repeated when the person comes back, and asks again if there is no proof yet. */
function IssuerConfirm({ name, isOnly }: { name: string; isOnly: boolean }) {
  const [isAway, setAway] = useState(false);
  useWindowEvent("focus", () => isAway && proof.answer(true));
  const next = encodeURIComponent(window.location.pathname);
  return (
    <>
      {!isOnly && <Divider label={t("or")} />}
      {isOnly && <Text>{t("Confirm that it is you to continue. A confirmation is valid for 10 minutes.")}</Text>}
      <SecondaryButton component="a" href={`/auth/oidc?proof=1&next=${next}`} target="_blank" onClick={() => setAway(true)}>
        {t("Confirm with {name}", { name })}
      </SecondaryButton>
      {isAway && <News>{t("{name} is open in another tab. Confirm there, then come back to this one.", { name })}</News>}
      {isOnly && (
        <Button variant="subtle" onClick={() => proof.answer(false)}>
          {t("Cancel")}
        </Button>
      )}
    </>
  );
}
