import { Stack, Text } from "@mantine/core";
import { paths } from "../../paths.ts";
import { TextLink } from "../../ui/text-link.tsx";
import { CreateSiteForm } from "../sites/create/create-site-form.tsx";
import { TwoSecrets } from "../sites/create/two-secrets.tsx";
import { ForRole } from "./for-role.tsx";
import type { Facts } from "./progress.ts";
import type { useMadeSite } from "./use-made-site.ts";

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
