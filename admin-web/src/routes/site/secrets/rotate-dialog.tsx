import { useState } from "react";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { SecretOnce } from "../../../ui/dialog/secret-once.tsx";
import { UnsavedGuard } from "../../../ui/form/unsaved-guard.tsx";
import type { SiteSecret } from "../site.ts";
import { RotateForm } from "./rotate-form.tsx";
import { secretNames } from "./secret-words.ts";

interface RotateDialogProps {
  siteId: string;
  kind: SiteSecret["kind"];
  opened: boolean;
  onClose: () => void;
}

/** Asks how, then shows the new one this once. */
export function RotateDialog({ siteId, kind, opened, onClose }: RotateDialogProps) {
  const [secret, setSecret] = useState<string | null>(null);
  const name = secretNames[kind];
  const close = () => {
    onClose();
    setSecret(null);
  };
  return (
    // Left before the answer came, it opens again: the new one is shown nowhere else.
    <Dialog
      title={secret === null ? `Rotate the ${name}?` : `The new ${name}`}
      opened={opened || secret !== null}
      onClose={close}
      insists={secret !== null}
    >
      {secret === null ? (
        <RotateForm siteId={siteId} kind={kind} onRotated={setSecret} onCancel={close} />
      ) : (
        <SecretOnce label={name} secret={secret} onSaved={close}>
          <UnsavedGuard isUnsaved={() => true} loss={`The new ${name} is not saved, and will not be shown again.`} />
          Give it to the backend in place of the old one.
        </SecretOnce>
      )}
    </Dialog>
  );
}
