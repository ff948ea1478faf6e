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
  if (!platform.configured) return "Messages go out over WhatsApp, or to the sandbox for a trial.";
  return platform.sandbox ? "Connected to the sandbox: no message reaches a real phone." : `WhatsApp Business account ${platform.wabaId}.`;
}

export function PlatformStep({ settings: { platform } }: Facts) {
  const { configured, sandbox, problem } = platform;
  return (
    <Stack gap="md" align="flex-start">
      {problem !== null && (
        <Alert color="red" title="WhatsApp refuses this account">
          {problem.reason}
        </Alert>
      )}
      <Text size="sm">{describePlatform(platform)}</Text>
      {!configured && (
        <ForRole needed="owner">{sandbox ? <ConnectSandbox /> : <ButtonLink to={paths.platform}>Connect WhatsApp</ButtonLink>}</ForRole>
      )}
      {configured && <TextLink to={paths.platform}>{sandbox ? "Connect a real account" : "Check the connection"}</TextLink>}
    </Stack>
  );
}

function describePlatform({ configured, sandbox }: Facts["settings"]["platform"]): string {
  const what = "a simulated WhatsApp that runs beside this server";
  if (!sandbox) return configured ? "Messages go to real phones, from your WhatsApp Business account." : needsCredentials;
  return configured
    ? `You are connected to the sandbox, ${what}. It approves templates within seconds and shows every message on its own phone page. Nobody gets a real message.`
    : `The sandbox is ${what}. Try everything: nobody gets a real message.`;
}

const needsCredentials = "Enter the credentials of your WhatsApp Business account once.";

function ConnectSandbox() {
  const cache = trpc.useUtils();
  const connect = trpc.settings.connectSandbox.useMutation({ onSuccess: () => cache.settings.invalidate() });
  return (
    <>
      {connect.error !== null && <FailureNotice title="Could not connect the sandbox" error={connect.error} />}
      <Button loading={connect.isPending} onClick={() => connect.mutate()}>
        Connect sandbox
      </Button>
    </>
  );
}

export function SiteSummary({ site }: Facts) {
  if (site === undefined) return "A site sends events: a shop, a clinic, an app.";
  return site.enabled ? `${site.name}, ${site.url}` : "No site is enabled.";
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
      <Text size="sm">The API key and the webhook secret were shown once. Lost them? Rotate them on the site&apos;s page.</Text>
      <TextLink to={paths.site} params={{ siteId: site.id }}>
        Open {site.name}
      </TextLink>
    </Stack>
  );
}

function NoneEnabled({ site }: { site: NonNullable<Facts["site"]> }) {
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">No site is enabled, so every event is refused. Enable one on its page, or add another.</Text>
      <TextLink to={paths.site} params={{ siteId: site.id }}>
        Open {site.name}
      </TextLink>
      <TextLink to={paths.sites}>See all sites</TextLink>
    </Stack>
  );
}

/** The focused form is gone. */
function focusFirst(secrets: HTMLElement | null): void {
  secrets?.querySelector<HTMLElement>("[data-autofocus]")?.focus();
}

/** Shows who can do it to people without the role. */
export function ForRole({ needed = "operator", children }: { needed?: Role; children: ReactNode }) {
  if (useMay(needed)) return children;
  return (
    <Text size="sm" c="dimmed">
      {needed === "owner" ? "Only an owner can do this." : "Only an operator or an owner can do this."}
    </Text>
  );
}
