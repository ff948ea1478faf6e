import type { ButtonProps } from "@mantine/core";
import { useState } from "react";
import { readLogSearch } from "shared/core/log-search";
import { t, translated } from "../../language.ts";
import { DialogButton } from "../../ui/base/dialogs.tsx";
import { part } from "../../ui/base/later.tsx";
import { Dimmed } from "../../ui/base/page.tsx";
import type { ResendInput } from "../../ui/message/resend.tsx";
import { lookAgain, ManyWaitingButton, useManyWaiting } from "../../ui/message/waiting-actions.tsx";
import { allThatMatch, type SelectedProps, SelectionBar } from "../../ui/table/selection.tsx";
import { type LogFilters, logFilter } from "./route.ts";
import type { LogRow } from "./use-log.ts";

const ResendForm = part(async () => (await import("../../ui/message/resend.tsx")).ResendForm);
const NothingToResend = part(async () => (await import("../../ui/message/resend.tsx")).NothingToResend);

/** Resends the failed ones of the chosen messages, and cancels the waiting ones. If all that match are chosen, the filters stand in place of the ids. */
export function SelectedMessages({ selection, filters, isMoreThere }: SelectedProps<LogRow, LogFilters>) {
  const { rows, isAll } = selection;
  const [cancelled, setCancelled] = useState<number | null>(null);
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
      all={allThatMatch(selection, isMoreThere)}
      done={cancelled === null ? null : t("{cancelled, plural, one {# message} other {# messages}} cancelled.", { cancelled })}
    >
      {resends && (
        <ResendButton
          size="compact-sm"
          label={
            isAll
              ? t("Resend failed messages…")
              : t("Resend {count, plural, one {# failed message} other {# failed messages}}…", { count: failed.length })
          }
          ids={isAll ? null : failed}
          filters={filters}
          onStarted={selection.clear}
        />
      )}
      {cancels && (
        <ManyWaitingButton
          does="cancel"
          count={isAll ? null : scheduled.length}
          onConfirm={async () => {
            setCancelled(await cancel(isAll ? { ...logFilter(filters), status: "scheduled" } : { ids: scheduled }));
            selection.clear();
            void lookAgain();
          }}
        />
      )}
      {!resends && !cancels && <Dimmed>{t("No message here failed or waits.")}</Dimmed>}
    </SelectionBar>
  );
}

interface ResendButtonProps extends Pick<ButtonProps, "size"> {
  label: string;
  /** The ids; null for all that match the filters. */
  ids: string[] | null;
  filters: LogFilters;
  onStarted?: () => void;
}

/** Resends failed messages, after showing why they failed and who they go to. */
export function ResendButton({ ids, filters, onStarted, ...button }: ResendButtonProps) {
  const filter = ids === null ? resendFilter(filters) : { input: { ids } };
  return (
    <DialogButton title={t("Resend failed messages")} isWide {...button}>
      {(close) =>
        "why" in filter ? (
          <NothingToResend onClose={close}>{filter.why}</NothingToResend>
        ) : (
          <ResendForm filter={filter.input} onClose={close} onStarted={onStarted} />
        )
      }
    </DialogButton>
  );
}

/** The input of a resend, or why the filters match no failed message. */
export function resendFilter(filters: LogFilters): { input: ResendInput } | { why: string } {
  const { search, status, ...rest } = logFilter(filters);
  if (status !== undefined && status !== "failed")
    return {
      why: t("Only failed messages can be resent; the filter shows messages with the status {status}.", { status: translated(status) }),
    };
  if (search === undefined) return { input: rest };
  const meaning = readLogSearch(search);
  if (!("phone" in meaning)) return { why: t("Select the messages to resend, or clear the search.") };
  if (rest.phone !== undefined && rest.phone !== meaning.phone)
    return { why: t("The search and the filter name two different phones, so no message matches.") };
  return { input: { ...rest, phone: meaning.phone } };
}
