import { Button, Group, Text } from "@mantine/core";
import { useMay } from "../../session/me.ts";
import type { Settings } from "../../session/with-settings.tsx";
import { trpc } from "../../trpc.ts";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { Disconnect } from "./disconnect.tsx";
import { TestResult } from "./test-result.tsx";

/** Testing the connection check by check; for owners also making it and ending it. */
export function ConnectionActions({ platform: { configured, sandbox } }: { platform: Settings["platform"] }) {
  const isOwner = useMay("owner");
  const cache = trpc.useUtils();
  // A test that passes ends the account's stop.
  const test = trpc.settings.testConnection.useMutation({ onSuccess: () => cache.settings.get.invalidate() });
  const connect = trpc.settings.connectSandbox.useMutation({
    onSuccess: (settings) => {
      cache.settings.get.setData(undefined, settings);
      test.reset();
    },
  });
  return (
    <>
      <Group gap="sm">
        {configured && (
          <Button loading={test.isPending} onClick={() => test.mutate()}>
            Test the connection
          </Button>
        )}
        {isOwner && sandbox && (
          <Button variant={configured ? "default" : "filled"} loading={connect.isPending} onClick={() => connect.mutate()}>
            {configured ? "Connect the sandbox anew" : "Connect the sandbox"}
          </Button>
        )}
        {isOwner && configured && <Disconnect />}
      </Group>
      {connect.error !== null && <FailureNotice title="The sandbox was not connected" error={connect.error} />}
      {test.error !== null && <FailureNotice title="Could not test the connection" error={test.error} />}
      {configured && (
        <Text size="sm" component="div" role="status">
          {test.data === undefined ? "The test sends nothing and changes nothing at the platform." : <TestResult {...test.data} />}
        </Text>
      )}
    </>
  );
}
