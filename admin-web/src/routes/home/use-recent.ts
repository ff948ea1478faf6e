import { type Outputs, trpc } from "../../trpc.ts";

/** Milliseconds between two looks at what changes while somebody watches. */
const pollEvery = 3000;

export type RecentMessage = Outputs["notifications"]["list"]["items"][number];

export interface Recent {
  /** Undefined until it is known. */
  items: RecentMessage[] | undefined;
  error: { message: string } | null;
  retry: () => void;
}

/** The last messages, of one site where it is named. */
export function useRecent(siteId: string | undefined): Recent {
  const { data, error, refetch } = trpc.notifications.list.useQuery({ siteId, limit: 10 }, { refetchInterval: pollEvery });
  return { items: data?.items, error, retry: () => void refetch() };
}
