import { useEffect } from "react";
import { type Outputs, trpc } from "../trpc.ts";

export type ListedTemplate = Outputs["templates"]["list"]["items"][number];

/** Every template of the account, newest first, as far as they have come. */
export function useAllTemplates(): { templates: ListedTemplate[]; isLoading: boolean; error: { message: string } | null } {
  const { data, error, hasNextPage, isFetching, fetchNextPage } = trpc.templates.list.useInfiniteQuery(
    { limit: 200 },
    { getNextPageParam: (page) => page.nextCursor },
  );
  useEffect(() => {
    if (hasNextPage && !isFetching && error === null) void fetchNextPage();
  }, [hasNextPage, isFetching, error, fetchNextPage]);
  return { templates: data?.pages.flatMap(({ items }) => items) ?? [], isLoading: data === undefined, error };
}
