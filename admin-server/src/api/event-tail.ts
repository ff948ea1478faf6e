import { uuidFloor } from "shared/core/uuid";
import { type EventRow, listEvents } from "shared/db/event/log";
import type { Sql } from "shared/db/statement";
import type { Logger } from "shared/server/logger";
import { repeat } from "shared/server/retry";

const pollMs = 400;
/** Each poll looks this far back: ids are made before their events are committed, and by several clocks. */
const windowMs = 60_000;
/** The most events that one poll reads, the newest. */
const mostAtOnce = 200;

/** Tells viewers of new events: polls the log by key while somebody watches, once per account however many watch. */
export function createEventTail({ sql, log, clock }: { sql: Sql; log: Logger; clock: () => Date }) {
  const accounts = new Map<string, ReturnType<typeof begin>>();

  const begin = (accountId: string) => {
    const watchers = new Set<(events: EventRow[]) => void>();
    const look = createLook(sql, accountId, clock);
    const stop = repeat(
      async () => {
        const events = await look();
        if (events.length > 0) for (const tell of watchers) tell(events);
      },
      pollMs,
      log,
    );
    return { watchers, stop };
  };

  return {
    /** Passes the account's events to `tell`, oldest first, when they are stored and again when they are answered. Call the result to stop. */
    watch(accountId: string, tell: (events: EventRow[]) => void): () => void {
      const watched = accounts.get(accountId) ?? begin(accountId);
      accounts.set(accountId, watched);
      watched.watchers.add(tell);
      return () => {
        watched.watchers.delete(tell);
        if (watched.watchers.size > 0 || accounts.get(accountId) !== watched) return;
        accounts.delete(accountId);
        void watched.stop();
      };
    },
  };
}

export type EventTail = ReturnType<typeof createEventTail>;

/** Each call answers the events that are new, or answered, since the call before, oldest first. The first call answers those of the last minute. */
function createLook(sql: Sql, accountId: string, clock: () => Date): () => Promise<EventRow[]> {
  let told = new Map<string, string | null>();
  return async () => {
    const from = uuidFloor(clock().getTime() - windowMs);
    const events = await listEvents(sql, accountId, {}, { from, before: null, limit: mostAtOnce });
    const news = events.filter(({ id, chat }) => !told.has(id) || told.get(id) !== chat);
    told = new Map([...[...told].filter(([id]) => id >= from), ...events.map(({ id, chat }) => [id, chat] as const)]);
    return news.toReversed();
  };
}
