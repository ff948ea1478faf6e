import { withTimeout } from "shared/db/transaction";
import { settleWaiting } from "shared/db/waiting/settle";
import { listOwned, type Taken, takeDue, type TakenMessage } from "shared/db/waiting/take";
import type { GatewayContext } from "../context.ts";
import { untried } from "./judge.ts";

/** The rows that this gateway has taken and works on. */
export interface Held<Taken, Row> {
  /** Waits for a statement that takes rows. Throws the database's error; some rows may have been taken all the same. */
  take(statement: Promise<Taken>): Promise<Taken>;
  /** Forgets rows whose results are recorded. */
  release(rows: readonly Row[]): void;
  /** Hands back rows of statements whose answers never came: nobody works on them, and their lease goes on. No statement if there was no such statement lately. */
  handBackLost(): Promise<void>;
}

/** A statement that we gave up may still be carried out for this long. */
const suspectMs = 60_000;

export function createHeld<Taken, Row extends { id: string }, Owned extends { id: string } = Row>(
  { clock, config, log }: Pick<GatewayContext, "clock" | "config" | "log">,
  rows: { of(taken: Taken): readonly Row[]; listOwned(): Promise<Owned[]>; handBack(lost: Owned[]): Promise<unknown> },
): Held<Taken, Row> {
  const held = new Set<string>();
  let [begun, underWay] = [0, 0];
  let suspectUntil = -Infinity;

  return {
    async take(statement) {
      begun += 1;
      underWay += 1;
      const end = () => void (underWay -= 1);
      statement.then(end, end);
      try {
        const taken = await withTimeout(statement, config.timeLimits.statementMs);
        for (const { id } of rows.of(taken)) held.add(id);
        return taken;
      } catch (error) {
        suspectUntil = clock.monotonic() + suspectMs;
        throw error;
      }
    },
    release: (released) => released.forEach(({ id }) => held.delete(id)),
    async handBackLost() {
      if (clock.monotonic() > suspectUntil || underWay > 0) return;
      const before = begun;
      const owned = await withTimeout(rows.listOwned(), config.timeLimits.statementMs);
      const lost = owned.filter(({ id }) => !held.has(id));
      // A take that began meanwhile may have brought some of these rows.
      if (lost.length === 0 || begun > before) return;
      log.warn({ rows: lost.length }, "what was taken by a lost statement waits again");
      await rows.handBack(lost);
    },
  };
}

/** The waiting messages that this gateway sends. */
export function createHeldMessages(context: GatewayContext) {
  const { sql, instanceId } = context;
  const held = createHeld(context, {
    of: ({ messages }: Taken): TakenMessage[] => messages,
    listOwned: () => listOwned(sql, instanceId),
    handBack: (lost) =>
      settleWaiting(
        sql,
        instanceId,
        lost.map((message) => ({ ...message, outcome: untried(0) })),
      ),
  });
  return { ...held, take: (siteId: string, limit: number) => held.take(takeDue(sql, instanceId, siteId, limit)) };
}

export type HeldMessages = ReturnType<typeof createHeldMessages>;
