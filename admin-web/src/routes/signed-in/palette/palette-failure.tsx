import { useState } from "react";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";

/** In place of the palette when its script does not come. Trying again loads the page anew, so that a newer build is found too. */
export function PaletteFailure({ error }: { error: unknown }) {
  const [opened, setOpened] = useState(true);
  const shown = error instanceof Error ? error : { message: String(error) };
  return (
    <Dialog title="Search" opened={opened} onClose={() => setOpened(false)}>
      <FailureNotice title="Could not load the search" error={shown} onRetry={() => window.location.reload()} />
    </Dialog>
  );
}
