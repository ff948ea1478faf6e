interface Guest {
  group: string;
  tryEnter: () => string | null;
  answer: (leave: (() => void) | null) => void;
  /** What woke the guest. Once it needs that no more, the next who waits for the same is woken. */
  wokenBy: string | null;
}

/**
 * Places that groups share: whoever waits gets one as soon as there is one, first come, first served, and a group has only so many at once. Nobody looks
 * again and again: what becomes free wakes one who waits for it, which costs the same however many wait. `isOpen` shuts all places for a while.
 */
export function createPlaces({ most, mostOfGroup, isOpen = () => true }: { most: number; mostOfGroup: number; isOpen?: () => boolean }) {
  /** Those who wait for a place of any kind. */
  const line = new Set<Guest>();
  /** Those who wait for something else, by its key. */
  const refused = new Map<string, Set<Guest>>();
  /** The groups of the guests that are in. */
  const inside: string[] = [];
  let isClosed = false;

  /** Moves the next who waits for the key to the end of the line. */
  const wake = (key: string | null): void => {
    const waiting = refused.get(key ?? "") ?? [];
    for (const next of waiting) {
      refused.get(key ?? "")?.delete(next);
      line.add(Object.assign(next, { wokenBy: key }));
      return;
    }
    refused.delete(key ?? "");
  };
  /** Something that guests were refused for is free: one of them tries again. A place of a group has the group's name as its key. */
  const freed = (key: string): void => {
    wake(key);
    admit();
  };
  /** Lets in whom it can. To be called after what `isOpen` answers has changed. */
  const admit = (): void => {
    for (const next of line) {
      if (inside.length >= most || !isOpen()) return;
      const { group, tryEnter, answer, wokenBy } = next;
      line.delete(next);
      const isFull = inside.filter((one) => one === group).length >= mostOfGroup;
      const key = isFull ? group : tryEnter();
      if (key !== null) refused.set(key, (refused.get(key) ?? new Set()).add(next));
      if (key !== null && key !== wokenBy) wake(wokenBy);
      if (key !== null) continue;
      inside.push(group);
      answer(() => {
        inside.splice(inside.indexOf(group), 1);
        if (wokenBy !== group) wake(wokenBy);
        freed(group);
      });
    }
  };
  /** Resolves with what frees the place; null once the places are closed. `tryEnter` enters, or answers the key of what has to become free first. */
  const enter = (group: string, tryEnter: Guest["tryEnter"] = () => null): Promise<(() => void) | null> =>
    new Promise((answer) => {
      if (isClosed) return answer(null);
      line.add({ group, tryEnter, answer, wokenBy: null });
      admit();
    });
  /** Sends away all who wait, and all who come. */
  const close = (): void => {
    isClosed = true;
    for (const waiting of [line, ...refused.values()]) for (const { answer } of waiting) answer(null);
    line.clear();
    refused.clear();
  };
  return { enter, freed, admit, close, inside: inside as readonly string[], awaited: refused as { has(key: string): boolean } };
}
