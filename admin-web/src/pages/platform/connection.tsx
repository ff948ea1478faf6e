import { Stack, Button, Group, Text, Code } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import IconInfoCircle from "@tabler/icons-react/dist/esm/icons/IconInfoCircle.mjs";
import IconMinus from "@tabler/icons-react/dist/esm/icons/IconMinus.mjs";
import { checkName, type CheckResult, type CheckState } from "shared/core/connection-check";
import { sentenceCase } from "shared/core/text";
import { t } from "../../language.ts";
import { cache, trpc } from "../../trpc.ts";
import { AskButton } from "../../ui/base/dialogs.tsx";
import { Fact, Facts, Moment } from "../../ui/base/facts.tsx";
import { running } from "../../ui/base/fields.ts";
import { FailureNotice, rich, Small } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { Told } from "../../ui/base/told.tsx";
import { type Settings, SettingSwitch, useUpdateSettings } from "../../ui/form/with-settings.tsx";
import asks from "./ask-labels.json";

type ConnectionProps = Pick<Settings, "platform">;

/** The current connection and its actions. */
export function Connection({ platform }: ConnectionProps) {
  const mayTest = useMay("operator");
  const mayChange = useMay("changePlatform");
  return (
    <>
      <ConnectionFacts platform={platform} />
      {mayTest && <ConnectionActions platform={platform} />}
      {mayChange && platform.configured && (
        <SettingSwitch
          label={t("Send marketing through the Marketing Messages API")}
          description={t("Needed where WhatsApp refuses marketing templates (131063). Accept its terms in WhatsApp Manager first.")}
          isOn={platform.marketingRoute === "marketing_messages"}
          change={(isOn) => ({ platform: { marketingRoute: isOn ? "marketing_messages" : "messages" } })}
        />
      )}
    </>
  );
}

function ConnectionActions({ platform: { configured, sandbox, checks, checkedAt: at } }: ConnectionProps) {
  const mayChange = useMay("changePlatform");
  const update = useUpdateSettings();
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
        {configured && <Button {...running(test)}>{t("Test connection")}</Button>}
        {mayChange && sandbox && (
          <Button variant={configured ? "default" : "filled"} {...running(connect)}>
            {configured ? t("Reconnect sandbox") : t("Connect sandbox")}
          </Button>
        )}
        {mayChange && configured && (
          <AskButton size="sm" question={asks.disconnect} onConfirm={() => update.mutateAsync({ platform: null })} />
        )}
      </Group>
      <FailureNotice title={t("The sandbox was not connected")} of={connect} />
      <FailureNotice title={t("Could not test the connection")} of={test} />
      {configured && (
        <Text component="div" role="status">
          <CheckList checks={checks} at={at} />
        </Text>
      )}
    </>
  );
}

/** That one came once is no pass while none comes; when that was stands beside the callback. */
export const withoutCallbacks = (result: CheckResult): CheckResult =>
  result.check === "callbacks" && result.state === "passed" ? { check: result.check, state: "failed" } : result;

/** The checks in their order, each with what was found and the remedy; those after one that ended them were not made. */
function CheckList({ checks, at }: { checks: readonly CheckResult[]; at: string | null }) {
  if (checks.length === 0) return t("Not checked yet.");
  const failed = checks.some(({ state }) => state === "failed");
  const warned = checks.some(({ state }) => state === "warning");
  const passed = checks.filter(({ state }) => state === "passed");
  const lines = (shown: readonly CheckResult[]) => (
    <Stack component="ul" gap="0.35rem" my={shown.length > 0 ? "xs" : 0}>
      {shown.map((result) => (
        <CheckLine key={result.check} {...result} />
      ))}
    </Stack>
  );
  return (
    <>
      {!failed && (
        <Text size="md" fw={600} mb="xs">
          {warned ? t("The connection works, with remarks") : t("The connection works")}
        </Text>
      )}
      {lines(checks.filter(({ state }) => state !== "passed"))}
      {passed.length > 0 && (
        <details>
          <summary>{t("{count, plural, one {# check passed} other {# checks passed}}", { count: passed.length })}</summary>
          {lines(passed)}
        </details>
      )}
      {at !== null && (
        <Small mt="sm">
          {rich(t("Last checked <0/>. It is checked once a day, and when the credentials change."), <Moment at={at} />)}
        </Small>
      )}
    </>
  );
}

const states: Record<CheckState, { icon: typeof IconCheck; color: string; label: string }> = {
  passed: { icon: IconCheck, color: "teal-text", label: t("passed") },
  warning: { icon: IconInfoCircle, color: "orange-text", label: t("needs attention") },
  failed: { icon: IconAlertTriangle, color: "red-text", label: t("failed") },
  skipped: { icon: IconMinus, color: "dimmed", label: t("not checked") },
};

function CheckLine({ check, state, reason, said }: CheckResult) {
  const { icon: Icon, color, label } = states[state];
  return (
    <Group component="li" gap="xs" wrap="nowrap" align="flex-start" {...(state === "skipped" && { c: "dimmed" })}>
      <Icon size={18} color={`var(--mantine-color-${color})`} style={{ flex: "none" }} aria-hidden />
      <Text inherit component="div" fw={state === "failed" ? 600 : 400} style={{ overflowWrap: "anywhere" }}>
        {sentenceCase(checkName(check, t))}: {label}
        {/* The callback's own section tells when the last one came. */}
        {reason !== undefined && !(check === "callbacks" && state === "passed") && (
          <Text inherit component="div" fw={400}>
            <Told text={reason} said={said} />
          </Text>
        )}
      </Text>
    </Group>
  );
}

/** The stored connection; secrets only as stored or missing. */
const ConnectionFacts = ({ platform }: ConnectionProps) =>
  platform.configured && (
    <Facts>
      <Fact name={t("Business account")}>{platform.wabaId}</Fact>
      <Fact name={t("Phone number ID")}>{platform.phoneNumberId}</Fact>
      <Fact name={t("Access token")}>
        {platform.accessTokenHint
          ? rich(t("Ends in <0>{accessTokenHint}</0>", { accessTokenHint: platform.accessTokenHint }), <Code />)
          : t("Stored")}
      </Fact>
      <Fact name={t("App ID")}>{platform.appId ?? t("None")}</Fact>
      <Fact name={t("App secret")}>{platform.hasAppSecret ? t("Stored") : t("Missing: callbacks are refused")}</Fact>
      <Fact name={t("API version")}>{platform.apiVersion}</Fact>
      <Fact name={t("People in 24 hours")}>
        {platform.people &&
          t("{reached, number}{more} of {limit, number}", {
            reached: platform.people.reached,
            more: platform.people.more && "+",
            limit: platform.people.limit,
          })}
      </Fact>
    </Facts>
  );

export function connectionState({ configured, sandbox }: Settings["platform"]): string {
  if (!configured) return t("Not connected");
  return sandbox ? t("Sandbox") : t("WhatsApp Cloud API");
}
