/** A queue in which groups take turns: whoever brings much waits behind his own, not others behind him. */
export interface Turns<T> {
  readonly size: number;
  add(item: T): void;
  /** The item of the group that has waited longest. */
  oldest(group: string): T | undefined;
  /**
   * Takes items out, one of each group in turn, as long as `choose` takes them. `later` leaves one item where it is and goes on behind it; `full` ends.
   * The group that would have been next begins the next time.
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
      /** How far each group has been looked at: behind it lies what is still to be asked for. */
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
        // Its next turn comes when all others have had theirs, also in the batches to come.
        groups.delete(name);
        if (queue.length > 0) groups.set(name, queue);
        turns.push(name);
      }
      size -= taken.length;
      return taken;
    },
  };
}
