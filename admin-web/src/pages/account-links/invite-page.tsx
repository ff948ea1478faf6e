import { Button, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { acceptInviteInput } from "shared/core/input/team";
import { DeadLink, useLinkToken, OtherSession, useEnter } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { NewPasswordInput } from "../../ui/inputs.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { CardPage } from "../../ui/page.tsx";
import { useInputForm } from "../../ui/use-input-form.ts";

export function InvitePage() {
  const token = useLinkToken();
  // Another link opened in the same tab is another invitation.
  const [gone, setGone] = useState<string | null>(null);
  if (token === "") {
    return (
      <DeadLink title="The link is not whole">
        The part after the # is missing. Open the invitation again, or copy all of its link.
      </DeadLink>
    );
  }
  if (gone === token) {
    return (
      <DeadLink title="This invitation cannot be used">
        It was accepted already, was taken back, or is older than seven days. Ask whoever invited you for a new one.
      </DeadLink>
    );
  }
  return (
    <CardPage title="Accept the invitation" lead="Choose how you are called and a password; your e-mail address is the invited one.">
      <OtherSession />
      <InviteForm key={token} token={token} onGone={() => setGone(token)} />
    </CardPage>
  );
}

function InviteForm({ token, onGone }: { token: string; onGone: () => void }) {
  const enter = useEnter();
  const accept = trpc.users.acceptInvite.useMutation({
    onSuccess: () => enter(),
    onError: (error) => {
      if (error.data?.code === "NOT_FOUND") onGone();
    },
  });
  const { form, refusal, onSubmit } = useInputForm({
    schema: acceptInviteInput,
    initialValues: { name: "", password: "" },
    toInput: (values) => ({ token, ...values }),
    submit: accept.mutateAsync,
  });
  return (
    <form onSubmit={onSubmit} aria-label="Accept the invitation" noValidate>
      <Stack gap="sm">
        {refusal !== null && <FailureNotice title="The invitation was not accepted" error={refusal} />}
        <TextInput label="Your name" autoComplete="name" required {...form.getInputProps("name")} />
        <NewPasswordInput label="Password" {...form.getInputProps("password")} />
        <Button type="submit" loading={accept.isPending}>
          Accept and sign in
        </Button>
      </Stack>
    </form>
  );
}
