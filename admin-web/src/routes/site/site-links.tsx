import { Group } from "@mantine/core";
import { paths } from "../../paths.ts";
import { ButtonLink } from "../../ui/button-link.tsx";

/** What else there is of the site. */
export function SiteLinks({ siteId }: { siteId: string }) {
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
