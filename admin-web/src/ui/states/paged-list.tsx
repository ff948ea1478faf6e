import { Button, Card, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { FailureNotice } from "./failure-notice.tsx";
import { ListSkeleton } from "./list-skeleton.tsx";

/** An infinite query of one of the server's lists. */
export interface PagedQuery<Item> {
  data: { pages: { items: Item[] }[] } | undefined;
  error: { message: string } | null;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  refetch: () => unknown;
  fetchNextPage: () => unknown;
}

interface PagedListProps<Item> {
  query: PagedQuery<Item>;
  /** What is listed, such as `the people`. */
  what: string;
  /** In place of a list without items. */
  empty: ReactNode;
  children: (items: Item[]) => ReactNode;
}

/** A list in each of its states: loading, failed, empty, full, and with more to come. What was loaded stays when the next look fails. */
export function PagedList<Item>({ query, what, empty, children }: PagedListProps<Item>) {
  const items = query.data?.pages.flatMap((page) => page.items);
  const retry = () => void (query.isFetchNextPageError ? query.fetchNextPage() : query.refetch());
  return (
    <Stack gap="sm">
      {query.error !== null && <FailureNotice title={`Could not load ${what}`} error={query.error} onRetry={retry} />}
      {items === undefined && query.error === null && <ListSkeleton what={what} />}
      {items?.length === 0 && <Card withBorder>{empty}</Card>}
      {items !== undefined && items.length > 0 && children(items)}
      {query.hasNextPage && (
        <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show more
        </Button>
      )}
    </Stack>
  );
}
