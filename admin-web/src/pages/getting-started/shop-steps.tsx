import { Stack, Text } from "@mantine/core";
import { t } from "../../language.ts";
import { pages } from "../../paths.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { Moment } from "../../ui/base/facts.tsx";
import { Awaiting, part } from "../../ui/base/later.tsx";
import { WideColumns } from "../../ui/base/layout.tsx";
import { rich } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { ListSkeleton } from "../../ui/table/data-table.tsx";
import { ConnectSteps } from "../site/connect.tsx";
import { guides } from "../site/guides.ts";
import { SiteState } from "../site/site-state.tsx";
import { LiveArrival } from "./event-step.tsx";
import type { Facts } from "./progress.ts";
import { ForRole } from "./setup-steps.tsx";

// The steps of a shop that posts by itself.

export function ConnectSummary({ site }: Facts) {
  if (site === undefined || site.connectedAt === null) return t("The shop posts its orders by itself. No code is needed.");
  return rich(t("{name} is connected, <0/>", { name: site.name }), <Moment at={site.connectedAt} />);
}

export function ConnectStep({ site }: Facts) {
  const mayChange = useMay("operator");
  if (site === undefined) return null;
  return (
    <Stack>
      <SiteState site={site} />
      {mayChange && <ConnectSteps site={site} />}
    </Stack>
  );
}

export function MessagesSummary({ binding }: Facts) {
  if (binding === undefined) return t("Ready texts in several languages for the messages that your customers get.");
  return binding.templateStatus === "approved"
    ? t("{event} sends {template}.", { event: binding.event, template: binding.template })
    : t("WhatsApp is reviewing your templates. This page updates by itself.");
}

const ReadyBindings = part(async () => (await import("../site/ready-bindings.tsx")).ReadyBindings);

export function MessagesStep({ settings: { platform }, site }: Facts) {
  if (site === undefined) return null;
  if (!platform.configured) return <Text>{t("Connect WhatsApp first: it approves the texts.")}</Text>;
  return (
    <ForRole>
      <Awaiting fallback={<ListSkeleton what={t("the messages")} />}>
        <ReadyBindings site={site} />
      </Awaiting>
    </ForRole>
  );
}

export function OrderSummary({ event, isSeen }: Facts) {
  if (event === undefined) return t("An order in your shop, with a phone number, sends the first message.");
  const { name } = event;
  const text = isSeen ? t("<0>{name}</0>, <1/>", { name }) : t("<0>{name}</0>, <1/>: no message has left yet", { name });
  return rich(text, <bdi />, <Moment at={event.receivedAt} />);
}

export function OrderStep({ settings: { platform }, site, binding, event }: Facts) {
  if (site === undefined) return null;
  return (
    <WideColumns data-wide>
      <Stack gap="sm">
        {!site.enabled && <Text>{t("{name} is disabled: its events are refused until you enable it.", { name: site.name })}</Text>}
        {binding === undefined && <Text>{t("No messages are set up yet: orders are stored, but nothing is sent.")}</Text>}
        <Text>
          {t(
            "Place an order in your shop as a customer would, with {value} phone number. Its message appears here within seconds{value2}.",
            { value: platform.sandbox ? t("any") : t("your own"), value2: platform.sandbox && t(", and nobody gets a real one") },
          )}
        </Text>
        <TestOrders site={site} />
      </Stack>
      <LiveArrival last={event} isSandbox={platform.sandbox} siteId={site.id} />
    </WideColumns>
  );
}

/** Where the shop marks orders that nobody pays. */
function TestOrders({ site: { id, sourceType, testPhone } }: { site: NonNullable<Facts["site"]> }) {
  const { testOrders } = guides[sourceType];
  const mayChange = useMay("operator");
  if (testOrders === null) return null;
  return (
    <Text>
      {rich(
        testOrders(testPhone === null ? t(", and there is none yet. ") : t(", {phone}. ", { phone: testPhone })),
        mayChange && <TextLink {...pages.site(id, "settings")} />,
      )}
    </Text>
  );
}
