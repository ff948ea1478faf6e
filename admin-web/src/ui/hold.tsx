import { Button, type ButtonProps, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { lazy } from "react";
import { t } from "../language.ts";
import { Dialog } from "./dialogs.tsx";
import { FailureNotice } from "./page.tsx";
import { type HeldSite, useHold } from "./use-hold.ts";

export const ResumeForm = lazy(async () => ({ default: (await import("./resume-form.tsx")).ResumeForm }));

export const holdLabel = ({ holdMessages }: Pick<HeldSite, "holdMessages">) => (holdMessages ? t("Resume sending") : t("Pause sending"));

/** Pauses with one click. The end of a pause asks what to do with the waiting messages. */
export function HoldButton({ site, ...props }: { site: HeldSite } & ButtonProps) {
  const hold = useHold();
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <Stack gap="xs" align="flex-start">
      <Button
        variant="default"
        size="xs"
        {...props}
        loading={hold.isPending}
        onClick={site.holdMessages ? open : () => void hold.change({ ...site, holdMessages: true }).catch(() => {})}
      >
        {holdLabel(site)}
      </Button>
      <FailureNotice title={t("Sending was not paused")} of={hold} />
      <Dialog title={t("Resume sending for {name}?", { name: site.name })} opened={isOpen} onClose={close}>
        <ResumeForm site={site} onClose={close} />
      </Dialog>
    </Stack>
  );
}
