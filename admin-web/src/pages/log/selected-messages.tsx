import { Button, Text } from "@mantine/core";
import { useState } from "react";
import { formatCount } from "../../format.ts";
import { t } from "../../language.ts";
import { Dialog } from "../../ui/dialogs.tsx";
import { NothingToResend, ResendForm } from "../../ui/resend.tsx";
import { type Selection, SelectionBar } from "../../ui/selection.tsx";
import { ManyWaitingButton, useManyWaiting } from "../../ui/waiting-actions.tsx";
import { resendFilter, useShowProgress } from "./resend-many.tsx";
import { logFilter, type LogFilters } from "./route.ts";
import { type LogRow, useLookAgain } from "./use-log.ts";

interface SelectedMessagesProps {
  selection: Selection<LogRow>;
  filters: LogFilters;
  /** Whether more messages match than are loaded. */
  isMoreThere: boolean;
}

/** Resends what failed of the chosen messages, and cancels what waits. Of all that match the filters take the place of the ids. */
export function SelectedMessages({ selection, filters, isMoreThere }: SelectedMessagesProps) {
  const { rows, isAll } = selection;
  const [cancelled, setCancelled] = useState<number | null>(null);
  const lookAgain = useLookAgain();
  const { cancel } = useManyWaiting();
  const failed = rows.filter(({ status, resentAs }) => status === "failed" && resentAs === null).map(({ id }) => id);
  const scheduled = rows.filter(({ status }) => status === "scheduled").map(({ id }) => id);
  const mayMatch = (status: LogFilters["status"]) => filters.status === undefined || filters.status === status;
  const resends = isAll ? mayMatch("failed") : failed.length > 0;
  const cancels = isAll ? mayMatch("scheduled") : scheduled.length > 0;
  return (
    <SelectionBar
      selection={selection}
      what="message"
      all={isMoreThere || selection.shown !== "all" ? { label: t("Select all that match"), onChoose: selection.chooseAll } : undefined}
      done={cancelled === null ? null : t("{cancelled, plural, one {# message} other {# messages}} cancelled.", { cancelled })}
    >
      {resends && <ResendButton ids={isAll ? null : failed} filters={filters} onDone={selection.clear} />}
      {cancels && (
        <ManyWaitingButton
          does="cancel"
          count={isAll ? null : scheduled.length}
          onConfirm={async () => {
            setCancelled(await cancel(isAll ? { ...logFilter(filters), status: "scheduled" } : { ids: scheduled }));
            selection.clear();
            lookAgain();
          }}
        />
      )}
      {!resends && !cancels && (
        <Text size="sm" c="dimmed">
          {t("No message here failed or waits.")}
        </Text>
      )}
    </SelectionBar>
  );
}

interface ResendButtonProps {
  /** Null for all that match the filters. */
  ids: string[] | null;
  filters: LogFilters;
  onDone: () => void;
}

function ResendButton({ ids, filters, onDone }: ResendButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const showProgress = useShowProgress();
  const filter = ids === null ? resendFilter(filters) : { input: { ids } };
  const close = () => setOpen(false);
  const started = async (jobId: string) => {
    onDone();
    await showProgress(jobId);
  };
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={() => setOpen(true)}>
        {t("Resend {value}…", { value: ids === null ? t("failed") : t("{count} failed", { count: formatCount(ids.length) }) })}
      </Button>
      <Dialog size="lg" title={t("Resend failed messages")} opened={isOpen} onClose={close}>
        {"why" in filter ? (
          <NothingToResend onClose={close}>{filter.why}</NothingToResend>
        ) : (
          <ResendForm filter={filter.input} onClose={close} onStarted={started} />
        )}
      </Dialog>
    </>
  );
}
