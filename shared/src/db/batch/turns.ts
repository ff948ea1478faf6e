/** A queue in which groups take turns: a group with many items delays only itself. */
export interface Turns<T> {
  readonly size: number;
  add(item: T): void;
  /** The item of the group that has been waiting longest. */
  oldest(group: string): T | undefined;
  /**
   * Takes items, one of each group in turn, until `choose` answers `full`. `later` leaves an item in its place and goes on behind it. The next call begins
   * with the group that would have been next.
   */
  take(choose: (item: T) => "taken" | "later" | "full"): T[];
}

export function createTurns<T>(groupOf: (item: T) => string): Turns<T> {
  /** Groups in the order of their turns; none is empty. */
  const groups = new Map<string, T[]>();
  let size = 0;

  return {
    get size() {
      return size;
    },
    add(item) {
      const group = groupOf(item);
      const queue = groups.get(group);
      if (queue) queue.push(item);
      else groups.set(group, [item]);
      size += 1;
    },
    oldest: (group) => groups.get(group)?.[0],
    take(choose) {
      const taken: T[] = [];
      /** How many items of each group were left in their places. */
      const passed = new Map<string, number>();
      const turns = [...groups.keys()];
      for (let name = turns.shift(); name !== undefined; name = turns.shift()) {
        const queue = groups.get(name) ?? [];
        const at = passed.get(name) ?? 0;
        const item = queue[at];
        if (item === undefined) continue;
        const choice = choose(item);
        if (choice === "full") break;
        if (choice === "taken") taken.push(...queue.splice(at, 1));
        else passed.set(name, at + 1);
        // To the end: its next turn comes after all others', also in later calls.
        groups.delete(name);
        if (queue.length > 0) groups.set(name, queue);
        turns.push(name);
      }
      size -= taken.length;
      return taken;
    },
  };
}
