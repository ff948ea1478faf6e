import { Button, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { formatCount } from "../../format.ts";
import { t } from "../../language.ts";
import { trpc } from "../../trpc.ts";
import { ConfirmForm, Dialog } from "../../ui/dialogs.tsx";
import { FailureNotice, Loading } from "../../ui/page-states.tsx";
import type { ScheduledFilters } from "./route.ts";

/** Cancels the scheduled messages that match, after showing how many there are; then says how many were cancelled. */
export function CancelManyButton({ filters }: { filters: ScheduledFilters }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [cancelled, setCancelled] = useState<number | null>(null);
  return (
    <Stack gap={0}>
      <Button variant="default" onClick={open}>
        {t("Cancel messages…")}
      </Button>
      <Text size="sm" role="status">
        {cancelled !== null && t("{cancelled, plural, one {# message} other {# messages}} cancelled.", { cancelled })}
      </Text>
      <Dialog title={t("Cancel scheduled messages")} opened={isOpen} onClose={close}>
        <CancelManyForm filters={filters} onClose={close} onDone={setCancelled} />
      </Dialog>
    </Stack>
  );
}

interface CancelManyFormProps {
  filters: ScheduledFilters;
  onClose: () => void;
  onDone: (cancelled: number) => void;
}

function CancelManyForm({ filters, onClose, onDone }: CancelManyFormProps) {
  const cache = trpc.useUtils();
  const count = trpc.notifications.scheduledCount.useQuery(filters, { gcTime: 0, refetchOnWindowFocus: false });
  const cancel = trpc.notifications.cancelMany.useMutation();
  if (count.error !== null)
    return <FailureNotice title={t("Could not count the messages")} error={count.error} onRetry={() => void count.refetch()} />;
  if (count.data === undefined) return <Loading what={t("the count")} />;
  const { total, more } = count.data;
  if (total === 0) return <Text size="sm">{t("No scheduled messages match the filters.")}</Text>;
  const confirm = async () => {
    const { cancelled } = await cancel.mutateAsync({ ...filters, status: "scheduled" });
    onDone(cancelled);
    await Promise.all([cache.notifications.scheduled.invalidate(), cache.stats.backlog.invalidate()]);
  };
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <ConfirmForm
      action={t("Cancel {value}", {
        value: more
          ? t("{total}+ messages", { total: formatCount(total) })
          : t("{total, plural, one {# message} other {# messages}}", { total }),
      })}
      dismiss={t("Keep them")}
      onClose={onClose}
      onConfirm={confirm}
    >
      {t("{value} will not be sent. A cancelled message cannot be resent.", {
        value: isFiltered ? t("The scheduled messages that match the filters") : t("All scheduled messages of this account"),
      })}
    </ConfirmForm>
  );
}
