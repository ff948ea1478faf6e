import { Alert, Button, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Role } from "shared/core/role";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { ButtonLink, TextLink } from "../../ui/buttons.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { CreateSiteForm, TwoSecrets } from "../sites/create-site.tsx";
import type { Facts, useMadeSite } from "./progress.ts";

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

export function SiteSummary({ site }: Facts) {
  if (site === undefined) return "One sender of events: a shop, a clinic, an app.";
  return site.enabled ? `${site.name}, ${site.url}` : "There is one, but none that is enabled.";
}

export function SiteStep({ site, held }: Facts & { held: ReturnType<typeof useMadeSite> }) {
  if (held.isUnsaved && held.made !== undefined)
    return (
      <div ref={focusFirst}>
        <TwoSecrets made={held.made} onSaved={held.markSaved} />
      </div>
    );
  if (site === undefined)
    return (
      <ForRole>
        <CreateSiteForm onMade={held.keep} />
      </ForRole>
    );
  if (!site.enabled) return <NoneEnabled site={site} />;
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">Its key and its secret were shown once, when it was made. Whoever lost them gives it new ones.</Text>
      <TextLink to={paths.site} params={{ siteId: site.id }}>
        Open {site.name}
      </TextLink>
    </Stack>
  );
}

function NoneEnabled({ site }: { site: NonNullable<Facts["site"]> }) {
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">No site is enabled, so every event is refused. Enable one on its page, or make another.</Text>
      <TextLink to={paths.site} params={{ siteId: site.id }}>
        Open {site.name}
      </TextLink>
      <TextLink to={paths.sites}>See all sites</TextLink>
    </Stack>
  );
}

/** The form that had the focus is gone. */
function focusFirst(secrets: HTMLElement | null): void {
  secrets?.querySelector<HTMLElement>("[data-autofocus]")?.focus();
}

/** What takes a role, or for whoever lacks it the word who does it. */
export function ForRole({ needed = "operator", children }: { needed?: Role; children: ReactNode }) {
  if (useMay(needed)) return children;
  return (
    <Text size="sm" c="dimmed">
      {needed === "owner" ? "An owner of the account does this." : "An operator or an owner of the account does this."}
    </Text>
  );
}
