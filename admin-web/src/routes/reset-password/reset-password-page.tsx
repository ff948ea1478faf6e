import { useState } from "react";
import { DeadLink } from "../../session/dead-link.tsx";
import { useLinkToken } from "../../session/link-token.ts";
import { OtherSession } from "../../session/other-session.tsx";
import { CardPage } from "../../ui/page/card-page.tsx";
import { ResetPasswordForm } from "./reset-password-form.tsx";

export function ResetPasswordPage() {
  const token = useLinkToken();
  const [gone, setGone] = useState<string | null>(null);
  if (token === "") {
    return <DeadLink title="The link is not whole">The part after the # is missing. Open the link again, or copy all of it.</DeadLink>;
  }
  if (gone === token) {
    return (
      <DeadLink title="This link cannot be used">
        It was used already, a newer one was made, or it is older than a day. Ask an owner of your account for a new one.
      </DeadLink>
    );
  }
  return (
    <CardPage title="Set a new password" lead="It takes the place of the old one, and you are signed out everywhere else.">
      <OtherSession />
      <ResetPasswordForm key={token} token={token} onGone={() => setGone(token)} />
    </CardPage>
  );
}
