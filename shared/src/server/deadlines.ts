/** Work that must not last for ever. */
export interface Limited {
  /** An instant of `performance.now()`. */
  readonly endsAt: number;
  /** The work's place in `Deadlines`; -1 at first. */
  place: number;
  /** Called when the time is over. */
  expire(): void;
}

/** Ends work that lasts too long. */
export type Deadlines = ReturnType<typeof createDeadlines>;

const lookMs = 20;

/**
 * One timer looks after all, as a timer of its own would cost each piece of work more than these looks. Places are used again: the tables that a `Set`
 * leaves behind when it changes would keep their entries, and everything that these refer to, until the next full garbage collection.
 */
export function createDeadlines() {
  const places: (Limited | null)[] = [];
  const free: number[] = [];
  let timer: NodeJS.Timeout | undefined;

  const remove = (work: Limited): void => {
    if (places[work.place] !== work) return;
    places[work.place] = null;
    free.push(work.place);
  };

  const look = (): void => {
    const now = performance.now();
    timer = undefined;
    for (const work of places) {
      if (work === null || work.endsAt > now) continue;
      remove(work);
      work.expire();
    }
    if (free.length < places.length) timer ??= setTimeout(look, lookMs);
  };

  return {
    /** Calls `expire` once, at most 20 ms late, unless the work is removed before. */
    add: (work: Limited): void => {
      work.place = free.pop() ?? places.length;
      places[work.place] = work;
      timer ??= setTimeout(look, lookMs);
    },
    remove,
  };
}
