import { Card, Text } from "@mantine/core";
import { Fact, Facts } from "../../../ui/facts.tsx";
import { type Retention, retentionWords } from "./retention.ts";

/** For whoever may not change it. */
export function RetentionFacts({ retention: { payloadDays, logDays } }: { retention: Retention }) {
  return (
    <Card withBorder>
      <Facts>
        <Fact name={`Payloads: ${payloadDays} days`}>{retentionWords.payloadDays}</Fact>
        <Fact name={`Log: ${logDays} days`}>{retentionWords.logDays}</Fact>
        <Fact name="Not removed by age">{retentionWords.stays}</Fact>
      </Facts>
      <Text size="sm" c="dimmed" mt="sm">
        What is older is gone within about an hour. Owners change this.
      </Text>
    </Card>
  );
}
