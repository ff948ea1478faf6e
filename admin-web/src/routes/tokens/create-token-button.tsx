import { Button } from "@mantine/core";
import { useState } from "react";
import type { Outputs } from "../../trpc.ts";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { SecretOnce } from "../../ui/dialog/secret-once.tsx";
import { CreateTokenForm } from "./create-token-form.tsx";

export function CreateTokenButton() {
  const [opened, setOpened] = useState(false);
  const [made, setMade] = useState<Outputs["tokens"]["create"] | null>(null);
  const close = () => {
    setOpened(false);
    setMade(null);
  };
  return (
    <>
      <Button onClick={() => setOpened(true)}>Make a token</Button>
      <Dialog title={made === null ? "Make a token" : `The token ${made.name}`} opened={opened} onClose={close} insists={made !== null}>
        {made === null ? (
          <CreateTokenForm onMade={setMade} onCancel={close} />
        ) : (
          <SecretOnce label="Token" secret={made.token} onSaved={close}>
            Give it to the program as its Bearer token. It may do what the role {made.role} may.
          </SecretOnce>
        )}
      </Dialog>
    </>
  );
}
