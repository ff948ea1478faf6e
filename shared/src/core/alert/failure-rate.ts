/** How many messages have an outcome, and how many of them failed. */
export interface Outcomes {
  failed: number;
  total: number;
}

export interface FailureRate {
  isHigh: boolean;
  /** From 0 to 1. */
  rate: number;
  usual: number;
}

/** A rate is judged only of this many messages or more. */
const fewestMessages = 20;
const fewestFailures = 5;
/** Days with fewer messages than `fewestMessages` are left out, and fewer days than these make no usual rate. */
const fewestDays = 3;
const usualUntilKnown = 0.05;
/** A rate that was too high stays so until it is this much below the bound, so that the alert does not flap. */
const slack = 0.75;

/**
 * Whether failures are more frequent than usual: at least `atLeast`, twice as frequent as on the median day (or half-way from there to all), and more than
 * chance explains. Too few messages change nothing: a rate that was too high stays so until none of them fails or none comes.
 */
export function judgeFailureRate(recent: Outcomes, days: readonly Outcomes[], atLeast: number, wasHigh: boolean): FailureRate {
  const usual = usualRate(days);
  const rate = recent.total === 0 ? 0 : recent.failed / recent.total;
  const bound = Math.max(atLeast, Math.min(2 * usual, usual + (1 - usual) / 2));
  if (recent.total < fewestMessages) return { isHigh: wasHigh && recent.failed > 0, rate, usual };
  if (wasHigh) return { isHigh: rate > bound * slack, rate, usual };
  const expected = recent.total * usual;
  const isChance = recent.failed < expected + 3 * Math.sqrt(expected * (1 - usual));
  return { isHigh: rate >= bound && recent.failed >= fewestFailures && !isChance, rate, usual };
}

/** The median, since a single bad day is not usual. */
function usualRate(days: readonly Outcomes[]): number {
  const rates = days
    .filter(({ total }) => total >= fewestMessages)
    .map(({ failed, total }) => failed / total)
    .toSorted((a, b) => a - b);
  const middle = rates[Math.floor(rates.length / 2)];
  return rates.length < fewestDays || middle === undefined ? usualUntilKnown : middle;
}
