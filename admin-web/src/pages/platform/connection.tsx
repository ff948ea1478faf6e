import { Card, Stack, Button, Group, Text, Alert, Code } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import IconMinus from "@tabler/icons-react/dist/esm/icons/IconMinus.mjs";
import type { ReactNode } from "react";
import { connectionChecks, type ConnectionCheck } from "shared/core/connection-check";
import { sentenceCase } from "shared/core/text";
import { useMay, type Settings } from "../../session.tsx";
import { trpc, type Outputs } from "../../trpc.ts";
import { ConfirmDialog } from "../../ui/dialogs.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { LabelBadge } from "../../ui/status-badge.tsx";
import classes from "./platform.module.css";

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

/** Testing the connection check by check; for owners also making it and ending it. */
function ConnectionActions({ platform: { configured, sandbox } }: { platform: Settings["platform"] }) {
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

function Disconnect() {
  const [opened, dialog] = useDisclosure(false);
  const cache = trpc.useUtils();
  const update = trpc.settings.update.useMutation({ onSuccess: (settings) => cache.settings.get.setData(undefined, settings) });
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Disconnect
      </Button>
      <ConfirmDialog
        title="Disconnect the platform?"
        action="Disconnect"
        opened={opened}
        onClose={dialog.close}
        onConfirm={() => update.mutateAsync({ platform: null })}
      >
        The stored credentials are deleted. Events are still taken and stored, and nothing is sent, until the account is connected again.
        Sites, templates, bindings and the log stay.
      </ConfirmDialog>
    </>
  );
}

/** Each check in its order: those that passed, the one that failed with what to do, and those that it kept from being made. */
function TestResult({ ok, phoneNumber, verifiedName, error, failed }: Outputs["settings"]["testConnection"]) {
  const failedAt = failed === undefined ? -1 : connectionChecks.indexOf(failed.check);
  if (!ok && failed === undefined)
    return (
      <Alert color="red" title="The connection does not work">
        {error}
      </Alert>
    );
  return (
    <Alert color={ok ? "teal" : "red"} title={ok ? "The connection works" : `Failed at the ${failed?.check}`}>
      {phoneNumber !== undefined && (
        <Text size="sm" mb="xs">
          Messages come from {phoneNumber}
          {verifiedName !== undefined && `, ${verifiedName}`}.
        </Text>
      )}
      <ol className={classes["checks"]}>
        {connectionChecks.map((check, index) => (
          <CheckLine key={check} check={check} state={ok || index < failedAt ? "passed" : index === failedAt ? "failed" : "skipped"}>
            {index === failedAt && failed?.reason}
          </CheckLine>
        ))}
      </ol>
    </Alert>
  );
}

const states = {
  passed: { icon: IconCheck, words: "passed" },
  failed: { icon: IconAlertTriangle, words: "failed" },
  skipped: { icon: IconMinus, words: "not reached" },
};

interface CheckLineProps {
  check: ConnectionCheck;
  state: keyof typeof states;
  /** What to do, of one that failed. */
  children: ReactNode;
}

function CheckLine({ check, state, children }: CheckLineProps) {
  const { icon: Icon, words } = states[state];
  return (
    <li className={classes["check"]} data-state={state}>
      <Icon size={18} aria-hidden />
      <div>
        {sentenceCase(check)}: {words}
        {children !== false && <div className={classes["advice"]}>{children}</div>}
      </div>
    </li>
  );
}

/** What is stored of the connection; of secrets only that they are there. */
function ConnectionFacts({ platform }: { platform: Settings["platform"] }) {
  if (!platform.configured) {
    return (
      <Facts>
        <Fact name="Platform">
          <LabelBadge>not connected</LabelBadge>
        </Fact>
      </Facts>
    );
  }
  return (
    <Facts>
      <Fact name="Platform">
        {platform.sandbox ? <LabelBadge color="yellow">sandbox</LabelBadge> : <LabelBadge color="teal">WhatsApp Cloud API</LabelBadge>}
      </Fact>
      <Fact name="Business account">{platform.wabaId}</Fact>
      <Fact name="Phone number id">{platform.phoneNumberId}</Fact>
      <Fact name="Access token">
        {platform.accessTokenHint ? (
          <>
            ends in <Code>{platform.accessTokenHint}</Code>
          </>
        ) : (
          "stored"
        )}
      </Fact>
      <Fact name="App id">{platform.appId ?? "not given"}</Fact>
      <Fact name="App secret">{platform.hasAppSecret ? "stored" : "missing: callbacks are refused until it is entered"}</Fact>
      <Fact name="API version">{platform.apiVersion}</Fact>
    </Facts>
  );
}
