import { Alert, Button, Stack, Text } from "@mantine/core";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { ButtonLink } from "../../ui/button-link.tsx";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { ForRole } from "./for-role.tsx";
import type { Facts } from "./progress.ts";

export function PlatformSummary({ settings: { platform } }: Facts) {
  if (!platform.configured) return "What carries your messages to people's phones.";
  return platform.sandbox ? "The sandbox: no message reaches a real phone." : `WhatsApp Business account ${platform.wabaId}.`;
}

export function PlatformStep({ settings: { platform } }: Facts) {
  const { configured, sandbox, problem } = platform;
  return (
    <Stack gap="md" align="flex-start">
      {problem !== null && (
        <Alert color="red" title="The platform refuses this account">
          {problem.reason}
        </Alert>
      )}
      <Text size="sm">{words(platform)}</Text>
      {!configured && (
        <ForRole needed="owner">{sandbox ? <ConnectSandbox /> : <ButtonLink to={paths.platform}>Connect it</ButtonLink>}</ForRole>
      )}
      {configured && <TextLink to={paths.platform}>{sandbox ? "How to send for real" : "See the connection"}</TextLink>}
    </Stack>
  );
}

function words({ configured, sandbox }: Facts["settings"]["platform"]): string {
  const what = "a stand-in for WhatsApp that runs beside this server";
  if (!sandbox) return configured ? "Messages go out over your own WhatsApp Business account, to real phones." : needsCredentials;
  return configured
    ? `You are connected to the sandbox, ${what}. It approves templates within seconds and shows every message on a phone of its own: nobody is written to.`
    : `The sandbox is ${what}: try everything, and nobody is written to.`;
}

const needsCredentials = "This server sends over WhatsApp itself. It takes the credentials of your WhatsApp Business account, once.";

function ConnectSandbox() {
  const cache = trpc.useUtils();
  const connect = trpc.settings.connectSandbox.useMutation({ onSuccess: () => cache.settings.invalidate() });
  return (
    <>
      {connect.error !== null && <FailureNotice title="The sandbox was not connected" error={connect.error} />}
      <Button loading={connect.isPending} onClick={() => connect.mutate()}>
        Connect the sandbox
      </Button>
    </>
  );
}
