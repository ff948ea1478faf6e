import { createDeadlines, type Deadlines, type Limited } from "../../server/deadlines.ts";
import { doublingPause } from "../../server/retry.ts";
import { DatabaseTimeout, isCollision, isDatabaseAway, withTimeout } from "../statement.ts";

/** Work that arrives one by one and is done in batches. */
export interface Lane<In, Out> {
  /** Resolves with this item's own outcome, or rejects with its error; with `DatabaseTimeout` after `withinMs`, whatever happens to the item afterwards. */
  add(item: In, withinMs?: number): Promise<Out>;
  /** Milliseconds that the oldest item of the group has been waiting for its batch; 0 when none waits. */
  waitMs(group: string): number;
  /** Resolves when no item is left. */
  drained(): Promise<void>;
}

export interface LaneOptions<In, Out> {
  /** Does a batch in one go; the outcomes stand in the order of the items. A rejection fails the whole batch. */
  run(items: In[]): Promise<Out[]>;
  maxItems: number;
  /** The largest sum of `sizeOf` in a batch. */
  maxSize?: number | undefined;
  sizeOf?: ((item: In) => number) | undefined;
  /** Items with a key in common never share a batch: a statement cannot claim one row twice. Null means free. */
  keyOf?: ((item: In) => string | readonly string[] | null) | undefined;
  /** The group of an item. Groups take turns: one with ten times its share delays only itself. */
  groupOf?: ((item: In) => string) | undefined;
  /** How many batches may be under way; a further one starts only when those under way are late and enough items wait for it. */
  atOnce?: number | undefined;
  /** Milliseconds after which a batch is late, 100 by default. Until then one larger batch afterwards costs less than two at once. */
  lateMs?: number | undefined;
  /** Awaited before each batch is gathered: items that arrive meanwhile belong to it. */
  pace?: (() => Promise<void>) | undefined;
  /** Whether to split a failed batch and try again: true if one row is at fault, false for a lost connection. */
  splits(error: unknown): boolean;
  /** For how many milliseconds after it came an item is tried again after this error, for what must not be lost; 0 by default. */
  insistMs?: ((error: unknown, items: readonly In[]) => number) | undefined;
  /** Told of the size of each batch. */
  onBatch?: ((items: number) => void) | undefined;
  /** Told of a failure that is final, as a caller may have given up before. */
  onLost?: ((error: unknown, items: readonly In[]) => void) | undefined;
}

/** The fewest items for which a further batch starts beside the one under way. */
const worthABatch = 8;

/** Waits a turn of the event loop, whose items belong to one batch. */
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** For how many turns a batch is gathered: what is in the sockets by then shares a statement, a tenth of the cost of its own. Without load, no further turn. */
const turnsFor = (load: number): number => (load > 2 ? 3 : 1);

/** An item and the caller who waits for its outcome. */
class Entry<In, Out> implements Limited {
  readonly item: In;
  /** An instant of `performance.now()`. */
  readonly since = performance.now();
  readonly endsAt: number;
  place = -1;
  /** How often it has failed. */
  tries = 0;
  private readonly deadlines: Deadlines;
  private readonly onDone: (out: Out) => void;
  private readonly onFailed: (error: unknown) => void;

  constructor(item: In, withinMs: number, deadlines: Deadlines, onDone: (out: Out) => void, onFailed: (error: unknown) => void) {
    this.item = item;
    this.endsAt = this.since + withinMs;
    this.deadlines = deadlines;
    this.onDone = onDone;
    this.onFailed = onFailed;
    if (withinMs !== Infinity) deadlines.add(this);
  }

  resolve(out: Out): void {
    this.deadlines.remove(this);
    this.onDone(out);
  }

  reject(error: unknown): void {
    this.deadlines.remove(this);
    this.onFailed(error);
  }

  expire(): void {
    this.onFailed(new DatabaseTimeout(this.endsAt - this.since));
  }
}

