import { useState } from "react";
import { DeadLink } from "../../session/dead-link.tsx";
import { useLinkToken } from "../../session/link-token.ts";
import { OtherSession } from "../../session/other-session.tsx";
import { CardPage } from "../../ui/page/card-page.tsx";
import { InviteForm } from "./invite-form.tsx";

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
