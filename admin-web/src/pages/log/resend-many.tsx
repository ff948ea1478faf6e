import { Button, Checkbox, Group, Stack, Text, Alert, Progress } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode, useEffect } from "react";
import { readLogSearch } from "shared/core/message";
import { paths } from "../../paths.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { Dialog, ConfirmForm } from "../../ui/dialogs.tsx";
import { FailureNotice, Loading } from "../../ui/page-states.tsx";
import { type LogFilters, logFilter, changeLogSearch } from "./route.ts";
import { useLookAgain } from "./use-log.ts";

/** Sends the failed messages of the filter again, once somebody has seen how many and why they failed. */
export function ResendManyButton({ filters }: { filters: LogFilters }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const filter = resendFilter(filters);
  return (
    <>
      <Button variant="default" onClick={open}>
        Resend failed…
      </Button>
      <Dialog size="lg" title="Send failed messages again" opened={isOpen} onClose={close}>
        {"why" in filter ? (
          <NothingToResend onClose={close}>{filter.why}</NothingToResend>
        ) : (
          <ResendManyForm input={filter.input} onClose={close} />
        )}
      </Dialog>
    </>
  );
}

/** What the server takes to send failed messages again, or why these filters name none. */
export function resendFilter(filters: LogFilters): { input: Omit<LogFilters, "search" | "status"> } | { why: string } {
  const { search, status, ...rest } = logFilter(filters);
  if (status !== undefined && status !== "failed")
    return { why: `Only failed messages can be sent again, and the filter shows those with the status ${status}.` };
  if (search === undefined) return { input: rest };
  const taken = readLogSearch(search);
  if (!("phone" in taken)) return { why: "The search names single messages; open one to send it again, or clear the search." };
  if (rest.phone !== undefined && rest.phone !== taken.phone)
    return { why: "The search and the filter name two phones, so nothing fits both." };
  return { input: { ...rest, phone: taken.phone } };
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
  if (count.error !== null) return <FailureNotice title="Could not count them" error={count.error} onRetry={() => void count.refetch()} />;
  if (count.data === undefined) return <Loading what="how many they are" />;
  const { total, tooMany, errors } = count.data;
  if (total === 0)
    return <NothingToResend onClose={onClose}>No message of this filter failed and was not sent again already.</NothingToResend>;
  if (tooMany)
    return <NothingToResend onClose={onClose}>These are more than {total} messages. Narrow the filter, by time say.</NothingToResend>;
  const isSent = ({ resend: outlook }: Errors[number]) =>
    force || outlook === "helps" || (outlook === "later" && input.errorCode !== undefined);
  const sent = sum(errors.filter(isSent));
  const start = async () => {
    const { job } = await resend.mutateAsync({ ...input, force });
    await navigate({ to: paths.log, search: changeLogSearch({ resends: job.id }), resetScroll: false });
  };
  return (
    <ConfirmForm action={`Send ${sent} again`} isAllowed={sent > 0} onClose={onClose} onConfirm={start}>
      <Stack gap="md">
        <Text size="sm">
          {total === 1 ? "One message" : `${total} messages`} of this filter failed. {sent} of them will be sent again, each once.
        </Text>
        <Errors errors={errors} isSent={isSent} />
        {(force || sent < total) && (
          <Checkbox
            label="Also send what would fail in the same way, as far as can be told"
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
            {error.count}
          </Text>
          <div>
            <Text size="sm">{error.explanation.text}</Text>
            <Text size="sm" c="dimmed">
              {isSent(error) ? "To be sent again." : `Left out. ${error.explanation.action}`}
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
