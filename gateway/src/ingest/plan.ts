import { eventTrace, type EventTrace, findUnreached, type PlanInput, type PlannedMessage, planEvent } from "shared/core/plan";
import { unreachedKey } from "shared/core/unreached";
import { newId } from "shared/db/ids";
import { countryOf, normalizePhone } from "shared/normalize-phone";
import { decidedOutcome, waits } from "./answer.ts";
import type { AuthenticEvent } from "./authenticate.ts";

/** An event with everything decided that can be decided without the platform. */
export type PlannedEvent = ReturnType<typeof plan>;

/** The messages of an event and its answer. Only this is kept of an event in memory once it is stored, since payload and plan are large. */
export type PlannedDelivery = PlannedEvent["delivery"];

export type IdentifiedMessage = PlannedDelivery["messages"][number];

/** Pure except for new ids: event + site → messages. A dry run and a live event are planned alike. */
export function plan(event: AuthenticEvent, now: Date) {
  const { site, dryRun, asked } = event;
  const input: PlanInput = {
    bindings: asked?.bindings ?? site.bindings.get(event.name) ?? [],
    payload: event.payload,
    test: event.test,
    site: {
      testPhone: asked?.testPhone ?? site.testPhone,
      activePhones: site.activePhones,
      country: site.country,
      normalizePhones: site.normalizePhones === "all" || (site.normalizePhones === "shop" && event.topic !== null),
    },
    readPhone: normalizePhone,
    countryOf,
    account: { timezone: site.timezone, configured: site.platform !== null },
    queued: event.queued || site.holdMessages,
    now,
  };
  const planned = planEvent(input);
  const unreached = findUnreached(planned, input, dryRun);
  const identify = (message: PlannedMessage, position: number) => ({
    id: newId(),
    position,
    message,
    /** True if the queue sends the message instead of its event. */
    waits: waits(message, event),
  });
  return {
    event,
    plan: planned,
    /** Facts of planning that no stored message shows. */
    trace: withTopic(eventTrace(planned, !dryRun && planned.skip === null), event.topic),
    /** Why a message has no recipient, as the log keeps it; null where each has one. */
    unreached: unreached && unreachedKey(unreached),
    delivery: {
      /** The event's id. */
      id: asked?.id ?? newId(),
      name: event.name,
      test: event.test,
      site,
      /** The plan's messages as they are stored, with their positions in it; none in a dry run. */
      messages: dryRun ? [] : planned.messages.map(identify),
      /** The answer's `chat` if nothing is to be sent; null if it depends on the platform. */
      outcome: decidedOutcome(planned, event),
      bindingsRun: planned.previews.length,
      /** True for a shop, which gets a shorter answer. */
      toShop: event.topic !== null,
    },
  };
}

const withTopic = (trace: EventTrace | null, topic: string | null): EventTrace | null =>
  topic === null ? trace : { topic, ...(trace ?? { bindings: [], more: 0 }) };

export type EventKey = Record<"site_id" | "id", string>;
