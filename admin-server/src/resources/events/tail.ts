import { setMaxListeners } from "node:events";
import type { Role } from "shared/core/role";
import { type EventRow, listEvents } from "shared/db/event/log";
import type { AdminContext } from "../../context.ts";
import { presentEvent } from "./present.ts";

interface Watcher {
  accountId: string;
  role: Role;
}

/** What a tail begins with. */
const lastEvents = 20;
/** A client that does not keep up misses the oldest. */
const mostWaiting = 1000;

/**
 * The last events, then those that come, oldest first in each batch; one that is still being sent comes again when it is answered, and any may come twice:
 * the id tells. Ends with the signal or the server.
 */
export async function* tailEvents(
  { sql, tail, stopping }: Pick<AdminContext, "sql" | "tail" | "stopping">,
  { accountId, role }: Watcher,
  siteId: string | undefined,
  signal: AbortSignal,
) {
  let waiting: EventRow[] = [];
  let wake = (): void => undefined;
  const unwatch = tail.watch(accountId, (events) => {
    waiting = [...waiting, ...events.filter((event) => siteId === undefined || event.site_id === siteId)].slice(-mostWaiting);
    wake();
  });
  const signals = [signal, stopping];
  // However many watch, they end with one server.
  setMaxListeners(0, stopping);
  const end = (): void => wake();
  for (const each of signals) each.addEventListener("abort", end);
  try {
    waiting.unshift(...(await listEvents(sql, accountId, { siteId }, { from: null, before: null, limit: lastEvents })).toReversed());
    while (!signals.some(({ aborted }) => aborted)) {
      const batch = waiting;
      waiting = [];
      yield { events: batch.map((event) => presentEvent(event, role)) };
      while (waiting.length === 0 && !signals.some(({ aborted }) => aborted)) await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    unwatch();
    for (const each of signals) each.removeEventListener("abort", end);
  }
}
