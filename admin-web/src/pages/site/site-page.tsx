import { Group, Button, Card, List, Text, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useParams, useNavigate } from "@tanstack/react-router";
import { paths, ingestAddress } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { ButtonLink, CopyField, TextLink } from "../../ui/buttons.tsx";
import { ConfirmDialog } from "../../ui/dialogs.tsx";
import { Moment } from "../../ui/facts.tsx";
import { FailureNotice, isMissing } from "../../ui/page-states.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { EmptyState, ListSkeleton } from "../../ui/paged-list.tsx";
import { RecipientsSection } from "./recipients.tsx";
import { SecretsSection } from "./secrets.tsx";
import { DetailsForm, SiteFacts, SiteSwitches } from "./settings.tsx";
import type { Site, SiteSecret } from "./use-site.ts";
import classes from "./site.module.css";

const back = { to: paths.sites, label: "Sites" };

export function SitePage() {
  const { siteId } = useParams({ from: `/signed-in${paths.site}` });
  const query = trpc.sites.get.useQuery({ id: siteId });
  if (query.data !== undefined) {
    const { site, secrets } = query.data;
    return (
      <Page title={site.name} lead={site.url} back={back} actions={<SiteLinks siteId={site.id} />}>
        {query.error !== null && (
          <FailureNotice title="This page may be out of date" error={query.error} onRetry={() => void query.refetch()} />
        )}
        <SiteParts key={site.id} site={site} secrets={secrets} />
      </Page>
    );
  }
  return (
    <Page title="Site" back={back}>
      {query.error === null && <ListSkeleton what="the site" />}
      {query.error !== null && isMissing(query.error) && (
        <EmptyState title="Site not found">It may have been deleted, or the address is incomplete.</EmptyState>
      )}
      {query.error !== null && !isMissing(query.error) && (
        <FailureNotice title="Could not load the site" error={query.error} onRetry={() => void query.refetch()} />
      )}
    </Page>
  );
}

/** Links to the lists, filtered by this site. */
function SiteLinks({ siteId }: { siteId: string }) {
  return (
    <Group component="nav" aria-label="This site" gap="xs">
      <ButtonLink variant="default" size="xs" to={paths.bindings} search={{ siteId }}>
        Bindings
      </ButtonLink>
      <ButtonLink variant="default" size="xs" to={paths.events} search={{ siteId }}>
        Events
      </ButtonLink>
      <ButtonLink variant="default" size="xs" to={paths.log} search={{ siteId }}>
        Log
      </ButtonLink>
    </Group>
  );
}

/** Settings on one side; keys and recipients on the other. */
function SiteParts({ site, secrets }: { site: Site; secrets: SiteSecret[] }) {
  const mayChange = useMay("operator");
  return (
    <div className={classes["parts"]}>
      <div className={classes["column"]}>
        {mayChange && <SiteSwitches site={site} />}
        <Section title="Details">{mayChange ? <DetailsForm site={site} /> : <SiteFacts site={site} />}</Section>
      </div>
      <div className={classes["column"]}>
        <SenderSection site={site} />
        <SecretsSection siteId={site.id} secrets={secrets} />
        <RecipientsSection siteId={site.id} />
        {mayChange && <DeleteSite site={site} />}
      </div>
    </div>
  );
}

function DeleteSite({ site: { id, name } }: { site: Site }) {
  const [opened, dialog] = useDisclosure(false);
  const navigate = useNavigate();
  const cache = trpc.useUtils();
  const remove = trpc.sites.delete.useMutation();
  const confirm = async () => {
    await remove.mutateAsync({ id });
    await cache.sites.list.invalidate();
    // Unsaved changes have no site any more.
    await navigate({ to: paths.sites, ignoreBlocker: true });
  };
  return (
    <Section title="Delete">
      <Card withBorder>
        <Group justify="space-between" gap="sm">
          <Text size="sm">To pause it, disable it instead.</Text>
          <Button variant="default" onClick={dialog.open}>
            Delete site
          </Button>
        </Group>
      </Card>
      <ConfirmDialog title={`Delete ${name}?`} action="Delete site" typed={name} opened={opened} onClose={dialog.close} onConfirm={confirm}>
        <List size="sm" spacing="xs">
          <List.Item>Its key and secret stop working: events are refused with 401.</List.Item>
          <List.Item>Its bindings, recipients and test phone are deleted for good.</List.Item>
          <List.Item>Its events and messages stay in the log until the retention period ends.</List.Item>
        </List>
      </ConfirmDialog>
    </Section>
  );
}

/** The endpoint for the site's events, and the time of the last one. */
function SenderSection({ site }: { site: Site }) {
  const settings = trpc.settings.get.useQuery();
  return (
    <Section title="Sending events">
      {settings.error !== null && (
        <FailureNotice title="Could not load the endpoint" error={settings.error} onRetry={() => void settings.refetch()} />
      )}
      {settings.isLoading && <ListSkeleton what="the endpoint" />}
      {settings.data !== undefined && (
        <Card withBorder>
          <Stack gap="md">
            <CopyField
              label="Endpoint URL"
              description="Replace {event} with the event name, such as order.created"
              value={ingestAddress(settings.data.gatewayUrl, site.sourceType)}
            />
            <CopyField label="Site ID" value={site.id} />
            <Text size="sm" c="dimmed">
              Last event: {site.lastEventAt === null ? "none yet" : <Moment at={site.lastEventAt} />}.{" "}
              <TextLink to={paths.topic} params={{ topic: "authentication" }}>
                How to sign requests
              </TextLink>
            </Text>
          </Stack>
        </Card>
      )}
    </Section>
  );
}
