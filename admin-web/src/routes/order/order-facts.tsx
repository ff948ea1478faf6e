import { Card } from "@mantine/core";
import { paths } from "../../paths.ts";
import { useSiteName } from "../../pickers/use-site-name.ts";
import type { Outputs } from "../../trpc.ts";
import { Fact, Facts } from "../../ui/facts.tsx";
import { Moment } from "../../ui/moment.tsx";
import { TextLink } from "../../ui/text-link.tsx";

/** The order as its last event told it. */
export function OrderFacts({ order }: { order: Outputs["orders"]["timeline"]["order"] }) {
  const siteName = useSiteName();
  const { siteId, externalId, number, status, total, currency } = order;
  return (
    <Card withBorder>
      <Facts>
        <Fact name="Site">
          <TextLink to={paths.site} params={{ siteId }}>
            {siteName(siteId)}
          </TextLink>
        </Fact>
        <Fact name="Id at the site">{number !== null && externalId !== number && externalId}</Fact>
        <Fact name="Status">{status}</Fact>
        <Fact name="Total">{total !== null && `${currency ?? ""} ${total}`}</Fact>
        <Fact name="First seen">
          <Moment at={order.createdAt} seconds />
        </Fact>
        <Fact name="Last changed">
          <Moment at={order.updatedAt} seconds />
        </Fact>
      </Facts>
    </Card>
  );
}
