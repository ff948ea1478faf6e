import { Group, Button, Card, List, Text, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useParams, useNavigate } from "@tanstack/react-router";
import { paths, ingestAddress } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { ButtonLink, CopyField, TextLink } from "../../ui/buttons.tsx";
import { ConfirmDialog } from "../../ui/dialogs.tsx";
import { Moment } from "../../ui/facts.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
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
          <FailureNotice title="What stands here may be old" error={query.error} onRetry={() => void query.refetch()} />
        )}
        <SiteParts key={site.id} site={site} secrets={secrets} />
      </Page>
    );
  }
  return (
    <Page title="Site" back={back}>
      {query.error === null && <ListSkeleton what="the site" />}
      {query.error !== null && isNoSite(query.error) && (
        <EmptyState title="There is no such site">It may have been deleted, or the address is not whole.</EmptyState>
      )}
      {query.error !== null && !isNoSite(query.error) && (
        <FailureNotice title="Could not load the site" error={query.error} onRetry={() => void query.refetch()} />
      )}
    </Page>
  );
}

/** An address that was cut off names no id at all. */
const isNoSite = ({ data }: { data?: { code: string } | null | undefined }): boolean =>
  data?.code === "NOT_FOUND" || data?.code === "BAD_REQUEST";

/** What else there is of the site. */
function SiteLinks({ siteId }: { siteId: string }) {
  return (
    <Group component="nav" aria-label="Of this site" gap="xs">
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

/** The site itself on one side, on the other what its backend and its messages need. */
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
    // What stands unsaved in the page's forms has no site any more.
    await navigate({ to: paths.sites, ignoreBlocker: true });
  };
  return (
    <Section title="Delete">
      <Card withBorder>
        <Group justify="space-between" gap="sm">
          <Text size="sm">To stop it for a while, disable it instead.</Text>
          <Button variant="default" onClick={dialog.open}>
            Delete the site
          </Button>
        </Group>
      </Card>
      <ConfirmDialog title={`Delete ${name}?`} action="Delete" typed={name} opened={opened} onClose={dialog.close} onConfirm={confirm}>
        <List size="sm" spacing="xs">
          <List.Item>At once its key and secret end: events are refused with 401.</List.Item>
          <List.Item>Its bindings, recipients and test phone are deleted, and cannot be brought back.</List.Item>
          <List.Item>Its events and messages stay in the log until their retention ends.</List.Item>
        </List>
      </ConfirmDialog>
    </Section>
  );
}

/** Where the site's backend posts its events, and when it last did. */
function SenderSection({ site }: { site: Site }) {
  const settings = trpc.settings.get.useQuery();
  return (
    <Section title="Sending events">
      {settings.error !== null && (
        <FailureNotice title="Could not load the address" error={settings.error} onRetry={() => void settings.refetch()} />
      )}
      {settings.isLoading && <ListSkeleton what="the address" />}
      {settings.data !== undefined && (
        <Card withBorder>
          <Stack gap="md">
            <CopyField
              label="Address to post to"
              description="The event's name takes the place of {event}, such as order.created"
              value={ingestAddress(settings.data.gatewayUrl, site.sourceType)}
            />
            <CopyField label="Site id" value={site.id} />
            <Text size="sm" c="dimmed">
              Last event: {site.lastEventAt === null ? "none yet" : <Moment at={site.lastEventAt} />}.{" "}
              <TextLink to={paths.topic} params={{ topic: "authentication" }}>
                How a request is signed
              </TextLink>
            </Text>
          </Stack>
        </Card>
      )}
    </Section>
  );
}
