import { useEffect } from "react";
import { type Outputs, trpc } from "../../trpc.ts";
import { reviewMs } from "./template-labels.tsx";

export type ListedTemplate = Outputs["templates"]["list"]["items"][number];

/** Every template of the account, newest first, page by page; reloaded when a review is over for which `isAwaited` holds. `isWhole`: no more are to come. */
export function useAllTemplates(isAwaited: (template: ListedTemplate) => boolean = () => false) {
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = trpc.templates.list.useInfiniteQuery(
    { limit: 200 },
    { getNextPageParam: (page) => page.nextCursor },
  );
  useEffect(() => {
    if (hasNextPage && !isFetching && error === null) void fetchNextPage();
  }, [hasNextPage, isFetching, error, fetchNextPage]);
  const templates = data?.pages.flatMap(({ items }) => items) ?? [];
  useReviews(templates.filter(isAwaited), refetch);
  return { templates, isLoading: data === undefined, isWhole: data !== undefined && !hasNextPage, error, retry: () => void refetch() };
}

/** While one of the templates is in review, asks again which are, and calls `reload` when one of them no longer is. */
export function useReviews(templates: readonly ListedTemplate[], reload: () => unknown): void {
  const awaited = templates.filter(({ status }) => status === "pending");
  const { data } = trpc.templates.list.useQuery(
    { status: "pending", limit: 200 },
    { enabled: awaited.length > 0, refetchInterval: reviewMs, gcTime: 0 },
  );
  const pending = new Set(data?.items.map(({ id }) => id));
  const isOneOver = data?.nextCursor === null && awaited.some(({ id }) => !pending.has(id));
  useEffect(() => {
    if (isOneOver) void reload();
  }, [isOneOver, data, reload]);
}
