import { retryCollisions } from "shared/db/statement";
import { type GatewayContext, inTime } from "../context.ts";

/**
 * Notes that requests leave behind, gathered in memory, one for each key, and written together `everyMs` after the first: they cost the requests no
 * statement, and a crash loses the last of them. A further note of a key is merged into the one that is known. Of further keys than `most` nothing is noted.
 * `onLost` gets the notes of a statement that failed.
 */
export function createGathered<Note>(
  context: GatewayContext,
  of: {
    name: string;
    everyMs?: number;
    most?: number;
    write: (notes: Note[]) => Promise<unknown>;
    merge: (known: Note, more: Note) => void;
    onLost?: (notes: Map<string, Note>) => void;
  },
) {
  const { name, everyMs = context.config.timeLimits.notesMs, most = 20_000, write, merge, onLost } = of;
  let notes = new Map<string, Note>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const flush = async (): Promise<void> => {
    timer = undefined;
    const gathered = notes;
    notes = new Map();
    if (gathered.size === 0) return;
    try {
      const rows = [...gathered.values()];
      await inTime(
        context,
        retryCollisions(async () => write(rows)),
      );
    } catch (error) {
      context.log.debug({ err: error, notes: gathered.size }, `${name} are not written`);
      onLost?.(gathered);
    }
  };

  return {
    /** The key's note until it is written. */
    get: (key: string): Note | undefined => notes.get(key),
    add: (key: string, note: Note): void => {
      const known = notes.get(key);
      if (known !== undefined) return merge(known, note);
      if (notes.size >= most) return;
      notes.set(key, note);
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
