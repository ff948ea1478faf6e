import { useState } from "react";
import type { Outputs } from "../../trpc.ts";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { SecretOnce } from "../../ui/dialog/secret-once.tsx";
import { CreateTokenForm } from "./create-token-form.tsx";

interface CreateTokenProps {
  opened: boolean;
  onClose: () => void;
}

/** Asks what the token is for, then shows it, this once. */
export function CreateToken({ opened, onClose }: CreateTokenProps) {
  const [made, setMade] = useState<Outputs["tokens"]["create"] | null>(null);
  const close = () => {
    onClose();
    setMade(null);
  };
  return (
    <Dialog title={made === null ? "Make a token" : `The token ${made.name}`} opened={opened} onClose={close} insists={made !== null}>
      {made === null ? (
        <CreateTokenForm onMade={setMade} onCancel={close} />
      ) : (
        <SecretOnce label="Token" secret={made.token} onSaved={close}>
          Give it to the program as its Bearer token. It may do what the role {made.role} may.
        </SecretOnce>
      )}
    </Dialog>
  );
}
