import { Text } from "@mantine/core";
import { Moment } from "../../../ui/moment.tsx";
import type { MadeSite } from "../../sites/create/create-site-form.tsx";
import type { Facts } from "../progress.ts";
import { EventCode } from "./event-code.tsx";
import { LiveArrival } from "./live-arrival.tsx";
import classes from "./event-step.module.css";

export function EventSummary({ event }: Facts) {
  if (event === undefined) return "A few lines of code in your backend, then the message is on its way.";
  return (
    <>
      {event.name}, <Moment at={event.receivedAt} />
    </>
  );
}

export function EventStep({ made, ...facts }: Facts & { made: MadeSite | undefined }) {
  const { site, binding, event, settings } = facts;
  if (site === undefined) return <Text size="sm">It takes a site, which posts it: the second step.</Text>;
  return (
    <div className={classes["columns"]} data-wide>
      <div className={classes["code"]}>
        {!site.enabled && <Text size="sm">{site.name} is disabled: what you post is refused until it is enabled.</Text>}
        {binding === undefined && <Text size="sm">No binding names an event yet: what arrives now is stored, and nothing is sent.</Text>}
        <EventCode site={site} settings={settings} binding={binding} made={made} />
      </div>
      <LiveArrival last={event} isSandbox={settings.platform.sandbox} />
    </div>
  );
}