/** Groups the items that arrive while a batch is under way; an idle lane starts at once. Therefore batches grow with the load, and cost nothing without it. */
export function createLane<In, Out>(options: LaneOptions<In, Out>): Lane<In, Out> {
  const { atOnce = 1, lateMs = 100, groupOf = () => "" } = options;
  const waiting = createTurns<Entry<In, Out>>(({ item }) => groupOf(item));
  const deadlines = createDeadlines();
  let underWay = 0;
  let left = 0;
  let tellDrained = (): void => undefined;
  let lastStart = 0;
  let lastSize = 0;

  const areEnough = (): boolean => waiting.size >= (underWay === 1 ? 1 : worthABatch);
  const flush = async (): Promise<void> => {
    underWay += 1;
    while (areEnough()) {
      for (let turns = turnsFor(Math.max(lastSize, waiting.size)); turns > 0; turns -= 1) await turn();
      await options.pace?.();
      // Another batch may have taken the items meanwhile.
      if (!areEnough()) break;
      const batch = takeBatch(waiting, options);
      [lastStart, lastSize] = [performance.now(), batch.length];
      options.onBatch?.(batch.length);
      const again = await settleBatch(batch, options);
      left -= batch.length - again.length;
      if (again.length > 0) setTimeout(() => again.forEach(begin), doublingPause(Math.min(...again.map((entry) => (entry.tries += 1)))));
      if (left === 0) tellDrained();
    }
    underWay -= 1;
  };
  const isTimeForAnother = (): boolean => underWay < atOnce && waiting.size >= worthABatch && performance.now() - lastStart >= lateMs;

  const begin = (entry: Entry<In, Out>): void => {
    waiting.add(entry);
    if (underWay === 0 || isTimeForAnother()) void flush();
  };

  return {
    add: (item, withinMs = Infinity) =>
      new Promise<Out>((resolve, reject) => {
        left += 1;
        begin(new Entry<In, Out>(item, withinMs, deadlines, resolve, reject));
      }),
    drained: () => new Promise((resolve) => (left === 0 ? resolve() : (tellDrained = resolve))),
    waitMs: (group) => {
      const oldest = waiting.oldest(group);
      return oldest ? performance.now() - oldest.since : 0;
    },
  };
}

const none: readonly string[] = [];

function takeBatch<In, Out>(waiting: Turns<Entry<In, Out>>, options: LaneOptions<In, Out>): Entry<In, Out>[] {
  const { maxItems, maxSize = Infinity, sizeOf = () => 0, keyOf = () => null } = options;
  const keys = new Set<string>();
  let count = 0;
  let size = 0;
  return waiting.take(({ item }) => {
    const key = keyOf(item);
    const fits = count === 0 || (count < maxItems && size + sizeOf(item) <= maxSize);
    if (!fits) return "full";
    const own = key === null || typeof key === "string" ? key : null;
    const several = typeof key === "object" && key !== null ? key : none;
    if ((own !== null && keys.has(own)) || several.some((one) => keys.has(one))) return "later";
    count += 1;
    size += sizeOf(item);
    if (own !== null) keys.add(own);
    for (const one of several) keys.add(one);
    return "taken";
  });
}

/**
 * Settles the entries, but for those that are to be tried again, and never rejects. A failed batch is tried in parts, all of one size before smaller ones,
 * so that good entries do not wait until the last bad one is found.
 */
async function settleBatch<In, Out>(batch: Entry<In, Out>[], options: LaneOptions<In, Out>): Promise<Entry<In, Out>[]> {
  const again: Entry<In, Out>[] = [];
  for (let parts = [batch]; parts.length > 0;) {
    const failed: Entry<In, Out>[][] = [];
    for (const part of parts) {
      try {
        const outs = await options.run(part.map(({ item }) => item));
        part.forEach((entry, i) => entry.resolve(outs[i] as Out));
      } catch (error) {
        if (part.length > 1 && options.splits(error)) failed.push(part);
        else again.push(...failAll(part, error, options));
      }
    }
    parts = failed.flatMap((part) => halve(part, options));
  }
  return again;
}

/** Rejects the entries; answers those that are to be tried again instead. */
function failAll<In, Out>(part: Entry<In, Out>[], error: unknown, { insistMs, onLost }: LaneOptions<In, Out>): Entry<In, Out>[] {
  const items = part.map(({ item }) => item);
  const ms = insistMs?.(error, items) ?? 0;
  const again = ms > 0 ? part.filter(({ since }) => performance.now() - since < ms) : [];
  if (again.length < part.length) onLost?.(error, items);
  for (const entry of part) if (!again.includes(entry)) entry.reject(error);
  return again;
}

/** Splits between groups first: a fault is usually that of one group. */
function halve<In, Out>(part: Entry<In, Out>[], { groupOf = () => "" }: LaneOptions<In, Out>): Entry<In, Out>[][] {
  const groups = [...new Set(part.map(({ item }) => groupOf(item)))];
  const firstHalf = new Set(groups.slice(0, groups.length >> 1));
  const [former, latter] = [
    part.filter(({ item }) => firstHalf.has(groupOf(item))),
    part.filter(({ item }) => !firstHalf.has(groupOf(item))),
  ];
  return former.length > 0 ? [former, latter] : [part.slice(0, part.length >> 1), part.slice(part.length >> 1)];
}

