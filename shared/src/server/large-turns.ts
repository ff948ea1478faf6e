import { createLane } from "../db/batch/lane.ts";

/** Bodies from this size on are large: parsing one may hold the process for a quarter of a second. */
export const largeBytes = 65_536;

/**
 * Requests with large bodies take turns, of each group in turn: one at a time is worked on. Smaller requests go first: before a turn they have as long as the
 * last turn took, unless none is under way. `busy`: the error for one that has waited for `holdMs`.
 */
export function createLargeTurns(holdMs: number, busy: () => Error) {
  let [smaller, restMs] = [0, 0];
  let goOn = (): void => undefined;
  const lane = createLane<{ group: string; enter: (leave: () => void) => void }, undefined>({
    run: async ([large]) => {
      const since = performance.now();
      await new Promise<void>((leave) => large?.enter(leave));
      restMs = performance.now() - since;
      return [undefined];
    },
    maxItems: 1,
    groupOf: ({ group }) => group,
    splits: () => false,
    pace: () => new Promise((resolve) => (smaller === 0 ? resolve() : void setTimeout((goOn = resolve), restMs))),
  });
  const count = (by: 1 | -1): void => {
    smaller += by;
    if (smaller === 0) goOn();
  };
  return {
    /** Counts a smaller request that is under way, or is so no more. */
    count,
    /** For a request that was counted as a smaller one until its body was there. Resolves with what ends the turn. */
    enter: (group: string): Promise<() => void> =>
      new Promise((resolve, reject) => {
        let isLate = false;
        count(-1);
        lane.add({ group, enter: (leave) => (isLate ? leave() : resolve(leave)) }, holdMs).catch(() => {
          isLate = true;
          reject(busy());
        });
      }),
  };
}
