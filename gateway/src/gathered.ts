import { withTimeout } from "shared/db/transaction";
import type { GatewayContext } from "./context.ts";

/**
 * Notes that requests leave behind, gathered in memory, one for each key, and written together `everyMs` after the first: they cost the requests no
 * statement, and a crash loses the last of them. Of further keys than `most` nothing is noted. `onLost` gets the notes of a statement that failed.
 */
export function createGathered<Note>(
  { log, config }: Pick<GatewayContext, "log" | "config">,
  of: {
    name: string;
    everyMs: number;
    most?: number;
    write: (notes: Note[]) => Promise<unknown>;
    onLost?: (notes: Map<string, Note>) => void;
  },
) {
  const { name, everyMs, most = 20_000, write, onLost } = of;
  let notes = new Map<string, Note>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const flush = async (): Promise<void> => {
    timer = undefined;
    const gathered = notes;
    notes = new Map();
    if (gathered.size === 0) return;
    try {
      await withTimeout(write([...gathered.values()]), config.timeLimits.statementMs);
    } catch (error) {
      log.debug({ err: error, notes: gathered.size }, `${name} are not written`);
      onLost?.(gathered);
    }
  };

  return {
    /** Notes what `change` makes of the note that the key has. */
    note: (key: string, change: (known: Note | undefined) => Note): void => {
      const known = notes.get(key);
      if (known === undefined && notes.size >= most) return;
      notes.set(key, change(known));
      timer ??= setTimeout(() => void (writing = flush()), everyMs).unref();
    },
    /** Writes the remaining notes. */
    stop: async (): Promise<void> => {
      clearTimeout(timer);
      await writing;
      await flush();
      clearTimeout(timer);
    },
  };
}
