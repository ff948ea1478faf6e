import { Alert, Progress, Stack, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { paths } from "../../../paths.ts";
import { type Outputs, trpc } from "../../../trpc.ts";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import { changeLogSearch } from "../log-search.ts";
import { useLookAgain } from "../use-look-again.ts";

type Job = Outputs["notifications"]["resendJob"]["job"];

const lookEveryMs = 1000;

/** How far the resends are that somebody asked for. They stand in the address, so a reload or another person finds them again. */
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
    // The looks are for what was done since, whoever renders.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [done]);
  const dismiss = () =>
    void navigate({ to: paths.log, search: changeLogSearch({ resends: undefined }), replace: true, resetScroll: false });
  if (job === undefined) {
    if (query.error === null) return null;
    return <FailureNotice title="Could not see how far the resends are" error={query.error} onRetry={() => void query.refetch()} />;
  }
  const isDone = job.finishedAt !== null;
  return (
    <Alert
      color="teal"
      role="status"
      title={isDone ? "The failed messages were sent again" : "Sending failed messages again"}
      withCloseButton={isDone}
      closeButtonLabel="Dismiss"
      onClose={dismiss}
    >
      <Stack gap="xs">
        <Text size="sm">{isDone ? result(job) : `${done} of ${job.total} so far. You may leave this page: the server goes on.`}</Text>
        {!isDone && <Progress value={job.total === 0 ? 0 : (100 * done) / job.total} aria-label="Messages dealt with" />}
      </Stack>
    </Alert>
  );
}

function result({ total, resent, refused }: Job): string {
  const left = total - resent - refused;
  return [
    `${resent} of ${total} ${resent === 1 ? "was" : "were"} handed over to be sent again; what becomes of them stands in the log.`,
    refused > 0 ? `${refused} would fail in the same way or cannot be sent now, and were left out.` : "",
    left > 0 ? `${left} had been sent again before.` : "",
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}
