interface Turns {
  current: Promise<void>;
  /** Begins when the current one ends. */
  next: Promise<void> | null;
}

/**
 * The act, one at a time a key. Who asks while one is under way waits for the one after it, which all share: it begins after they asked, so that it
 * sees what they know of. `act` must not reject.
 */
export function oneAhead(act: (key: string) => Promise<void>): (key: string) => Promise<void> {
  const open = new Map<string, Turns>();
  const begin = (key: string): Promise<void> => {
    const turns: Turns = { current: act(key), next: null };
    open.set(key, turns);
    void turns.current.then(() => {
      if (turns.next === null) open.delete(key);
    });
    return turns.current;
  };
  return (key) => {
    const turns = open.get(key);
    if (turns === undefined) return begin(key);
    turns.next ??= turns.current.then(() => begin(key));
    return turns.next;
  };
}
