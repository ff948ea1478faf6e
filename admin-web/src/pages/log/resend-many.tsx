import { Alert, Button, Progress, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { readLogSearch } from "shared/core/message";
import { formatCount } from "../../format.ts";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { Dialog } from "../../ui/dialogs.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { NothingToResend, ResendForm, type ResendInput } from "../../ui/resend.tsx";
import { type LogFilters, logFilter, changeLogSearch } from "./route.ts";
import { useLookAgain } from "./use-log.ts";

/** Resends the failed messages of a period, after showing why they failed and who they go to. */
export function ResendManyButton({ filters }: { filters: LogFilters }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const filter = resendFilter(filters);
  const showProgress = useShowProgress();
  return (
    <>
      <Button variant="default" onClick={open}>
        {t("Resend failed messages…")}
      </Button>
      <Dialog size="lg" title={t("Resend failed messages")} opened={isOpen} onClose={close}>
        {"why" in filter ? (
          <NothingToResend onClose={close}>{filter.why}</NothingToResend>
        ) : (
          <ResendForm filter={filter.input} onClose={close} onStarted={showProgress} />
        )}
      </Dialog>
    </>
  );
}

/** The address names the job, so that its progress outlasts a reload. */
export function useShowProgress(): (jobId: string) => Promise<void> {
  const navigate = useNavigate();
  return (jobId) => navigate({ to: paths.log, search: changeLogSearch({ resends: jobId }), resetScroll: false });
}

/** The input of a resend, or why the filters match no failed message. */
export function resendFilter(filters: LogFilters): { input: ResendInput } | { why: string } {
  const { search, status, ...rest } = logFilter(filters);
  if (status !== undefined && status !== "failed")
    return { why: t("Only failed messages can be resent; the filter shows messages with the status {status}.", { status }) };
  if (search === undefined) return { input: rest };
  const meaning = readLogSearch(search);
  if (!("phone" in meaning)) return { why: t("Select the messages to resend, or clear the search.") };
  if (rest.phone !== undefined && rest.phone !== meaning.phone)
    return { why: t("The search and the filter name two different phones, so no message matches.") };
  return { input: { ...rest, phone: meaning.phone } };
}

type Job = Outputs["notifications"]["resendJob"]["job"];

const lookEveryMs = 1000;

/** The progress of a resend job. The address names it, so that it outlasts a reload. */
export function ResendProgress({ id }: { id: string }) {
  const navigate = useNavigate();
  const lookAgain = useLookAgain();
  const query = trpc.notifications.resendJob.useQuery(
    { id },
    { refetchInterval: ({ state }) => state.data?.job.finishedAt == null && lookEveryMs },
  );
  const job = query.data?.job;
  const done = job === undefined ? 0 : job.resent + job.refused;
  useEffect(() => {
    if (done > 0) lookAgain();
    // Only progress refetches the log, not a render.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [done]);
  const dismiss = () =>
    void navigate({ to: paths.log, search: changeLogSearch({ resends: undefined }), replace: true, resetScroll: false });
  if (job === undefined) {
    if (query.error === null) return null;
    return <FailureNotice title={t("Could not load the progress")} error={query.error} onRetry={() => void query.refetch()} />;
  }
  const isDone = job.finishedAt !== null;
  return (
    <Alert
      color="teal"
      role="status"
      title={isDone ? t("Failed messages resent") : t("Resending failed messages")}
      withCloseButton={isDone}
      closeButtonLabel={t("Dismiss")}
      onClose={dismiss}
    >
      <Stack gap="xs">
        <Text size="sm">
          {isDone
            ? result(job)
            : t("{done} of {total} done. You can leave this page; the server continues.", {
                done: formatCount(done),
                total: formatCount(job.total),
              })}
        </Text>
        {!isDone && <Progress value={job.total === 0 ? 0 : (100 * done) / job.total} aria-label={t("Messages done")} />}
      </Stack>
    </Alert>
  );
}

function result({ total, resent, refused }: Job): string {
  const left = total - resent - refused;
  return [
    t("{resent} of {total, plural, one {# message} other {# messages}} queued for sending; the log shows their status.", {
      resent: formatCount(resent),
      total,
    }),
    refused > 0 ? t("{refused} not resent: likely to fail again, or not possible now.", { refused: formatCount(refused) }) : "",
    left > 0 ? t("{left} already resent before.", { left: formatCount(left) }) : "",
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}
