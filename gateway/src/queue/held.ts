import { withTimeout } from "shared/db/transaction";
import { settleWaiting } from "shared/db/waiting/settle";
import { listOwned, type Taken, takeDue, type TakenMessage } from "shared/db/waiting/take";
import type { GatewayContext } from "../context.ts";
import { untried } from "./judge.ts";

/** The waiting messages that this gateway sends. */
export interface HeldMessages {
  /** Takes some of a site's. Throws the database's error; some may have been taken all the same. */
  take(siteId: string, limit: number): Promise<Taken>;
  /** They are recorded. */
  release(messages: readonly TakenMessage[]): void;
  /** Hands back what was taken by statements whose answers never came: nobody sends it, and the lease lives. No statement while there was no such. */
  handBackLost(): Promise<void>;
}

/** A statement that was given up may still be carried out for so long. */
const suspectMs = 60_000;

export function createHeldMessages({ sql, clock, config, log, instanceId }: GatewayContext): HeldMessages {
  const held = new Set<string>();
  let [begun, underWay] = [0, 0];
  let suspectUntil = -Infinity;

  return {
    async take(siteId, limit) {
      begun += 1;
      underWay += 1;
      const taking = takeDue(sql, instanceId, siteId, limit);
      const end = () => void (underWay -= 1);
      taking.then(end, end);
      try {
        const taken = await withTimeout(taking, config.timeLimits.statementMs);
        for (const { id } of taken.messages) held.add(id);
        return taken;
      } catch (error) {
        suspectUntil = clock.monotonic() + suspectMs;
        throw error;
      }
    },
    release: (messages) => messages.forEach(({ id }) => held.delete(id)),
    async handBackLost() {
      if (clock.monotonic() > suspectUntil || underWay > 0) return;
      const before = begun;
      const owned = await withTimeout(listOwned(sql, instanceId), config.timeLimits.statementMs);
      const lost = owned.filter(({ id }) => !held.has(id));
      // A take that began meanwhile may have brought some of them.
      if (lost.length === 0 || begun > before) return;
      log.warn({ messages: lost.length }, "messages that were taken by a lost statement wait again");
      await settleWaiting(
        sql,
        instanceId,
        lost.map((message) => ({ ...message, outcome: untried(0) })),
      );
    },
  };
}
