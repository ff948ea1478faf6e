import { cache, type OrEarlier, type Outputs, trpc } from "../../trpc.ts";
import { useFollowOperation } from "../operation/operations.tsx";

export type HeldSite = Pick<Outputs["sites"]["get"]["site"], "id" | "name" | "holdMessages">;

/** The sites that pause sending, as far as they are known. */
export const usePausedSites = () =>
  trpc.sites.list.useQuery({ halted: true, limit: 200 }, { staleTime: 30_000 }).data?.items.filter((site) => site.holdMessages) ?? [];

type WaitingCount = OrEarlier<Outputs["notifications"]["scheduledCount"], "listed">;

/** All that wait; a server of an earlier version tells only those that can be cancelled. */
export const listedOf = ({ total, more, listed = { total, more } }: WaitingCount) => listed;

/** Pauses a site's sending or lets it send again, which the shell then follows, and refetches everything that shows it. */
export function useHold() {
  const follow = useFollowOperation();
  const { mutateAsync, isPending, error } = trpc.sites.update.useMutation({
    onSuccess: ({ site, ...answer }: OrEarlier<Outputs["sites"]["update"], "operation">) => {
      if (answer.operation != null) follow(answer.operation.id);
      cache.sites.get.setData({ id: site.id }, (former) => former && { ...former, site });
      const { scheduled, scheduledCount } = cache.notifications;
      for (const shown of [cache.sites, cache.problems.list, cache.stats.backlog, scheduled, scheduledCount]) void shown.invalidate();
    },
  });
  const change = ({ id, holdMessages }: Pick<HeldSite, "id" | "holdMessages">) => mutateAsync({ id, holdMessages });
  return { change, isPending, error };
}
