import { useState } from "react";
import { parseEventName } from "shared/core/event";
import { isTestEvent } from "shared/core/event";
import type { JsonObject } from "shared/core/json";
import { type Outputs, trpc } from "../../../trpc.ts";
import { prettyJson } from "../../../ui/json/pretty-json.ts";
import { payloadFault } from "./payload-fault.ts";

export type ReceivedEvent = Outputs["events"]["list"]["items"][number];

/** What the preview is filled from: an event that came, or a text that was pasted. */
export type PayloadChoice = { from: "event"; eventId: string | null } | { from: "paste" };

export interface PayloadState {
  /** The event's name, once whoever types it has paused. */
  name: string;
  choice: PayloadChoice;
  choose: (choice: PayloadChoice) => void;
  pasted: string;
  paste: (text: string) => void;
  /** The last events of that site and name, newest first; undefined until they are known. */
  events: ReceivedEvent[] | undefined;
  /** The one that is used. */
  event: ReceivedEvent | undefined;
  /** Whether it goes to the site's test phone alone. */
  isTest: boolean;
  /** JSON text; undefined while there is none, null when the event's was forgotten. */
  text: string | null | undefined;
  /** It is on its way. */
  isComing: boolean;
  error: { message: string } | null;
}

const shownEvents = 10;
/** How soon the first event of a name is seen. */
const waitMs = 3000;

/** `name`: as far as it was typed. */
export function usePayload(siteId: string, name: string): PayloadState {
  const [choice, choose] = useState<PayloadChoice>({ from: "event", eventId: null });
  const [{ pasted, whole }, setPasted] = useState<{ pasted: string; whole?: string | undefined }>({ pasted: "" });
  const event = parseEventName(name);
  const isNamed = siteId !== "" && event !== null;
  const list = trpc.events.list.useQuery(
    { siteId, event: event ?? "", limit: shownEvents },
    { enabled: isNamed, refetchInterval: ({ state }) => (state.data?.items.length === 0 ? waitMs : false) },
  );
  const events = isNamed ? list.data?.items : undefined;
  const used = choice.from === "event" ? pick(events ?? [], choice.eventId) : undefined;
  const received = trpc.events.get.useQuery({ id: used?.id ?? "" }, { enabled: used !== undefined, staleTime: Infinity });
  const text = choice.from === "paste" ? whole : used && received.data?.event.payload;
  return {
    name,
    choice,
    choose: (next) => {
      // One's own begins with what was shown.
      if (next.from === "paste" && pasted === "" && typeof text === "string") setPasted({ pasted: prettyJson(text), whole: text });
      choose(next);
    },
    pasted,
    // While the text is being changed it is mostly no JSON; the preview stays with what it was before.
    paste: (text) => setPasted((now) => ({ pasted: text, whole: payloadFault(text) === null ? text : now.whole })),
    events,
    event: used,
    text,
    isComing: choice.from === "event" && ((isNamed && list.isLoading) || received.isLoading),
    isTest: used?.test ?? (typeof text === "string" && event !== null && isTestEvent(event, JSON.parse(text) as JsonObject)),
    error: list.error ?? received.error,
  };
}

/** The newest live one; tests and dry runs only where there is no other. */
const pick = (events: readonly ReceivedEvent[], id: string | null): ReceivedEvent | undefined =>
  events.find((event) => event.id === id) ?? events.find(({ test, dryRun }) => !test && !dryRun) ?? events[0];
