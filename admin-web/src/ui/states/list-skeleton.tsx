import { Card, Skeleton, Stack } from "@mantine/core";

const rows = [0, 1, 2];

/** Where a list will be, as high as three of its rows. */
export function ListSkeleton({ what }: { what: string }) {
  return (
    <Card withBorder padding="md" role="status" aria-label={`Loading ${what}`}>
      <Stack gap="lg">
        {rows.map((row) => (
          <Skeleton key={row} height={20} />
        ))}
      </Stack>
    </Card>
  );
}
