import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { paths } from "../../../paths.ts";
import { type Outputs, trpc } from "../../../trpc.ts";
import { ConfirmForm } from "../../../ui/dialog/confirm-form.tsx";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import { Loading } from "../../../ui/states/loading.tsx";
import { changeLogSearch, type LogFilters } from "../log-search.ts";

type Errors = Outputs["notifications"]["resendCount"]["errors"];

interface ResendManyFormProps {
  input: Omit<LogFilters, "search" | "status">;
  onClose: () => void;
}

export function ResendManyForm({ input, onClose }: ResendManyFormProps) {
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

export function NothingToResend({ onClose, children }: { onClose: () => void; children: ReactNode }) {
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
