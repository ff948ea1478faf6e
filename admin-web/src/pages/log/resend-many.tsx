import { Button, Checkbox, Group, Stack, Text, Alert, Progress } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode, useEffect } from "react";
import { readLogSearch } from "shared/core/message";
import { formatCount, formatCountOf } from "../../format.ts";
import { paths } from "../../paths.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { Dialog, ConfirmForm } from "../../ui/dialogs.tsx";
import { FailureNotice, Loading } from "../../ui/page-states.tsx";
import { type LogFilters, logFilter, changeLogSearch } from "./route.ts";
import { useLookAgain } from "./use-log.ts";

/** Resends the failed messages that match, after showing how many there are and why they failed. */
export function ResendManyButton({ filters }: { filters: LogFilters }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const filter = resendFilter(filters);
  return (
    <>
      <Button variant="default" onClick={open}>
        Resend failed messages…
      </Button>
      <Dialog size="lg" title="Resend failed messages" opened={isOpen} onClose={close}>
        {"why" in filter ? (
          <NothingToResend onClose={close}>{filter.why}</NothingToResend>
        ) : (
          <ResendManyForm input={filter.input} onClose={close} />
        )}
      </Dialog>
    </>
  );
}

/** The input of a resend, or why the filters match no failed message. */
export function resendFilter(filters: LogFilters): { input: Omit<LogFilters, "search" | "status"> } | { why: string } {
  const { search, status, ...rest } = logFilter(filters);
  if (status !== undefined && status !== "failed")
    return { why: `Only failed messages can be resent; the filter shows messages with the status ${status}.` };
  if (rest.eventId === undefined && (rest.from === undefined || rest.to === undefined))
    return { why: "Choose the days first: set From and To in the filter." };
  if (search === undefined) return { input: rest };
  const meaning = readLogSearch(search);
  if (!("phone" in meaning)) return { why: "The search finds single messages. Open one to resend it, or clear the search." };
  if (rest.phone !== undefined && rest.phone !== meaning.phone)
    return { why: "The search and the filter name two different phones, so no message matches." };
  return { input: { ...rest, phone: meaning.phone } };
}

type Errors = Outputs["notifications"]["resendCount"]["errors"];

interface ResendManyFormProps {
  input: Omit<LogFilters, "search" | "status">;
  onClose: () => void;
}

function ResendManyForm({ input, onClose }: ResendManyFormProps) {
  const count = trpc.notifications.resendCount.useQuery(input, { gcTime: 0, refetchOnWindowFocus: false });
  const resend = trpc.notifications.resendMany.useMutation();
  const navigate = useNavigate();
  const [force, setForce] = useState(false);
  if (count.error !== null)
    return <FailureNotice title="Could not count the messages" error={count.error} onRetry={() => void count.refetch()} />;
  if (count.data === undefined) return <Loading what="the count" />;
  const { total, tooMany, errors } = count.data;
  if (total === 0) return <NothingToResend onClose={onClose}>No failed messages match, or all were resent already.</NothingToResend>;
  if (tooMany)
    return (
      <NothingToResend onClose={onClose}>
        More than {formatCountOf(total, "message")} match. Narrow the filter, for example by date.
      </NothingToResend>
    );
  const isSent = ({ resend: outlook }: Errors[number]) =>
    force || outlook === "helps" || (outlook === "later" && input.errorCode !== undefined);
  const sent = sum(errors.filter(isSent));
  const start = async () => {
    const { job } = await resend.mutateAsync({ ...input, force });
    await navigate({ to: paths.log, search: changeLogSearch({ resends: job.id }), resetScroll: false });
  };
  return (
    <ConfirmForm action={`Resend ${formatCountOf(sent, "message")}`} isAllowed={sent > 0} onClose={onClose} onConfirm={start}>
      <Stack gap="md">
        <Text size="sm">
          {formatCountOf(total, "failed message")} {total === 1 ? "matches" : "match"}; {formatCount(sent)} will be resent.
        </Text>
        <Errors errors={errors} isSent={isSent} />
        {(force || sent < total) && (
          <Checkbox
            label="Also resend messages likely to fail again"
            checked={force}
            onChange={(event) => setForce(event.currentTarget.checked)}
          />
        )}
      </Stack>
    </ConfirmForm>
  );
}

function Errors({ errors, isSent }: { errors: Errors; isSent: (error: Errors[number]) => boolean }) {
  const inOrder = [...errors.filter(isSent), ...errors.filter((error) => !isSent(error))];
  return (
    <Stack component="ul" gap="sm" m={0} p={0} aria-label="Why they failed">
      {inOrder.map((error) => (
        <Group key={error.code} component="li" gap="sm" wrap="nowrap" align="flex-start">
          <Text size="sm" fw={600} miw="2rem">
            {formatCount(error.count)}
          </Text>
          <div>
            <Text size="sm">{error.explanation.text}</Text>
            <Text size="sm" c="dimmed">
              {isSent(error) ? "Will be resent." : `Not resent. ${error.explanation.action}`}
            </Text>
          </div>
        </Group>
      ))}
    </Stack>
  );
}

function NothingToResend({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  return (
    <Stack gap="md">
      <Text size="sm">{children}</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          Close
        </Button>
      </Group>
    </Stack>
  );
}

const sum = (errors: Errors): number => errors.reduce((total, { count }) => total + count, 0);

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
    return <FailureNotice title="Could not load the progress" error={query.error} onRetry={() => void query.refetch()} />;
  }
  const isDone = job.finishedAt !== null;
  return (
    <Alert
      color="teal"
      role="status"
      title={isDone ? "Failed messages resent" : "Resending failed messages"}
      withCloseButton={isDone}
      closeButtonLabel="Dismiss"
      onClose={dismiss}
    >
      <Stack gap="xs">
        <Text size="sm">
          {isDone ? result(job) : `${formatCount(done)} of ${formatCount(job.total)} done. You can leave this page; the server continues.`}
        </Text>
        {!isDone && <Progress value={job.total === 0 ? 0 : (100 * done) / job.total} aria-label="Messages done" />}
      </Stack>
    </Alert>
  );
}

function result({ total, resent, refused }: Job): string {
  const left = total - resent - refused;
  return [
    `${formatCount(resent)} of ${formatCountOf(total, "message")} queued for sending; the log shows their status.`,
    refused > 0 ? `${formatCount(refused)} not resent: likely to fail again, or not possible now.` : "",
    left > 0 ? `${formatCount(left)} already resent before.` : "",
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}
