import { setTimeout as sleep } from "node:timers/promises";
import { takeJobTurn } from "shared/db/owned";
import { withTimeout } from "shared/db/statement";
import { type Backlog, readWholeBacklog } from "shared/db/waiting/list";
import type { GatewayMetrics } from "shared/metrics/metrics";
import { repeat } from "shared/server/retry";
import type { GatewayContext } from "../context.ts";

/** Several refreshes may fail before another gateway counts. */
const leaseSeconds = 60;
/** The counts read every waiting message, and take at most a twentieth of the time. */
const [partOfTime, mostSeconds] = [20, 40];

/** Keeps the numbers that only the database knows, at one of all gateways, which shows them until it stops or loses the lease. The returned function stops it. */
export function watchBacklog({ sql, log, config }: GatewayContext, { gauge }: Pick<GatewayMetrics, "gauge">): () => Promise<void> {
  const { backlogMs } = config.timeLimits;
  let known: Backlog | undefined;
  const show = (name: string, help: string, read: (backlog: Backlog) => { value: number; labels?: Record<string, string> }[]): void =>
    gauge(name, help, () => (known === undefined ? [] : read(known)));
  show("tidings_queue_messages", "Waiting messages: due now, or later.", ({ queued, scheduled }) => [
    { value: queued, labels: { state: "queued" } },
    { value: scheduled, labels: { state: "scheduled" } },
  ]);
  show("tidings_queue_oldest_seconds", "How long the first message that may leave has been due.", (one) => [{ value: one.oldest_seconds }]);
  show("tidings_in_doubt_messages", "Messages of which nobody knows yet whether they were sent.", (one) => [{ value: one.in_doubt }]);

  const hold = async (extend: () => Promise<boolean>, signal: AbortSignal): Promise<number> => {
    try {
      do {
        const since = performance.now();
        known = await withTimeout(readWholeBacklog(sql), (leaseSeconds * 1000) / 3);
        const rest = Math.min(mostSeconds * 1000, Math.max(backlogMs, partOfTime * (performance.now() - since)));
        await sleep(rest, undefined, { signal, ref: false }).catch(() => undefined);
      } while (!signal.aborted && (await extend()));
    } finally {
      known = undefined;
    }
    return 0;
  };
  const takeTurn = (stopping: AbortSignal): Promise<void> => takeJobTurn(sql, "backlog", leaseSeconds, (extend) => hold(extend, stopping));
  return repeat(takeTurn, Math.min(backlogMs, 1_000), log);
}
