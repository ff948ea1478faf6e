import { Button, type ButtonProps, Stack } from "@mantine/core";
import { trpc } from "../trpc.ts";
import { FailureNotice } from "./page-states.tsx";

interface HeldSite {
  id: string;
  holdMessages: boolean;
}

interface Hold {
  /** Makes the site do the other thing. */
  change: (site: HeldSite, onDone?: () => void) => void;
  isPending: boolean;
  error: { message: string } | null;
}

/** Pauses a site's sending or lets it send again, and looks again at whatever shows that. */
export function useHold(): Hold {
  const cache = trpc.useUtils();
  const { mutate, isPending, error } = trpc.sites.update.useMutation({
    onSuccess: async ({ site }) => {
      cache.sites.get.setData({ id: site.id }, (former) => former && { ...former, site });
      await Promise.all([cache.sites.list.invalidate(), cache.stats.backlog.invalidate(), cache.notifications.scheduled.invalidate()]);
    },
  });
  return {
    change: ({ id, holdMessages }, onDone = () => {}) => mutate({ id, holdMessages: !holdMessages }, { onSuccess: onDone }),
    isPending,
    error,
  };
}

export const holdLabel = ({ holdMessages }: Pick<HeldSite, "holdMessages">): string => (holdMessages ? "Send again" : "Pause sending");

/** One click, without a question: the next click takes it back. */
export function HoldButton({ site, ...props }: { site: HeldSite } & ButtonProps) {
  const { change, isPending, error } = useHold();
  return (
    <Stack gap="xs" align="flex-start">
      <Button variant="default" size="xs" {...props} loading={isPending} onClick={() => change(site)}>
        {holdLabel(site)}
      </Button>
      {error !== null && <FailureNotice title={site.holdMessages ? "Sending is still paused" : "Sending was not paused"} error={error} />}
    </Stack>
  );
}
