import { Card, Stack } from "@mantine/core";
import { Section } from "../../../ui/page/section.tsx";
import type { Site } from "../site.ts";
import { SiteSwitch } from "./site-switch.tsx";

/** What is let in. Each says what comes of it as it stands. */
export function SiteSwitches({ site }: { site: Site }) {
  return (
    <Section title="Intake">
      <Card withBorder>
        <Stack gap="lg">
          <SiteSwitch
            site={site}
            member="enabled"
            label="Enabled"
            on="Events are taken and their messages go out. Switched off, events are refused with 403 and nothing is sent or kept: the backend has to post them again."
            off="Events are refused with 403 and nothing is sent or kept: the backend has to post them again later."
          />
          <SiteSwitch
            site={site}
            member="requireTimestamp"
            label="Require a timestamp"
            on="A request without X-Service-Timestamp is refused with 401, so that nobody can post a recorded one again later."
            off="A request may leave out X-Service-Timestamp. With it, it may be 5 minutes off at most."
          />
        </Stack>
      </Card>
    </Section>
  );
}
