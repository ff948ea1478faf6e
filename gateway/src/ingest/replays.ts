import { noteReplays } from "shared/db/event/answer";
import { retryCollisions } from "shared/db/transaction";
import { within } from "shared/db/transaction";
import { repeat } from "shared/server/startup";
import type { GatewayContext } from "../context.ts";

/** Counts how often an event's answer was given again, for people who wonder why a second one sent nothing. */
export interface Replays {
  /** Costs no statement of its own. */
  note(siteId: string, eventId: string): void;
  /** Writes what is left. */
  stop(): Promise<void>;
}

/** Events counted in one go; a flood of duplicates beyond them goes uncounted. */
const most = 10_000;

/** Counts are gathered and written in one statement now and then. What a crash or a lost database costs is the counts of that moment. */
export function createReplays({ sql, log, config }: Pick<GatewayContext, "sql" | "log" | "config">): Replays {
  const { replaysMs, statementMs } = config.timeLimits;
  let pending = new Map<string, { site_id: string; id: string; times: number }>();

  const write = async (): Promise<void> => {
    const replays = [...pending.values()];
    pending = new Map();
    if (replays.length > 0)
      await within(
        statementMs,
        retryCollisions(async () => noteReplays(sql, replays)),
      );
  };
  const stop = repeat(write, replaysMs, log);

  return {
    note(siteId, eventId) {
      const known = pending.get(eventId);
      if (known) known.times += 1;
      else if (pending.size < most) pending.set(eventId, { site_id: siteId, id: eventId, times: 1 });
    },
    stop: async () => {
      await stop();
      await write().catch((error: unknown) => log.debug({ err: error }, "counts of duplicates not written"));
    },
  };
}