const collisionAttempts = 3;

/**
 * A lane of statements with a time limit. Their size follows from how much the database did in a part of that time. A statement that collides with other
 * locks is tried again, and one with a bad row is split, so that an event's fault never harms another event.
 */
export function createStatementLane<In, Out>(options: Omit<LaneOptions<In, Out>, "splits"> & { limitMs: number }): Lane<In, Out> {
  const { limitMs } = options;
  const size = createBatchSize(options.maxItems, limitMs / 4);

  return createLane({
    ...options,
    get maxItems() {
      return size.most;
    },
    splits: (error) => isCollision(error) || !isDatabaseAway(error),
    run: async (items) => {
      for (let attempt = 1; ; attempt += 1) {
        const since = performance.now();
        try {
          const outs = await withTimeout(options.run(items), limitMs);
          size.ended(items.length, performance.now() - since, true);
          return outs;
        } catch (error) {
          size.ended(items.length, performance.now() - since, false);
          if (attempt === collisionAttempts || !isCollision(error)) throw error;
        }
      }
    },
  });
}

/** The first size. */
const first = 64;
/** The least size: still smaller statements do not help a slow database. */
const least = 8;

/** How many items one statement may carry to end well within its time; learned from earlier statements. `aimMs`: how long one should take at most; far less than its limit, as the database may become slower. */
export function createBatchSize(maxItems: number, aimMs: number) {
  let most = Math.min(first, maxItems);
  return {
    get most(): number {
      return most;
    },
    /** Records how long a statement took, and whether it succeeded. */
    ended: (items: number, ms: number, well: boolean): void => {
      if (ms > aimMs) most = Math.max(least, Math.min(most, Math.floor((items * aimMs) / ms)));
      else if (well && items >= most && ms < aimMs / 2) most = Math.min(maxItems, most * 2);
    },
  };
}

/** A queue in which groups take turns: a group with many items delays only itself. */
type Turns<T> = ReturnType<typeof createTurns<T>>;

interface Group<T> {
  name: string;
  items: T[];
  /** The number of items that the present `take` has looked at, and those of them that it leaves. */
  seen: number;
  left: T[];
}

export function createTurns<T>(groupOf: (item: T) => string) {
  /** The groups, none of which is empty. */
  const groups = new Map<string, Group<T>>();
  /** The groups in the order of their turns. */
  let turns: Group<T>[] = [];
  let size = 0;

  /** Removes the taken items of a group; false when nothing is left. */
  const tidy = (group: Group<T>): boolean => {
    if (group.seen > 0) group.items = [...group.left, ...group.items.slice(group.seen)];
    group.seen = 0;
    group.left = [];
    return group.items.length > 0 || !groups.delete(group.name);
  };

  return {
    get size(): number {
      return size;
    },
    add(item: T): void {
      const name = groupOf(item);
      const known = groups.get(name);
      size += 1;
      if (known) return void known.items.push(item);
      const group = { name, items: [item], seen: 0, left: [] };
      groups.set(name, group);
      turns.push(group);
    },
    /** The item of the group that has been waiting longest. */
    oldest: (name: string): T | undefined => groups.get(name)?.items[0],
    /**
     * Takes items, one of each group in turn, until `choose` answers `full`. `later` leaves an item in its place, and the next item of the group is asked.
     * The next call begins with the group that would have been next.
     */
    take(choose: (item: T) => "taken" | "later" | "full"): T[] {
      const taken: T[] = [];
      const seenWhole: Group<T>[] = [];
      let [round, next, at]: [Group<T>[], Group<T>[], number] = [turns, [], 0];
      for (;;) {
        if (at === round.length) [round, next, at] = [next, [], 0];
        const group = round[at];
        const item = group?.items[group.seen];
        const choice = item === undefined ? "full" : choose(item);
        if (group === undefined || item === undefined || choice === "full") break;
        (choice === "taken" ? taken : group.left).push(item);
        group.seen += 1;
        (group.seen < group.items.length ? next : seenWhole).push(group);
        at += 1;
      }
      // A group that had a turn comes after all others, also in later calls.
      turns = [...round.slice(at), ...seenWhole, ...next].filter(tidy);
      size -= taken.length;
      return taken;
    },
  };
}
