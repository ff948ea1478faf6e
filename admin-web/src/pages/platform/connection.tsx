import { Card, Stack, Button, Group, Text, Alert, Code } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import IconMinus from "@tabler/icons-react/dist/esm/icons/IconMinus.mjs";
import type { ReactNode } from "react";
import { checkNames, connectionChecks, type ConnectionCheck } from "shared/core/connection-check";
import { sentenceCase } from "shared/core/text";
import { t } from "../../language.ts";
import { useMay, type Settings } from "../../session.tsx";
import { trpc, type Outputs } from "../../trpc.ts";
import { ConfirmButton } from "../../ui/dialogs.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Rich } from "../../ui/rich.tsx";
import { Status } from "../../ui/status-badge.tsx";
import { Told } from "../../ui/told.tsx";
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
  const mayDisconnect = useMay("changePlatform");
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
            {t("Test connection")}
          </Button>
        )}
        {isOwner && sandbox && (
          <Button variant={configured ? "default" : "filled"} loading={connect.isPending} onClick={() => connect.mutate()}>
            {configured ? t("Reconnect sandbox") : t("Connect sandbox")}
          </Button>
        )}
        {mayDisconnect && configured && <Disconnect />}
      </Group>
      {connect.error !== null && <FailureNotice title={t("The sandbox was not connected")} error={connect.error} />}
      {test.error !== null && <FailureNotice title={t("Could not test the connection")} error={test.error} />}
      {configured && (
        <Text size="sm" component="div" role="status">
          {test.data === undefined ? t("The test sends no message and changes nothing.") : <TestResult {...test.data} />}
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
      label={t("Disconnect")}
      title={t("Disconnect WhatsApp?")}
      action={t("Disconnect")}
      onConfirm={() => update.mutateAsync({ platform: null })}
    >
      {t(
        "The stored credentials are deleted. Events are still accepted and stored, but nothing is sent until the account is connected again. Sites, templates, bindings and the log stay.",
      )}
    </ConfirmButton>
  );
}

/** The checks in their order; those after a failed one were not made. */
function TestResult({ ok, phoneNumber, verifiedName, error, failed, said }: Outputs["settings"]["testConnection"]) {
  const failedAt = failed === undefined ? -1 : connectionChecks.indexOf(failed.check);
  if (!ok && failed === undefined)
    return (
      <Alert color="red" title={t("The connection does not work")}>
        <Told text={error} said={said} />
      </Alert>
    );
  return (
    <Alert
      color={ok ? "teal" : "red"}
      title={ok ? t("The connection works") : t("Failed: {check}", { check: failed && checkNames[failed.check](t) })}
    >
      {phoneNumber !== undefined && (
        <Text size="sm" mb="xs">
          {t("Messages come from {phoneNumber}{value}.", { phoneNumber, value: verifiedName !== undefined && `, ${verifiedName}` })}
        </Text>
      )}
      <ol className={classes["checks"]}>
        {connectionChecks.map((check, index) => (
          <CheckLine key={check} check={check} state={ok || index < failedAt ? "passed" : index === failedAt ? "failed" : "skipped"}>
            {index === failedAt && <Told text={failed?.reason} said={failed?.said} />}
          </CheckLine>
        ))}
      </ol>
    </Alert>
  );
}

const states = {
  passed: { icon: IconCheck, label: t("passed") },
  failed: { icon: IconAlertTriangle, label: t("failed") },
  skipped: { icon: IconMinus, label: t("not checked") },
};

interface CheckLineProps {
  check: ConnectionCheck;
  state: keyof typeof states;
  /** Advice for a failed check. */
  children: ReactNode;
}

function CheckLine({ check, state, children }: CheckLineProps) {
  const { icon: Icon, label } = states[state];
  return (
    <li className={classes["check"]} data-state={state}>
      <Icon size={18} aria-hidden />
      <div>
        {sentenceCase(checkNames[check](t))}: {label}
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
        <Fact name={t("Platform")}>
          <Status tone="waiting">{t("Not connected")}</Status>
        </Fact>
      </Facts>
    );
  }
  return (
    <Facts>
      <Fact name={t("Platform")}>
        {platform.sandbox ? <Status tone="attention">{t("Sandbox")}</Status> : <Status tone="delivered">{t("WhatsApp Cloud API")}</Status>}
      </Fact>
      <Fact name={t("Business account")}>{platform.wabaId}</Fact>
      <Fact name={t("Phone number ID")}>{platform.phoneNumberId}</Fact>
      <Fact name={t("Access token")}>
        {platform.accessTokenHint ? (
          <>
            <Rich text={t("Ends in <0>{accessTokenHint}</0>", { accessTokenHint: platform.accessTokenHint })}>
              <Code />
            </Rich>
          </>
        ) : (
          t("Stored")
        )}
      </Fact>
      <Fact name={t("App ID")}>{platform.appId ?? t("None")}</Fact>
      <Fact name={t("App secret")}>{platform.hasAppSecret ? t("Stored") : t("Missing: callbacks are refused")}</Fact>
      <Fact name={t("API version")}>{platform.apiVersion}</Fact>
    </Facts>
  );
}
