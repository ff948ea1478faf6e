import { Alert, Group, Stack, Text } from "@mantine/core";
import { formatCountOf } from "../../format.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { type Outputs, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { HoldButton } from "../../ui/hold.tsx";

const lookEveryMs = 30_000;
/** Sites that are named; of more there is only the number. */
const mostNamed = 3;

/** Says on every page which sites have paused sending, and how many messages wait there. */
export function HoldBanner() {
  const held = trpc.sites.list.useQuery({ holdMessages: true, limit: 200 }, { refetchInterval: lookEveryMs });
  const sites = held.data?.items ?? [];
  if (sites.length === 0) return null;
  const others = sites.length - mostNamed;
  return (
    <Alert color="yellow" mb="md" component="section" role="region" aria-label="Paused sending">
      <Stack gap="xs">
        {sites.slice(0, mostNamed).map((site) => (
          <HeldSite key={site.id} site={site} />
        ))}
        {others > 0 && (
          <Text size="sm">
            {formatCountOf(others, "more site")} {others === 1 ? "pauses" : "pause"} sending.{" "}
            <TextLink to={paths.sites} c="inherit">
              Open sites
            </TextLink>
          </Text>
        )}
      </Stack>
    </Alert>
  );
}

function HeldSite({ site }: { site: Outputs["sites"]["list"]["items"][number] }) {
  const mayChange = useMay("operator");
  const backlog = trpc.stats.backlog.useQuery({ siteId: site.id }, { refetchInterval: lookEveryMs });
  const count = backlog.data?.scheduled ?? 0;
  return (
    <Group gap="sm" justify="space-between">
      <Text size="sm">
        <strong>
          <TextLink to={paths.site} params={{ siteId: site.id }} c="inherit">
            {site.name}
          </TextLink>{" "}
          pauses sending.
        </strong>{" "}
        <TextLink to={paths.scheduled} search={{ siteId: site.id }} c="inherit">
          {formatCountOf(count, "message")}
        </TextLink>{" "}
        {count === 1 ? "waits" : "wait"} there.
      </Text>
      {mayChange && <HoldButton site={site} />}
    </Group>
  );
}
