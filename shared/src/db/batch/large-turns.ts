import { createLane } from "./lane.ts";

/** Bodies from this size on are large: parsing one of a megabyte may hold the process for a quarter of a second. */
export const largeBytes = 65_536;

/** Whether parsing a JSON text takes long: it is large, and has very many values. One that merely looks so costs its own sender alone. */
export function isCostly(text: Uint8Array): boolean {
  if (text.length < largeBytes) return false;
  let values = 0;
  for (let at = 0; at < text.length && values < costlyValues; at += 1) {
    const byte = text[at];
    if (byte === colon || byte === comma || byte === bracket || byte === brace) values += 1;
  }
  return values === costlyValues;
}

/** Its colons, commas and brackets: a usual order of 250 KB has as many. */
const costlyValues = 32_768;
const [colon, comma, bracket, brace] = Buffer.from(":,[{");

/** A longer turn has waited for the database, which holds up nobody else. */
const mostRestMs = 500;

/** The most bodies of a group that wait at a time, which are in memory. */
const mostWaiting = 128;

/**
 * Requests with large bodies take turns, of each group in turn: one at a time is worked on, and all others go first for as long as the last turn took.
 * `busy`: the error for one that has waited for `holdMs`, or behind too many of its group. Resolves with what ends the turn.
 */
export function createLargeTurns(holdMs: number, busy: () => Error): (group: string) => Promise<() => void> {
  let restUntil = 0;
  const waiting = new Map<string, number>();
  const count = (group: string, by: 1 | -1): void => {
    const left = (waiting.get(group) ?? 0) + by;
    if (left === 0) waiting.delete(group);
    else waiting.set(group, left);
  };
  const lane = createLane<{ group: string; enter: (leave: () => void) => void }, undefined>({
    run: async ([large]) => {
      const since = performance.now();
      await new Promise<void>((leave) => large?.enter(leave));
      restUntil = performance.now() + Math.min(performance.now() - since, mostRestMs);
      return [undefined];
    },
    maxItems: 1,
    groupOf: ({ group }) => group,
    splits: () => false,
    pace: () => new Promise((resolve) => void setTimeout(resolve, restUntil - performance.now())),
  });
  const enter = (group: string): Promise<() => void> =>
    new Promise((resolve, reject) => {
      let isLate = false;
      lane.add({ group, enter: (leave) => (isLate ? leave() : resolve(leave)) }, holdMs).catch(() => {
        isLate = true;
        reject(busy());
      });
    });
  return async (group) => {
    if (waiting.get(group) === mostWaiting) throw busy();
    count(group, 1);
    return await enter(group).finally(() => count(group, -1));
  };
}
