import { Text } from "@mantine/core";
import { formatTimeIn } from "../../format.ts";
import { zoneLabel } from "./time-zones.ts";
import { useNow } from "./use-now.ts";

/** The zone, and what it is for. */
export function TimeZoneFact({ timezone }: { timezone: string }) {
  const now = useNow();
  return (
    <>
      <Text>
        <strong>{zoneLabel(timezone)}</strong>, where it is {formatTimeIn(timezone, now)} now.
      </Text>
      <Text size="sm" c="dimmed" mt={4} maw="40rem">
        Messages that name today&apos;s date or the time (<code>date.today</code>, <code>date.now</code>) take them from here, and the days
        of the overview begin and end here. Times in lists are shown in each reader&apos;s own zone.
      </Text>
    </>
  );
}
