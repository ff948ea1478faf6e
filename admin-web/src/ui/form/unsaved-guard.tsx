import { Stack, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { t } from "../../language.ts";
import { unsaved } from "../../trpc.ts";
import { Dialog, DialogButtons } from "../base/dialogs.tsx";

interface UnsavedGuardProps {
  isUnsaved: () => boolean;
  /** The warning of what leaving loses; the entered values unless given. */
  loss?: string;
}

/** Asks before the page is left while something is unsaved. */
export function UnsavedGuard({ isUnsaved, loss = t("Your unsaved changes will be lost.") }: UnsavedGuardProps) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isUnsaved(),
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  const [leave, setLeave] = useState<(() => void) | null>(null);
  useEffect(() => {
    unsaved.set(isUnsaved, (go) => setLeave(() => go));
    return () => void unsaved.delete(isUnsaved);
  }, [isUnsaved]);
  const stay = () => {
    setLeave(null);
    blocker.reset?.();
  };
  const go = () => {
    setLeave(null);
    (leave ?? blocker.proceed)?.();
  };
  return (
    <Dialog title={t("Leave without saving?")} opened={blocker.status === "blocked" || leave !== null} onClose={stay}>
      <Stack>
        <Text>{loss}</Text>
        <DialogButtons action={t("Stay here")} onAct={stay} dismiss={t("Leave")} onClose={go} data-autofocus />
      </Stack>
    </Dialog>
  );
}
