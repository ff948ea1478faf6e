/** Whether this is the long run, `npm run test:long`. */
export const isLong = process.env["TESTS"] === "long";

/** A size: small in `npm test`, larger in the long run. */
export const scaled = (bounded: number, long: number): number => (isLong ? long : bounded);

/** The scenario's own random numbers. The bounded run always takes the same seed; the long one a new one, unless `FAULTS_SEED` names it. The report holds it. */
export function scenarioRandom(bounded: number): Random {
  const named = Number.parseInt(process.env["FAULTS_SEED"] ?? "", 10);
  if (!Number.isNaN(named)) return createRandom(named);
  return createRandom(isLong ? Math.floor(Math.random() * 2 ** 31) : bounded);
}

/** Random numbers that can be repeated: the same seed gives the same choices. */
export interface Random {
  readonly seed: number;
  /** From 0 up to but not including 1. */
  next(): number;
  /** A whole number from `least` to `most`. */
  whole(least: number, most: number): number;
  /** True with the probability `chance`. */
  often(chance: number): boolean;
  pick<T>(items: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
}

/** Random numbers by the algorithm Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  const pick = <T>(items: readonly T[]): T => {
    if (items.length === 0) throw new Error("nothing to pick from");
    return items[whole(0, items.length - 1)] as T;
  };
  const shuffle = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => ({ item, at: next() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ item }) => item);
  return { seed, next, whole, often: (chance) => next() < chance, pick, shuffle };
}

/** Adds a line to the run's table: what was broken, how often, over what. It is written whether the test passes or not: a seed is worth most after a failure. */
export function report(scenario: string, counts: Record<string, string | number>): void {
  const columns = Object.entries(counts).map(([name, value]) => `${name} ${value}`);
  process.stdout.write(`faults | ${[scenario, ...columns].join(" | ")}\n`);
}
