import { Stack, Text } from "@mantine/core";
import { lazy, Suspense } from "react";
import { paths } from "../../paths.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { Moment } from "../../ui/facts.tsx";
import { ListSkeleton } from "../../ui/paged-list.tsx";
import { ConnectSteps } from "../site/connect.tsx";
import type { MadeSite } from "../sites/create-site.tsx";
import { LiveArrival } from "./event-step.tsx";
import { ForRole } from "./platform-and-site-steps.tsx";
import type { Facts } from "./progress.ts";
import classes from "./getting-started.module.css";

// The steps of a shop that posts by itself.

export function ConnectSummary({ site }: Facts) {
  if (site === undefined || site.connectedAt === null) return "The shop posts its orders by itself. No code is needed.";
  return (
    <>
      {site.name} is connected, <Moment at={site.connectedAt} />
    </>
  );
}

export function ConnectStep({ site, made }: Facts & { made: MadeSite | undefined }) {
  if (site === undefined) return null;
  return <ConnectSteps site={site} webhookSecret={made?.site.id === site.id ? made.webhookSecret : undefined} />;
}

export function MessagesSummary({ binding }: Facts) {
  if (binding === undefined) return "What your customers are told, and when: ready texts in several languages.";
  return binding.templateStatus === "approved"
    ? `${binding.event} sends ${binding.template}.`
    : "WhatsApp is reviewing your templates. This page updates by itself.";
}

const ReadyBindings = lazy(async () => ({ default: (await import("../site/ready-bindings.tsx")).ReadyBindings }));

export function MessagesStep({ settings: { platform }, site }: Facts) {
  if (site === undefined) return null;
  if (!platform.configured) return <Text size="sm">Connect WhatsApp first: it approves the texts.</Text>;
  return (
    <ForRole>
      <Suspense fallback={<ListSkeleton what="the messages" />}>
        <ReadyBindings site={site} />
      </Suspense>
    </ForRole>
  );
}

export function OrderSummary({ event, isSeen }: Facts) {
  if (event === undefined) return "An order in your shop, with a phone number, sends the first message.";
  return (
    <>
      {event.name}, <Moment at={event.receivedAt} />
      {!isSeen && ": no message has left yet"}
    </>
  );
}

export function OrderStep({ settings: { platform }, site, binding, event }: Facts) {
  if (site === undefined) return null;
  return (
    <div className={classes["eventStepColumns"]} data-wide>
      <Stack gap="sm">
        {!site.enabled && <Text size="sm">{site.name} is disabled: its events are refused until you enable it.</Text>}
        {binding === undefined && <Text size="sm">No messages are set up yet: orders are stored, but nothing is sent.</Text>}
        <Text size="sm">
          Place an order in your shop as a customer would, with {platform.sandbox ? "any" : "your own"} phone number. Its message shows here
          within seconds{platform.sandbox && ", and nobody gets a real one"}.
        </Text>
        {site.sourceType === "shopify" && <TestGateway site={site} />}
      </Stack>
      <LiveArrival last={event} isSandbox={platform.sandbox} siteId={site.id} />
    </div>
  );
}

/** Shopify marks orders of its test gateway. */
function TestGateway({ site: { id, testPhone } }: { site: NonNullable<Facts["site"]> }) {
  return (
    <Text size="sm">
      An order of Shopify&apos;s test gateway is a test event: its message goes only to the site&apos;s test phone
      {testPhone === null ? ", and there is none yet. " : `, ${testPhone}. `}
      <TextLink to={paths.site} params={{ siteId: id }}>
        Change the test phone
      </TextLink>
    </Text>
  );
}
