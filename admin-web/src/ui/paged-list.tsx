import { Button, Card, Skeleton, Stack, Text } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { t } from "../language.ts";
import { TextLink } from "./buttons.tsx";
import { FailureNotice } from "./page-states.tsx";

/** How a list is asked for: it stays until that of another filter is there. */
export const byPage = {
  getNextPageParam: ({ nextCursor }: { nextCursor: string | null }) => nextCursor,
  placeholderData: keepPreviousData,
};

/** An infinite query of a list. */
export interface PagedQuery<Item> {
  data: { pages: { items: Item[] }[] } | undefined;
  error: { message: string } | null;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  refetch: () => unknown;
  fetchNextPage: () => unknown;
}

export interface PagedListProps<Item> {
  query: PagedQuery<Item>;
  /** The list's name in messages, such as `the people`. */
  what: string;
  /** Shown for an empty list. */
  empty: ReactNode;
  /** What to show for a list that filters have left empty, beside the link that clears them; absent while none is set. */
  filtered?: ReactNode | false;
  children: (items: Item[]) => ReactNode;
}

/** A list with its states: loading, failed, empty, more to load. Loaded items stay when a refetch fails. */
export function PagedList<Item>({ query, what, empty, filtered = false, children }: PagedListProps<Item>) {
  const items = query.data?.pages.flatMap((page) => page.items);
  const retry = () => void (query.isFetchNextPageError ? query.fetchNextPage() : query.refetch());
  return (
    <Stack gap="sm">
      {query.error !== null && <FailureNotice title={t("Could not load {what}", { what })} error={query.error} onRetry={retry} />}
      {items === undefined && query.error === null && <ListSkeleton what={what} />}
      {items?.length === 0 && <Card withBorder>{filtered === false ? empty : <NoMatches>{filtered}</NoMatches>}</Card>}
      {items !== undefined && items.length > 0 && children(items)}
      {query.hasNextPage && (
        <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t("Show more")}
        </Button>
      )}
    </Stack>
  );
}

const NoMatches = ({ children }: { children: ReactNode }) => (
  <EmptyState title={t("Nothing matches these filters")}>
    {children}
    <TextLink to="." search={{} as never}>
      {t("Clear filters")}
    </TextLink>
  </EmptyState>
);

/** Tells what belongs here and how to begin. */
export const EmptyState = ({ title, children }: { title: string; children: ReactNode }) => (
  <Stack gap={4} p="lg" align="center" ta="center">
    <Text fw={600}>{title}</Text>
    <Text size="sm" c="dimmed" component="div" maw="32rem">
      {children}
    </Text>
  </Stack>
);

/** The first items of a list, and the button below it that shows the others too. */
export function useFirst<Item>(items: readonly Item[], first: number, labels: { more: string; fewer: string }) {
  const [isWhole, setWhole] = useState(false);
  return {
    shown: isWhole ? items : items.slice(0, first),
    button: items.length > first && (
      <Button variant="subtle" size="xs" mt="xs" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
        {isWhole ? labels.fewer : labels.more}
      </Button>
    ),
  };
}

const rows = [0, 1, 2];

/** A placeholder as high as three rows. */
export const ListSkeleton = ({ what }: { what: string }) => (
  <Card withBorder padding="md" role="status" aria-label={t("Loading {what}", { what })}>
    <Stack gap="lg">
      {rows.map((row) => (
        <Skeleton key={row} height={20} />
      ))}
    </Stack>
  </Card>
);
