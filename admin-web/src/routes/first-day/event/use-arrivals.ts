import { useState } from "react";
import { type Outputs, trpc } from "../../../trpc.ts";

type Event = Outputs["events"]["list"]["items"][number];

interface Arrivals {
  /** The newest; undefined while there is none. */
  latest: Event | undefined;
  isListening: boolean;
}

/** Follows the account's events as they come. `last`: the newest that is known without. */
export function useArrivals(last: Event | undefined): Arrivals {
  const cache = trpc.useUtils();
  const [seen, setSeen] = useState<Event>();
  const { status } = trpc.events.tail.useSubscription(undefined, {
    onData: ({ events }) => {
      // An event comes again once it is answered; ids grow with time.
      const newest = events.toSorted((a, b) => (a.id < b.id ? -1 : 1)).at(-1);
      if (newest === undefined) return;
      setSeen((before) => (before === undefined || newest.id >= before.id ? newest : before));
      void cache.events.list.invalidate();
      void cache.events.get.invalidate({ id: newest.id });
      void cache.notifications.list.invalidate();
    },
  });
  return { latest: seen ?? last, isListening: status === "pending" };
}
