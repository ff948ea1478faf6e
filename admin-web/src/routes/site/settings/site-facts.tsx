import { Card } from "@mantine/core";
import { Fact, Facts } from "../../../ui/facts.tsx";
import { sourceTypeWords } from "../../../ui/source-type-words.ts";
import type { Site } from "../site.ts";

/** What the site is, for whoever may not change it. */
export function SiteFacts({ site }: { site: Site }) {
  return (
    <Card withBorder>
      <Facts>
        <Fact name="State">{site.enabled ? "enabled" : "disabled: events are refused"}</Fact>
        <Fact name="Source type">{sourceTypeWords[site.sourceType]}</Fact>
        <Fact name="Test phone">{site.testPhone ?? "none"}</Fact>
        <Fact name="Timestamp">{site.requireTimestamp ? "required" : "may be left out"}</Fact>
        <Fact name="Rate limit">{site.rateLimitPerSecond === null ? "none" : `${site.rateLimitPerSecond} requests a second`}</Fact>
      </Facts>
    </Card>
  );
}
