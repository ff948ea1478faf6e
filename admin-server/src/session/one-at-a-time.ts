/** What the next one of each key waits for; it never rejects. */
const tails = new Map<string, Promise<void>>();

/** Runs what this process is asked to do under one key one after the other, in the order of asking. */
export async function oneAtATime<T>(key: string, act: () => Promise<T>): Promise<T> {
  const turn = (tails.get(key) ?? Promise.resolve()).then(act);
  const leave = (): void => {
    if (tails.get(key) === tail) tails.delete(key);
  };
  const tail = turn.then(leave, leave);
  tails.set(key, tail);
  return turn;
}
