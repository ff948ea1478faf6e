import { Card, Skeleton } from "@mantine/core";
import classes from "./log-table.module.css";

const rows = Array.from({ length: 12 }, (_, index) => index);

/** Where the table will be. */
export function LogSkeleton() {
  return (
    <Card withBorder padding={0} role="status" aria-label="Loading the messages">
      {rows.map((row) => (
        <div key={row} className={classes["placeholder"]}>
          <Skeleton height={12} />
        </div>
      ))}
    </Card>
  );
}
