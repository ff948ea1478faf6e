import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { Dialog } from "../../ui/dialogs.tsx";
import { ResendForm } from "../../ui/resend.tsx";
import { type Selection, SelectionBar, type SelectionBarProps } from "../../ui/selection.tsx";
import type { ListedEvent } from "./event-table.tsx";

interface SelectedEventsProps extends Pick<SelectionBarProps, "all"> {
  selection: Selection<ListedEvent>;
}

/** Resends what failed of the chosen events. The log shows the progress. */
export function SelectedEvents({ selection, all }: SelectedEventsProps) {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const close = () => setOpen(false);
  return (
    <>
      <SelectionBar selection={selection} what="event" all={all}>
        <Button variant="default" size="compact-sm" onClick={() => setOpen(true)}>
          {t("Resend failed messages…")}
        </Button>
      </SelectionBar>
      <Dialog size="lg" title={t("Resend failed messages")} opened={isOpen} onClose={close}>
        <ResendForm
          filter={{ eventIds: selection.ids }}
          onClose={close}
          onStarted={(resends) => navigate({ to: paths.log, search: { resends } })}
        />
      </Dialog>
    </>
  );
}
