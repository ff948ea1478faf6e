import { LRUCache } from "lru-cache";
import { noteSecretUses } from "shared/db/site-secret";
import { within } from "shared/db/transaction";
import type { GatewayContext } from "../context.ts";

/** Which keys and secrets are in use, for people who wonder whether an old one can go. */
export interface SecretUsage {
  /** Notes that the secrets were used; costs no statement of its own. */
  note(ids: readonly string[], at: Date): void;
  /** Writes what is left. */
  stop(): Promise<void>;
}

const everyMs = 60_000;
const remembered = 20_000;

/** Notes are gathered and written in the background in one statement, each secret's once a minute at most. What a crash loses is that of the last second. */
export function createSecretUsage({ sql, log, config }: Pick<GatewayContext, "sql" | "log" | "config">): SecretUsage {
  const { secretUsesMs, statementMs } = config.timeLimits;
  const noted = new LRUCache<string, number>({ max: remembered });
  let pending = new Map<string, Date>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    timer = undefined;
    const uses = Array.from(pending, ([id, at]) => ({ id, at }));
    pending = new Map();
    if (uses.length === 0) return;
    try {
      await within(statementMs, noteSecretUses(sql, uses));
    } catch (error) {
      for (const { id } of uses) noted.delete(id);
      log.debug({ err: error }, "uses of secrets not written; the next use tries again");
    }
  };

  return {
    note(ids, at) {
      for (const id of ids) {
        const last = noted.get(id);
        if (last !== undefined && Math.abs(at.getTime() - last) < everyMs) continue;
        noted.set(id, at.getTime());
        pending.set(id, at);
        timer ??= setTimeout(() => void (writing = write()), secretUsesMs).unref();
      }
    },
    stop: async () => {
      clearTimeout(timer);
      await writing;
      await write();
    },
  };
}
