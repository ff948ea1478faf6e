import { createTurns, type Turns } from "./turns.ts";

/** Work that arrives one by one and is done many at a time. */
export interface Lane<In, Out> {
  /** Resolves with the outcome of this item's own batch entry, rejects with what made it fail. */
  add(item: In): Promise<Out>;
  /** Milliseconds that the oldest item of this group has been waiting for its batch; 0 when none is. */
  waitMs(group: string): number;
}

export interface LaneOptions<In, Out> {
  /** Does a batch in one go; the outcomes stand in the order of the items. Rejecting fails the whole batch, which is then split. */
  run(items: In[]): Promise<Out[]>;
  maxItems: number;
  /** With `sizeOf`, also bounds what one statement carries. */
  maxSize?: number | undefined;
  sizeOf?: ((item: In) => number) | undefined;
  /** Items of one key never share a batch: a statement cannot claim one row twice. Null means free. */
  keyOf?: ((item: In) => string | null) | undefined;
  /** Groups take turns: one that brings ten times its share waits for itself. */
  groupOf?: ((item: In) => string) | undefined;
  /** How many batches may be under way; another one starts beside the first only when enough is waiting to be worth a statement of its own. */
  atOnce?: number | undefined;
  /** Awaited before each batch is gathered: what arrives meanwhile still belongs to it. */
  pace?: (() => Promise<void>) | undefined;
  /** Whether a failed batch is worth trying in halves: a row's own fault is, a lost connection is not. */
  splits(error: unknown): boolean;
}

/** Fewer than these wait for the batch that is under way. */
const worthABatch = 8;

export interface Entry<In, Out> {
  item: In;
  /** `performance.now()`. */
  since: number;
  resolve(out: Out): void;
  reject(error: unknown): void;
}

/**
 * Groups what arrives while the previous batch is under way; an idle lane starts at once. Under load the commit of one is the time in which the next
 * gathers, so the group grows with the load and costs nothing without it.
 */
export function createLane<In, Out>(options: LaneOptions<In, Out>): Lane<In, Out> {
  const { atOnce = 1, groupOf = () => "" } = options;
  const waiting = createTurns<Entry<In, Out>>(({ item }) => groupOf(item));
  let underWay = 0;

  const flush = async (): Promise<void> => {
    underWay += 1;
    // What the same turn of the event loop still brings belongs to this batch.
    await new Promise(setImmediate);
    while (waiting.size >= (underWay === 1 ? 1 : worthABatch)) {
      await options.pace?.();
      const batch = takeBatch(waiting, options);
      if (batch.length > 0) await settleBatch(batch, options);
    }
    underWay -= 1;
  };

  return {
    add: (item) =>
      new Promise<Out>((resolve, reject) => {
        waiting.add({ item, since: performance.now(), resolve, reject });
        if (underWay === 0 || (underWay < atOnce && waiting.size >= worthABatch)) void flush();
      }),
    waitMs: (group) => {
      const oldest = waiting.oldest(group);
      return oldest ? performance.now() - oldest.since : 0;
    },
  };
}

function takeBatch<In, Out>(waiting: Turns<Entry<In, Out>>, options: LaneOptions<In, Out>): Entry<In, Out>[] {
  const { maxItems, maxSize = Infinity, sizeOf = () => 0, keyOf = () => null } = options;
  const keys = new Set<string>();
  let count = 0;
  let size = 0;
  return waiting.take(({ item }) => {
    const key = keyOf(item);
    const fits = count === 0 || (count < maxItems && size + sizeOf(item) <= maxSize);
    if (!fits) return "full";
    if (key !== null && keys.has(key)) return "later";
    count += 1;
    size += sizeOf(item);
    if (key !== null) keys.add(key);
    return "taken";
  });
}

/**
 * Never rejects: every entry learns its own fate. A batch that fails is tried in parts, all of one size before smaller ones, so that those that are
 * right need not wait until the last that is wrong has been found.
 */
async function settleBatch<In, Out>(batch: Entry<In, Out>[], options: LaneOptions<In, Out>): Promise<void> {
  for (let parts = [batch]; parts.length > 0;) {
    const failed: Entry<In, Out>[][] = [];
    for (const part of parts) if (!(await settlePart(part, options))) failed.push(part);
    parts = failed.flatMap((part) => halve(part, options));
  }
}

/** False when it failed and is worth trying in halves. */
async function settlePart<In, Out>(part: Entry<In, Out>[], options: LaneOptions<In, Out>): Promise<boolean> {
  try {
    const outs = await options.run(part.map(({ item }) => item));
    part.forEach((entry, i) => entry.resolve(outs[i] as Out));
  } catch (error) {
    if (part.length > 1 && options.splits(error)) return false;
    for (const entry of part) entry.reject(error);
  }
  return true;
}

/** Between groups first: what is wrong with one rarely is with another. */
function halve<In, Out>(part: Entry<In, Out>[], { groupOf = () => "" }: LaneOptions<In, Out>): Entry<In, Out>[][] {
  const groups = [...new Set(part.map(({ item }) => groupOf(item)))];
  const firstHalf = new Set(groups.slice(0, groups.length >> 1));
  const [former, latter] = [
    part.filter(({ item }) => firstHalf.has(groupOf(item))),
    part.filter(({ item }) => !firstHalf.has(groupOf(item))),
  ];
  return former.length > 0 ? [former, latter] : [part.slice(0, part.length >> 1), part.slice(part.length >> 1)];
}
