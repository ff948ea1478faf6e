import { Card, Stack, Button, Group, Text, Alert, Code } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import IconMinus from "@tabler/icons-react/dist/esm/icons/IconMinus.mjs";
import type { ReactNode } from "react";
import { connectionChecks, type ConnectionCheck } from "shared/core/connection-check";
import { sentenceCase } from "shared/core/text";
import { useMay, type Settings } from "../../session.tsx";
import { trpc, type Outputs } from "../../trpc.ts";
import { ConfirmButton } from "../../ui/dialogs.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { LabelBadge } from "../../ui/status-badge.tsx";
import classes from "./platform.module.css";

/** The current connection and its actions. */
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

function ConnectionActions({ platform: { configured, sandbox } }: { platform: Settings["platform"] }) {
  const isOwner = useMay("owner");
  const cache = trpc.useUtils();
  // A test that passes resumes sending.
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
            Test connection
          </Button>
        )}
        {isOwner && sandbox && (
          <Button variant={configured ? "default" : "filled"} loading={connect.isPending} onClick={() => connect.mutate()}>
            {configured ? "Reconnect sandbox" : "Connect sandbox"}
          </Button>
        )}
        {isOwner && configured && <Disconnect />}
      </Group>
      {connect.error !== null && <FailureNotice title="The sandbox was not connected" error={connect.error} />}
      {test.error !== null && <FailureNotice title="Could not test the connection" error={test.error} />}
      {configured && (
        <Text size="sm" component="div" role="status">
          {test.data === undefined ? "The test sends no message and changes nothing." : <TestResult {...test.data} />}
        </Text>
      )}
    </>
  );
}

function Disconnect() {
  const cache = trpc.useUtils();
  const update = trpc.settings.update.useMutation({ onSuccess: (settings) => cache.settings.get.setData(undefined, settings) });
  return (
    <ConfirmButton
      label="Disconnect"
      title="Disconnect WhatsApp?"
      action="Disconnect"
      onConfirm={() => update.mutateAsync({ platform: null })}
    >
      The stored credentials are deleted. Events are still accepted and stored, but nothing is sent until the account is connected again.
      Sites, templates, bindings and the log stay.
    </ConfirmButton>
  );
}

/** The checks in their order; those after a failed one were not made. */
function TestResult({ ok, phoneNumber, verifiedName, error, failed }: Outputs["settings"]["testConnection"]) {
  const failedAt = failed === undefined ? -1 : connectionChecks.indexOf(failed.check);
  if (!ok && failed === undefined)
    return (
      <Alert color="red" title="The connection does not work">
        {error}
      </Alert>
    );
  return (
    <Alert color={ok ? "teal" : "red"} title={ok ? "The connection works" : `Failed: ${failed?.check}`}>
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
  skipped: { icon: IconMinus, words: "not checked" },
};

interface CheckLineProps {
  check: ConnectionCheck;
  state: keyof typeof states;
  /** Advice for a failed check. */
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

/** The stored connection; secrets only as stored or missing. */
function ConnectionFacts({ platform }: { platform: Settings["platform"] }) {
  if (!platform.configured) {
    return (
      <Facts>
        <Fact name="Platform">
          <LabelBadge>Not connected</LabelBadge>
        </Fact>
      </Facts>
    );
  }
  return (
    <Facts>
      <Fact name="Platform">
        {platform.sandbox ? <LabelBadge color="yellow">Sandbox</LabelBadge> : <LabelBadge color="teal">WhatsApp Cloud API</LabelBadge>}
      </Fact>
      <Fact name="Business account">{platform.wabaId}</Fact>
      <Fact name="Phone number ID">{platform.phoneNumberId}</Fact>
      <Fact name="Access token">
        {platform.accessTokenHint ? (
          <>
            Ends in <Code>{platform.accessTokenHint}</Code>
          </>
        ) : (
          "Stored"
        )}
      </Fact>
      <Fact name="App ID">{platform.appId ?? "None"}</Fact>
      <Fact name="App secret">{platform.hasAppSecret ? "Stored" : "Missing: callbacks are refused"}</Fact>
      <Fact name="API version">{platform.apiVersion}</Fact>
    </Facts>
  );
}
