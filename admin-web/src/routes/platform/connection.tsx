import { Card, Stack } from "@mantine/core";
import { useMay } from "../../session/me.ts";
import type { Settings } from "../../session/with-settings.tsx";
import { ConnectionActions } from "./connection-actions.tsx";
import { ConnectionFacts } from "./connection-facts.tsx";

/** What is connected at present, and what can be done with it. */
export function Connection({ platform }: { platform: Settings["platform"] }) {
  const mayTest = useMay("operator");
  return (
    <Card withBorder>
      <Stack gap="md">
        <ConnectionFacts platform={platform} />
        {mayTest && <ConnectionActions platform={platform} />}
      </Stack>
    </Card>
  );
}
