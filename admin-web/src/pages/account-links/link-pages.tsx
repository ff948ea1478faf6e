import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { acceptInviteInput, resetPasswordInput } from "shared/core/input/team";
import { DeadLink, useLinkToken, OtherSession, useEnter } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { by, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { NewPasswordInput } from "../../ui/inputs.tsx";
import { CardPage } from "../../ui/page.tsx";

export function InvitePage() {
  const token = useLinkToken();
  // Another link opened in this tab is another invitation.
  const [gone, setGone] = useState<string | null>(null);
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
  return (
    <CardPage
      title="Accept the invitation"
      lead="Enter your name and choose a password. You sign in with the e-mail address that was invited."
    >
      <OtherSession />
      <InviteForm key={token} token={token} onGone={() => setGone(token)} />
    </CardPage>
  );
}

function InviteForm({ token, onGone }: { token: string; onGone: () => void }) {
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
    onSaved: () => enter(),
  });
  return (
    <InputForm form={form} label="Accept the invitation" failure="The invitation was not accepted" isGuarded={false}>
      <TextInput label="Your name" autoComplete="name" required {...form.at("name")} />
      <NewPasswordInput label="Password" {...form.at("password")} />
      <Button type="submit" loading={form.isSaving}>
        Accept and sign in
      </Button>
    </InputForm>
  );
}

export function ResetPasswordPage() {
  const token = useLinkToken();
  const [gone, setGone] = useState<string | null>(null);
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
  return (
    <CardPage title="Set a new password" lead="It replaces the old one and signs you out on all other devices.">
      <OtherSession />
      <ResetPasswordForm key={token} token={token} onGone={() => setGone(token)} />
    </CardPage>
  );
}

function ResetPasswordForm({ token, onGone }: { token: string; onGone: () => void }) {
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
    onSaved: () => enter(),
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
