import { Card, Stack, Text } from "@mantine/core";
import { ingestAddress, paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { CopyField } from "../../ui/copy-field.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Section } from "../../ui/page/section.tsx";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { ListSkeleton } from "../../ui/states/list-skeleton.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import type { Site } from "./site.ts";

/** Where the site's backend posts its events, and when it last did. */
export function SenderSection({ site }: { site: Site }) {
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
