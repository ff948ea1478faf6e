import { Skeleton, Stack } from "@mantine/core";
import classes from "./deliveries/deliveries.module.css";

/** As high as the figures and the chart that will stand here. */
export function HomeSkeleton() {
  return (
    <Stack gap="lg" role="status" aria-label="Loading the overview">
      <div className={classes["figures"]}>
        {["sent", "delivered", "read", "failed"].map((figure) => (
          <Skeleton key={figure} height={104} />
        ))}
      </div>
      <Skeleton height={340} />
    </Stack>
  );
}
