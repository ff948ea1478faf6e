import { Button } from "@mantine/core";
import { useState } from "react";
import type { Outputs } from "../../trpc.ts";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { SecretOnce } from "../../ui/dialog/secret-once.tsx";
import { Moment } from "../../ui/moment.tsx";
import { InviteForm } from "./invite-form.tsx";

export function InviteButton() {
  const [opened, setOpened] = useState(false);
  const [made, setMade] = useState<Outputs["users"]["invite"] | null>(null);
  const close = () => {
    setOpened(false);
    setMade(null);
  };
  return (
    <>
      <Button onClick={() => setOpened(true)}>Invite somebody</Button>
      <Dialog title={made === null ? "Invite somebody" : "The invitation"} opened={opened} onClose={close} insists={made !== null}>
        {made === null ? (
          <InviteForm onMade={setMade} onCancel={close} />
        ) : (
          <SecretOnce label="Link" secret={made.url} onSaved={close}>
            Send it to whom you invite: no mail was sent. It works once, until <Moment at={made.expiresAt} />.
          </SecretOnce>
        )}
      </Dialog>
    </>
  );
}
