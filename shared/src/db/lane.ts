/** Work that arrives one by one and is done many at a time. */
export interface Lane<In, Out> {
  /** Resolves with the outcome of this item's own batch entry, rejects with what made it fail. */
  add(item: In): Promise<Out>;
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
  /** Awaited before each batch is gathered: what arrives meanwhile still belongs to it. */
  pace?: (() => Promise<void>) | undefined;
  /** Whether a failed batch is worth trying in halves: a row's own fault is, a lost connection is not. */
  splits(error: unknown): boolean;
}

interface Entry<In, Out> {
  item: In;
  resolve(out: Out): void;
  reject(error: unknown): void;
}

/**
 * Groups what arrives while the previous batch is under way; an idle lane starts at once. One batch at a time: under load the commit of one is the
 * time in which the next gathers, so the group grows with the load and costs nothing without it.
 */
export function createLane<In, Out>(options: LaneOptions<In, Out>): Lane<In, Out> {
  let waiting: Entry<In, Out>[] = [];
  let busy = false;

  const flush = async (): Promise<void> => {
    busy = true;
    // What the same turn of the event loop still brings belongs to this batch.
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      await options.pace?.();
      const { batch, rest } = takeBatch(waiting, options);
      waiting = rest;
      await settleBatch(batch, options);
    }
    busy = false;
  };

  return {
    add: (item) =>
      new Promise<Out>((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        if (!busy) void flush();
      }),
  };
}

function takeBatch<In, Out>(waiting: Entry<In, Out>[], options: LaneOptions<In, Out>) {
  const { maxItems, maxSize = Infinity, sizeOf = () => 0, keyOf = () => null } = options;
  const batch: Entry<In, Out>[] = [];
  const rest: Entry<In, Out>[] = [];
  const keys = new Set<string>();
  let size = 0;
  for (const entry of waiting) {
    const key = keyOf(entry.item);
    const fits = batch.length === 0 || (batch.length < maxItems && size + sizeOf(entry.item) <= maxSize);
    if (!fits || (key !== null && keys.has(key))) {
      rest.push(entry);
      continue;
    }
    batch.push(entry);
    size += sizeOf(entry.item);
    if (key !== null) keys.add(key);
  }
  return { batch, rest };
}

/** Never rejects: every entry learns its own fate. */
async function settleBatch<In, Out>(batch: Entry<In, Out>[], options: LaneOptions<In, Out>): Promise<void> {
  try {
    const outs = await options.run(batch.map((entry) => entry.item));
    batch.forEach((entry, i) => entry.resolve(outs[i] as Out));
  } catch (error) {
    if (batch.length === 1 || !options.splits(error)) {
      for (const entry of batch) entry.reject(error);
      return;
    }
    const middle = batch.length >> 1;
    await settleBatch(batch.slice(0, middle), options);
    await settleBatch(batch.slice(middle), options);
  }
}
